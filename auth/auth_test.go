package auth

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"mcp-gateway/gateway"
)

// oneKey returns an Authenticator that knows one key, and that key.
func oneKey(t testing.TB, anonymous *gateway.Principal) (*Authenticator, string) {
	t.Helper()
	key, sum := NewKey()
	a, err := New(Options{
		Keys:      []Key{{SHA256: sum, Principal: gateway.Principal{Subject: "ci", Tenant: "platform", Scopes: []string{"service:read"}}}},
		Anonymous: anonymous,
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, key
}

func TestIdentify(t *testing.T) {
	a, key := oneKey(t, nil)
	other, _ := NewKey()
	last := byte('A')
	if key[len(key)-1] == last {
		last = 'E'
	}
	tests := []struct {
		name   string
		values []string
		want   error
	}{
		{"the key", []string{"Bearer " + key}, nil},
		{"scheme in lower case", []string{"bearer " + key}, nil},
		{"two spaces", []string{"Bearer  " + key}, nil},
		{"none", nil, ErrNoCredential},
		{"empty", []string{""}, ErrScheme},
		{"repeated", []string{"Bearer " + key, "Bearer " + key}, ErrRepeated},
		{"joined", []string{"Bearer " + key + ", Bearer " + key}, ErrSyntax},
		{"basic", []string{"Basic " + key}, ErrScheme},
		{"bare key", []string{key}, ErrScheme},
		{"scheme only", []string{"Bearer "}, ErrUnknownKey},
		{"another key", []string{"Bearer " + other}, ErrUnknownKey},
		{"last digit differs", []string{"Bearer " + key[:len(key)-1] + string(last)}, ErrUnknownKey},
		{"key in upper case", []string{"Bearer " + strings.ToUpper(key)}, ErrUnknownKey},
		{"trailing space", []string{"Bearer " + key + " "}, ErrSyntax},
		{"the digest instead of the key", []string{"Bearer " + strings.Repeat("0", 64)}, ErrUnknownKey},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{}
			for _, v := range tt.values {
				h.Add("authorization", v)
			}
			p, err := a.Identify(t.Context(), Request{Header: h})
			if !errors.Is(err, tt.want) {
				t.Fatalf("err = %v, want %v", err, tt.want)
			}
			if tt.want == nil {
				if p.Subject != "ci" || p.Method != gateway.AuthAPIKey {
					t.Errorf("principal = %+v", p)
				}
				return
			}
			var ge *gateway.Error
			want := gateway.CodeUnauthenticated
			if len(tt.values) > 1 || tt.want == ErrSyntax {
				want = gateway.CodeMalformedCredential
			}
			if !errors.As(err, &ge) || ge.Code != want || p != nil {
				t.Errorf("p = %v, err = %#v", p, err)
			}
		})
	}
}

func TestIdentityHeadersSayNothing(t *testing.T) {
	a, _ := oneKey(t, nil)
	h := http.Header{}
	for _, name := range []string{"X-Forwarded-User", "X-Remote-User", "X-Auth-Request-Email", "Proxy-Authorization", "Cookie"} {
		h.Set(name, "ci")
	}
	if p, err := a.Identify(t.Context(), Request{Header: h}); !errors.Is(err, ErrNoCredential) {
		t.Fatalf("p = %v, err = %v", p, err)
	}
}

func TestAnonymous(t *testing.T) {
	a, key := oneKey(t, &gateway.Principal{Subject: "anonymous", Scopes: []string{"service:read"}})
	p, err := a.Identify(t.Context(), Request{Header: http.Header{}})
	if err != nil || p.Method != gateway.AuthAnonymous {
		t.Fatalf("p = %+v, err = %v", p, err)
	}
	if p, err = a.Identify(t.Context(), Request{Header: http.Header{"Authorization": {"Bearer " + key}}}); err != nil || p.Subject != "ci" {
		t.Errorf("with the key: p = %+v, err = %v", p, err)
	}
	if _, err = a.Identify(t.Context(), Request{Header: http.Header{"Authorization": {"Bearer nonsense"}}}); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("with a wrong key: err = %v", err)
	}
}

func TestNewRefusesBadKeys(t *testing.T) {
	_, sum := NewKey()
	for name, tt := range map[string]struct {
		keys []Key
		want error
	}{
		"short":     {[]Key{{SHA256: sum[1:]}}, ErrKeyDigest},
		"no hex":    {[]Key{{SHA256: "g" + sum[1:]}}, ErrKeyDigest},
		"duplicate": {[]Key{{SHA256: sum}, {SHA256: strings.ToUpper(sum)}}, ErrDuplicateKey},
	} {
		if _, err := New(Options{Keys: tt.keys}); !errors.Is(err, tt.want) {
			t.Errorf("%s: err = %v, want %v", name, err, tt.want)
		}
	}
}

// TestSharedBucket holds that two digests with equal first bytes are told apart.
func TestSharedBucket(t *testing.T) {
	a := strings.Repeat("ab", 32)
	b := strings.Repeat("ab", 31) + "cd"
	auth, err := New(Options{Keys: []Key{
		{SHA256: a, Principal: gateway.Principal{Subject: "a"}},
		{SHA256: b, Principal: gateway.Principal{Subject: "b"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for hex, want := range map[string]string{a: "a", b: "b"} {
		sum, _ := ParseDigest(hex)
		if p := auth.find(sum); p == nil || p.Subject != want {
			t.Errorf("find(%s) = %v", hex, p)
		}
	}
}

func TestNewKey(t *testing.T) {
	k1, s1 := NewKey()
	k2, s2 := NewKey()
	if k1 == k2 || s1 == s2 || len(k1) != keyLen || !strings.HasPrefix(k1, KeyPrefix) || len(s1) != 64 {
		t.Errorf("keys %q %q, digests %q %q", k1, k2, s1, s2)
	}
}

func TestChallengeWithoutIssuers(t *testing.T) {
	a, _ := oneKey(t, nil)
	wrong := gateway.Fail(gateway.CodeUnauthenticated)
	if got := a.Challenge(Request{Header: http.Header{}}, wrong); got != `Bearer realm="mcp-gateway"` {
		t.Errorf("without credentials: %s", got)
	}
	got := a.Challenge(Request{Header: http.Header{"Authorization": {"Bearer secret"}}}, wrong)
	if !strings.Contains(got, `error="invalid_token"`) || strings.Contains(got, "secret") || strings.Contains(got, "metadata") {
		t.Errorf("with a wrong one: %s", got)
	}
	if got := a.Challenge(Request{}, gateway.Fail(gateway.CodeForbidden)); got != "" {
		t.Errorf("of what bears none: %s", got)
	}
	if a.Metadata("") != nil {
		t.Error("metadata without an issuer")
	}
}

func FuzzIdentify(f *testing.F) {
	a, key := oneKey(f, nil)
	for _, s := range []string{"", "Bearer", "Bearer ", "bearer  x", "Basic Og==", "Bearer mcpgw_", "Bearer \x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		p, err := a.Identify(t.Context(), Request{Header: http.Header{"Authorization": {value}}})
		if (p == nil) == (err == nil) {
			t.Fatalf("p = %v, err = %v", p, err)
		}
		if p != nil && !strings.HasSuffix(value, key) {
			t.Fatalf("%q was let in", value)
		}
	})
}

func BenchmarkIdentify(b *testing.B) {
	a, key := oneKey(b, nil)
	h := http.Header{"Authorization": {"Bearer " + key}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Identify(b.Context(), Request{Header: h}); err != nil {
			b.Fatal(err)
		}
	}
}
