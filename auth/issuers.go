package auth

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"mcp-gateway/auth/issuer"
	"mcp-gateway/auth/token"
	"mcp-gateway/egress"
	"mcp-gateway/gateway"
)

// Issuer is an authorization server whose tokens are accepted, and on which terms.
type Issuer struct {
	URL        string            // as its tokens name it, byte for byte
	JWKS       string            // where its keys are; "" = found by discovery
	Audience   map[string]string // by endpoint, where it is not the endpoint's own URL
	Networks   []netip.Prefix    // private ones to which the names of its URLs may lead
	Algorithms []string          // of issuer.Algorithms
	Skew       time.Duration     // by which clocks may differ
	Mapping    token.Mapping
	Tenant     string              // of all its principals, where no claim is mapped
	Implies    map[string][]string // which scopes a scope includes
	Introspect *Introspection      // nil = its tokens are JWTs and nothing is asked
}

// Introspection says how an issuer is asked about tokens (RFC 7662).
type Introspection struct {
	URL    string
	Client issuer.Client
	All    bool          // JWTs too are asked about, once they are verified
	Cache  time.Duration // the longest that a yes is believed
}

// trusted is an Issuer with what is known of it.
type trusted struct {
	Issuer
	keys       *issuer.Keys
	introspect *issuer.Introspector // nil = is not asked
	implied    map[string][]string  // Implies, closed
}

// trust prepares an issuer. What was known of it under the same settings stays.
func trust(o *Options, i Issuer) (*trusted, error) {
	t := &trusted{Issuer: i, implied: closed(i.Implies)}
	for _, alg := range i.Algorithms {
		if !slices.Contains(issuer.Algorithms(), alg) {
			return nil, fmt.Errorf("issuer %s: %w", i.URL, ErrAlgorithm)
		}
	}
	if before := o.Before; before != nil && before.issuers[i.URL] != nil && before.issuers[i.URL].JWKS == i.JWKS && slices.Equal(before.issuers[i.URL].Networks, i.Networks) {
		t.keys = before.issuers[i.URL].keys
	} else {
		t.keys = issuer.NewKeys(i.URL, i.JWKS, clientFor(i.Networks, i.URL, i.JWKS), o.Clock)
	}
	if i.Introspect == nil {
		return t, nil
	}
	var err error
	t.introspect, err = issuer.NewIntrospector(i.Introspect.URL, i.Introspect.Client, clientFor(i.Networks, i.Introspect.URL), o.Clock)
	return t, err
}

// clientFor returns a client that reaches the hosts of these URLs and, whatever
// they name, of the gateway's own network nothing but these parts.
func clientFor(networks []netip.Prefix, urls ...string) *http.Client {
	var hosts []string
	for _, raw := range urls {
		if u, err := url.Parse(raw); err == nil && u.Hostname() != "" {
			hosts = append(hosts, u.Hostname())
		}
	}
	return egress.NewClient(egress.Options{AllowHosts: hosts, AllowPrefixes: networks, Timeout: 5 * time.Second})
}

// closed follows what scopes include to its end.
func closed(implies map[string][]string) map[string][]string {
	all := make(map[string][]string, len(implies))
	for scope := range implies {
		all[scope] = include(implies, scope, nil)
	}
	return all
}

// include adds what a scope includes to what was included already.
func include(implies map[string][]string, scope string, included []string) []string {
	for _, next := range implies[scope] {
		if !slices.Contains(included, next) {
			included = include(implies, next, append(included, next))
		}
	}
	return included
}

// Claimed is who the bearer of a token with these claims would be: of the issuer that
// they name, once it has verified. Nothing here is. It is for asking what policy
// would say; the claims are one JSON object.
func Claimed(issuers []Issuer, claims []byte) (*gateway.Principal, error) {
	if err := token.Strict(claims); err != nil {
		return nil, err
	}
	c := token.Claims{Raw: claims}
	for _, i := range issuers {
		if i.URL == c.Issuer() {
			t := &trusted{Issuer: i, implied: closed(i.Implies)}
			return t.principal(c)
		}
	}
	return nil, ErrIssuer
}

// principal makes the principal of verified claims.
func (t *trusted) principal(c token.Claims) (*gateway.Principal, error) {
	p, err := t.Mapping.Principal(c, t.URL)
	if err != nil {
		return nil, err
	}
	if t.Mapping.Tenant == "" {
		p.Tenant = t.Tenant
	}
	for _, held := range p.Scopes {
		p.Scopes = append(p.Scopes, t.implied[held]...)
	}
	slices.Sort(p.Scopes)
	p.Scopes = slices.Compact(p.Scopes)
	return p, nil
}
