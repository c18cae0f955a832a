package gateway

import (
	"strings"
	"time"
)

// AuthMethod names how a principal was established.
type AuthMethod string

// The ways in which a principal is established.
const (
	AuthAPIKey    AuthMethod = "api_key"
	AuthStdio     AuthMethod = "stdio"     // the configured principal of a stdio host
	AuthAnonymous AuthMethod = "anonymous" // loopback only, under its unsafe name
	AuthOAuth     AuthMethod = "oauth"     // a token of a configured issuer
)

// Principal is who calls: issuer, subject, tenant and client say who it is;
// scopes and groups say what it holds and are no part of its identity.
// A Principal comes from a verified credential or from configuration, never
// from a header, an argument or a host's claim.
type Principal struct {
	Issuer  string // who vouches for the subject; "gateway" for API keys
	Subject string
	Tenant  string
	Client  string // the OAuth client or API key id through which it came
	Scopes  []string
	Groups  []string
	Method  AuthMethod

	// AuthenticatedAt is when the subject proved who it is, as a verified credential
	// says; zero = not known. It is no part of the identity.
	AuthenticatedAt time.Time
}

// ID returns the identity as one unambiguous string. Two principals have equal
// IDs exactly if issuer, subject, tenant and client are equal.
func (p *Principal) ID() string {
	var b strings.Builder
	b.Grow(len(p.Issuer) + len(p.Subject) + len(p.Tenant) + len(p.Client) + 12)
	for _, part := range [...]string{p.Issuer, p.Subject, p.Tenant, p.Client} {
		for i := 0; i < len(part); i++ {
			if c := part[i]; c == '|' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(part[i])
		}
		b.WriteByte('|')
	}
	return b.String()
}
