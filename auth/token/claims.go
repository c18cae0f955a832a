package token

import (
	"errors"
	"math"
	"strconv"
	"time"

	"mcp-gateway/protocol"
)

// Why claims are refused.
var (
	ErrClaim     = errors.New("token: a claim is of a wrong kind or too large")
	ErrExpired   = errors.New("token: expired")
	ErrNotYet    = errors.New("token: not valid yet")
	ErrNoExpiry  = errors.New("token: says not when it expires")
	ErrAudience  = errors.New("token: meant for another audience")
	ErrBound     = errors.New("token: bound to a key that its sender was not asked to prove")
	ErrNoSubject = errors.New("token: names no subject")
)

// Claims are the raw, strictly checked claims of a token, or the answer of an
// introspection endpoint, which has the same members (RFC 7662 section 2.2).
type Claims struct{ Raw []byte }

// Issuer returns the claim iss; "" if it is absent or no text.
func (c Claims) Issuer() string {
	s, _ := text(c.Raw, "iss")
	return s
}

// Type returns the member token_type of an introspection; "" if it is absent.
func (c Claims) Type() string {
	s, _ := text(c.Raw, "token_type")
	return s
}

// Audiences returns the claim aud: one text, or a list of them.
func (c Claims) Audiences() ([]string, error) {
	raw, ok := protocol.Member(c.Raw, "aud")
	if !ok {
		return nil, ErrAudience
	}
	return texts(raw, 64)
}

// Times judges exp, nbf and iat, with a tolerance for clocks that differ, and
// returns when the claims cease to hold, tolerance included.
func (c Claims) Times(now time.Time, skew time.Duration) (until time.Time, err error) {
	exp, has, err := c.instant("exp")
	switch {
	case err != nil:
		return until, err
	case !has:
		return until, ErrNoExpiry
	}
	if until = exp.Add(skew); !now.Before(until) {
		return until, ErrExpired
	}
	for _, name := range [...]string{"nbf", "iat"} {
		from, has, err := c.instant(name)
		if err != nil {
			return until, err
		}
		if has && now.Add(skew).Before(from) {
			return until, ErrNotYet
		}
	}
	return until, nil
}

// Bearer refuses claims that bind the token to a key (RFC 7800 cnf, as DPoP and
// mutual TLS do): here it was presented as a mere bearer token.
func (c Claims) Bearer() error {
	if _, bound := protocol.Member(c.Raw, "cnf"); bound {
		return ErrBound
	}
	return nil
}

// instant reads a NumericDate (RFC 7519 section 2): seconds, maybe fractional.
func (c Claims) instant(name string) (at time.Time, has bool, err error) {
	raw, has := protocol.Member(c.Raw, name)
	if !has {
		return at, false, nil
	}
	seconds, err := strconv.ParseFloat(string(raw), 64) // anything but a number fails
	if err != nil || protocol.Kind(raw) != '0' || math.Abs(seconds) > 1e11 {
		return at, false, ErrClaim
	}
	return time.Unix(int64(seconds), 0), true, nil
}

// maxText bounds one name that a claim gives, in bytes.
const maxText = 512

// texts reads one text or a list of at most limit of them.
func texts(raw []byte, limit int) ([]string, error) {
	if s, ok := protocol.Text(raw); ok {
		if len(s) > maxText {
			return nil, ErrClaim
		}
		return []string{s}, nil
	}
	if protocol.Kind(raw) != '[' {
		return nil, ErrClaim
	}
	var all []string
	for item := range protocol.Elements(raw) {
		s, ok := protocol.Text(item)
		if !ok || len(s) > maxText || len(all) == limit {
			return nil, ErrClaim
		}
		all = append(all, s)
	}
	return all, nil
}
