package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"mcp-gateway/gateway"
)

// Why a request has no principal. They travel as CodeUnauthenticated, ErrRepeated
// as CodeMalformedCredential; the cause is for the operator alone.
var (
	ErrNoCredential = errors.New("auth: no Authorization header")
	ErrRepeated     = errors.New("auth: more than one Authorization header")
	ErrScheme       = errors.New("auth: not a Bearer credential")
	ErrUnknownKey   = errors.New("auth: no such API key")
)

// Why the way in which a request names its credential is not accepted. Both travel
// as CodeMalformedCredential, like ErrRepeated.
var (
	ErrQuery  = errors.New("auth: a token in the URL")
	ErrSyntax = errors.New("auth: not the characters of one credential") // as where two headers were joined into one
)

// ErrDuplicateKey says that two Keys of the Options have the same digest.
var ErrDuplicateKey = errors.New("auth: two API keys share one sha256")

// Options says who may come in.
type Options struct {
	Keys []Key
	// Anonymous is who a request without any Authorization header is; nil, the
	// rule, refuses it. Whoever sets it listens on loopback only.
	Anonymous *gateway.Principal
	Issuers   []Issuer
	URL       string   // by which hosts reach the gateway, without a path; needed with Issuers
	Scopes    []string // that hosts are told to ask for; none is fine

	// Before is the Authenticator that this one takes the place of: what it knows
	// of issuers stays known. nil is fine.
	Before *Authenticator
	Clock  func() time.Time // nil = time.Now
}

// Authenticator identifies the senders of requests. It is immutable and safe
// for concurrent use.
type Authenticator struct {
	keys      map[uint64][]keyEntry
	anonymous *gateway.Principal
	issuers   map[string]*trusted // by URL
	opaque    *trusted            // which is asked about opaque tokens; nil = none
	url       string
	scopes    []string
	verdicts  *lru.Cache[[sha256.Size]byte, *verdict]
	clock     func() time.Time
}

type keyEntry struct {
	sum       [sha256.Size]byte
	principal *gateway.Principal
}

// New checks the keys and returns their Authenticator.
func New(o Options) (*Authenticator, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	a := &Authenticator{
		keys: make(map[uint64][]keyEntry, len(o.Keys)), issuers: make(map[string]*trusted, len(o.Issuers)),
		url: o.URL, scopes: o.Scopes, clock: o.Clock,
	}
	var err error
	if a.verdicts, err = newVerdicts(); err != nil {
		return nil, err
	}
	for _, i := range o.Issuers {
		if a.issuers[i.URL], err = trust(&o, i); err != nil {
			return nil, err
		}
		if i.Introspect != nil && a.opaque == nil {
			a.opaque = a.issuers[i.URL]
		}
	}
	if o.Anonymous != nil {
		p := *o.Anonymous
		p.Method = gateway.AuthAnonymous
		a.anonymous = &p
	}
	for i, k := range o.Keys {
		sum, err := ParseDigest(k.SHA256)
		if err != nil {
			return nil, fmt.Errorf("key %d (%s): %w", i, k.Principal.Client, err)
		}
		if a.find(sum) != nil {
			return nil, fmt.Errorf("key %d (%s): %w", i, k.Principal.Client, ErrDuplicateKey)
		}
		p := k.Principal
		p.Method = gateway.AuthAPIKey
		b := bucket(sum)
		a.keys[b] = append(a.keys[b], keyEntry{sum, &p})
	}
	return a, nil
}

// Identify returns the principal whose API key or access token the Authorization
// header carries: RFC 6750 section 2.1, exactly one header. No other header, such
// as X-Forwarded-User, says anything. The Principal is shared between requests
// and must not be changed. Every error is a *gateway.Error: CodeUnauthenticated,
// CodeMalformedCredential, or CodeIssuerUnavailable where an issuer can't be asked.
//
// A wrong credential is refused even where anonymous requests are let in: the
// sender meant to be somebody.
func (a *Authenticator) Identify(ctx context.Context, r Request) (*gateway.Principal, error) {
	values := r.Header["Authorization"]
	switch {
	case len(values) > 1:
		return nil, gateway.Because(gateway.CodeMalformedCredential, ErrRepeated)
	case r.Query != "" && r.tokenInQuery():
		return nil, gateway.Because(gateway.CodeMalformedCredential, ErrQuery)
	case len(values) == 0 && a.anonymous != nil:
		return a.anonymous, nil
	case len(values) == 0:
		return nil, refuse(ErrNoCredential)
	}
	credential, ok := bearer(values[0])
	switch {
	case !ok:
		return nil, refuse(ErrScheme)
	case len(credential) == keyLen && strings.HasPrefix(credential, KeyPrefix):
		if p := a.find(sha256.Sum256([]byte(credential))); p != nil {
			return p, nil
		}
		return nil, refuse(ErrUnknownKey)
	case strings.ContainsFunc(credential, isForeign):
		return nil, gateway.Because(gateway.CodeMalformedCredential, ErrSyntax)
	case len(a.issuers) == 0 || strings.HasPrefix(credential, KeyPrefix):
		return nil, refuse(ErrUnknownKey)
	}
	return a.token(ctx, credential, r.Endpoint)
}

// find looks a digest up by its first eight bytes, which tell an attacker
// nothing about a key, and compares the whole in constant time.
func (a *Authenticator) find(sum [sha256.Size]byte) *gateway.Principal {
	for _, e := range a.keys[bucket(sum)] {
		if subtle.ConstantTimeCompare(e.sum[:], sum[:]) == 1 {
			return e.principal
		}
	}
	return nil
}

func bucket(sum [sha256.Size]byte) uint64 { return binary.BigEndian.Uint64(sum[:8]) }

// bearer splits "Bearer <token>"; the scheme is case-insensitive (RFC 9110 11.1).
func bearer(value string) (token string, ok bool) {
	scheme, token, ok := strings.Cut(value, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimLeft(token, " "), true
}

// isForeign says whether no bearer token has such a character (b64token of RFC 6750
// section 2.1).
func isForeign(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("-._~+/=", r)
}

// refuse makes a cause a refusal, unless it is one already.
func refuse(why error) error {
	var e *gateway.Error
	if errors.As(why, &e) {
		return e
	}
	return gateway.Because(gateway.CodeUnauthenticated, why)
}
