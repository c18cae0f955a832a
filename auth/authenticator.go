package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"mcp-gateway/gateway"
)

// Why a request has no principal. All of them travel as CodeUnauthenticated;
// the cause is for the operator alone.
var (
	ErrNoCredential = errors.New("auth: no Authorization header")
	ErrRepeated     = errors.New("auth: more than one Authorization header")
	ErrScheme       = errors.New("auth: not a Bearer credential")
	ErrUnknownKey   = errors.New("auth: no such API key")
)

// ErrDuplicateKey says that two Keys of the Options have the same digest.
var ErrDuplicateKey = errors.New("auth: two API keys share one sha256")

// Options says who may come in.
type Options struct {
	Keys []Key
	// Anonymous is who a request without any Authorization header is; nil, the
	// rule, refuses it. Whoever sets it listens on loopback only.
	Anonymous *gateway.Principal
}

// Authenticator identifies the senders of requests. It is immutable and safe
// for concurrent use.
type Authenticator struct {
	keys      map[uint64][]keyEntry
	anonymous *gateway.Principal
}

type keyEntry struct {
	sum       [sha256.Size]byte
	principal *gateway.Principal
}

// New checks the keys and returns their Authenticator.
func New(o Options) (*Authenticator, error) {
	a := &Authenticator{keys: make(map[uint64][]keyEntry, len(o.Keys))}
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

// Identify returns the principal whose API key the Authorization header
// carries: RFC 6750 section 2.1, exactly one header. No other header, such as
// X-Forwarded-User, says anything. The Principal is shared between requests
// and must not be changed. Every error is a *gateway.Error with
// CodeUnauthenticated.
//
// A wrong credential is refused even where anonymous requests are let in: the
// sender meant to be somebody.
func (a *Authenticator) Identify(h http.Header) (*gateway.Principal, error) {
	values := h["Authorization"]
	switch {
	case len(values) > 1:
		return nil, refuse(ErrRepeated)
	case len(values) == 0 && a.anonymous != nil:
		return a.anonymous, nil
	case len(values) == 0:
		return nil, refuse(ErrNoCredential)
	}
	key, ok := bearer(values[0])
	if !ok {
		return nil, refuse(ErrScheme)
	}
	if len(key) != keyLen || !strings.HasPrefix(key, KeyPrefix) {
		return nil, refuse(ErrUnknownKey)
	}
	if p := a.find(sha256.Sum256([]byte(key))); p != nil {
		return p, nil
	}
	return nil, refuse(ErrUnknownKey)
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

func refuse(why error) error { return gateway.Because(gateway.CodeUnauthenticated, why) }
