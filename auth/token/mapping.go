package token

import (
	"slices"
	"strings"
	"unicode"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Bounds of what one principal may hold.
const (
	maxScopes = 256
	maxGroups = 1024
)

// Mapping says by JSON Pointers into the claims who a principal is and what it
// holds. An empty pointer is a claim that is not looked for.
type Mapping struct {
	Subject string   // needed: a token without it is nobody's
	Tenant  string   // needed where it is named: it is part of who somebody is
	Client  []string // the first that is there
	Scopes  []string // the first that is there: blank-separated text, or a list
	Groups  string
}

// DefaultMapping are the claims of RFC 9068 and RFC 7662, and those that
// widespread issuers have in their place.
func DefaultMapping() Mapping {
	return Mapping{
		Subject: "/sub", Client: []string{"/client_id", "/azp"}, Scopes: []string{"/scope", "/scp"}, Groups: "/groups",
	}
}

// Principal makes a principal of verified claims. A claim that is there and of a
// wrong kind is an error: half a principal would be somebody else.
func (m *Mapping) Principal(c Claims, issuer string) (*gateway.Principal, error) {
	p := &gateway.Principal{Issuer: issuer, Method: gateway.AuthOAuth}
	var err error
	if p.Subject, err = name(c, m.Subject); err != nil {
		return nil, err
	}
	if p.Subject == "" {
		return nil, ErrNoSubject
	}
	if m.Tenant != "" {
		if p.Tenant, err = name(c, m.Tenant); err != nil || p.Tenant == "" {
			return nil, ErrClaim
		}
	}
	for _, pointer := range m.Client {
		if p.Client, err = name(c, pointer); err != nil || p.Client != "" {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if p.Scopes, err = m.scopes(c); err != nil {
		return nil, err
	}
	if p.AuthenticatedAt, _, err = c.instant("auth_time"); err != nil {
		return nil, err
	}
	p.Groups, err = m.groups(c)
	return p, err
}

// name reads a claim that names somebody; "" if it is absent.
func name(c Claims, pointer string) (string, error) {
	raw, ok := protocol.Lookup(c.Raw, pointer)
	if !ok {
		return "", nil
	}
	s, ok := protocol.Text(raw)
	if !ok || len(s) > maxText || strings.TrimSpace(s) != s || strings.ContainsFunc(s, unicode.IsControl) {
		return "", ErrClaim
	}
	return s, nil
}

func (m *Mapping) scopes(c Claims) ([]string, error) {
	for _, pointer := range m.Scopes {
		raw, ok := protocol.Lookup(c.Raw, pointer)
		if !ok {
			continue
		}
		if s, ok := protocol.Text(raw); ok {
			return distinct(strings.Fields(s), maxScopes)
		}
		all, err := texts(raw, maxScopes)
		if err != nil {
			return nil, err
		}
		return distinct(all, maxScopes)
	}
	return nil, nil
}

func (m *Mapping) groups(c Claims) ([]string, error) {
	raw, ok := protocol.Lookup(c.Raw, m.Groups)
	if m.Groups == "" || !ok {
		return nil, nil
	}
	all, err := texts(raw, maxGroups)
	if err != nil {
		return nil, err
	}
	return distinct(all, maxGroups)
}

// distinct sorts names and takes each once. Scopes are compared byte for byte
// (RFC 6749 section 3.3).
func distinct(all []string, limit int) ([]string, error) {
	if len(all) > limit {
		return nil, ErrClaim
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
