package token

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"
)

func made(header, claims string) string {
	e := base64.RawURLEncoding
	return e.EncodeToString([]byte(header)) + "." + e.EncodeToString([]byte(claims)) + ".c2ln"
}

// TestParse holds what is a JWT at all; what becomes of whole tokens is tested in
// package auth.
func TestParse(t *testing.T) {
	for name, tt := range map[string]struct {
		raw  string
		want error
	}{
		"plain":                {made(`{"alg":"ES256"}`, `{}`), nil},
		"kid that is a number": {made(`{"alg":"ES256","kid":1}`, `{}`), ErrJSON},
		"alg that is a number": {made(`{"alg":1}`, `{}`), ErrAlgorithm},
		"claims that are null": {made(`{"alg":"ES256"}`, `null`), ErrJSON},
		"claims twice":         {made(`{"alg":"ES256"}`, `{}{}`), ErrJSON},
		"typ that is a number": {made(`{"alg":"ES256","typ":1}`, `{}`), ErrType},
		"header that is none":  {made(`[]`, `{}`), ErrNotJWT},
		"unencoded payload":    {made(`{"alg":"ES256","b64":false}`, `{}`), ErrCritical},
		"too long":             {strings.Repeat("a", MaxLength+1), ErrTooLong},
		"empty":                {"", ErrNotJWT},
	} {
		if _, err := Parse(tt.raw); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

// TestMapping holds where a principal is looked for.
func TestMapping(t *testing.T) {
	claims := Claims{[]byte(`{"sub":"a","org":{"id":"t"},"azp":"c","realm_access":{"roles":["r","q"]},"scp":["x"],"groups":["g"]}`)}
	m := DefaultMapping()
	m.Tenant, m.Groups = "/org/id", "/realm_access/roles"
	p, err := m.Principal(claims, "https://id.example")
	if err != nil || p.ID() != "https://id.example|a|t|c|" || strings.Join(p.Groups, " ") != "q r" || strings.Join(p.Scopes, " ") != "x" {
		t.Errorf("%+v %v", p, err)
	}
	m.Tenant = "/tid"
	if p, err := m.Principal(claims, "i"); !errors.Is(err, ErrClaim) {
		t.Errorf("without the tenant that is mapped: %+v %v", p, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(made(`{"alg":"ES256","kid":"k","typ":"at+jwt"}`, `{"sub":"a","aud":["b"],"exp":1e9,"scope":"x y"}`))
	f.Add(made(`{"alg":"none"}`, `{"sub":{"a":[{}]},"exp":-1,"aud":""}`))
	f.Add("a.b.c")
	m := DefaultMapping()
	f.Fuzz(func(t *testing.T, raw string) {
		parsed, err := Parse(raw)
		if err != nil {
			return
		}
		if parsed.Algorithm == "" {
			t.Fatal("no algorithm, and no error")
		}
		_, _ = parsed.Claims.Audiences()
		until, err := parsed.Claims.Times(time.Unix(1e9, 0), time.Minute)
		if err == nil && !until.After(time.Unix(1e9, 0)) {
			t.Fatalf("good until %v, which is over", until)
		}
		if p, err := m.Principal(parsed.Claims, "i"); err == nil && (p.Subject == "" || p.Issuer != "i") {
			t.Fatalf("%+v", p)
		}
	})
}
