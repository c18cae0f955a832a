package issuer

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"mcp-gateway/protocol"
)

// Metadata is what is used of an authorization server's metadata.
type Metadata struct {
	Issuer        string
	JWKS          string // jwks_uri
	Token         string // token_endpoint
	Introspection string // introspection_endpoint
}

// Why metadata are refused.
var (
	ErrIssuer   = errors.New("issuer: its metadata name another issuer")
	ErrEndpoint = errors.New("issuer: its metadata name an endpoint without TLS, or none")
)

// Discover fetches the metadata of an issuer (RFC 8414 section 3; OpenID Connect
// Discovery 1.0 section 4): at the places where they may be, in the order of
// 2026-07-28, Authorization Server Metadata Discovery. The issuer that they name
// must be the very one that was asked for.
func Discover(ctx context.Context, client *http.Client, issuer string) (*Metadata, error) {
	places, err := wellKnown(issuer)
	if err != nil {
		return nil, err
	}
	var first error
	for _, at := range places {
		raw, err := get(ctx, client, at)
		if err == nil {
			return read(raw, issuer)
		}
		if first == nil {
			first = err
		}
		var status *StatusError
		if !errors.As(err, &status) || status.Status >= http.StatusInternalServerError {
			return nil, err // it may be there: elsewhere is not asked in its stead
		}
	}
	return nil, first
}

// wellKnown returns where an issuer's metadata may lie.
func wellKnown(issuer string) ([]string, error) {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" {
		return nil, ErrIssuer
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	origin := u.Scheme + "://" + u.Host
	places := []string{
		origin + "/.well-known/oauth-authorization-server" + path,
		origin + "/.well-known/openid-configuration" + path,
	}
	if path != "" {
		places = append(places, origin+path+"/.well-known/openid-configuration")
	}
	return places, nil
}

func read(raw []byte, issuer string) (*Metadata, error) {
	m := &Metadata{}
	for name, dst := range map[string]*string{
		"issuer": &m.Issuer, "jwks_uri": &m.JWKS, "token_endpoint": &m.Token, "introspection_endpoint": &m.Introspection,
	} {
		value, _ := protocol.Member(raw, name)
		*dst, _ = protocol.Text(value)
	}
	if m.Issuer != issuer {
		return nil, ErrIssuer
	}
	// Where people log in is the hosts' affair; metadata that send them elsewhere than
	// to a web server are nobody's to believe in anything.
	login, _ := protocol.Member(raw, "authorization_endpoint")
	authorization, _ := protocol.Text(login)
	for _, endpoint := range [...]string{m.JWKS, m.Token, m.Introspection, authorization} {
		if endpoint != "" && !Secure(endpoint) {
			return nil, ErrEndpoint
		}
	}
	return m, nil
}

// Secure says whether a URL is one that keys and credentials may travel by: https,
// or http to this very machine.
func Secure(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	if u.Scheme == "http" {
		ip, err := netip.ParseAddr(u.Hostname())
		return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	}
	return u.Scheme == "https"
}
