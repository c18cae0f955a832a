package auth

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jws"

	"mcp-gateway/auth/issuer"
	"mcp-gateway/auth/token"
)

// authority is an authorization server that does as a test says. What a real one
// does is tested in test/oauth.
type authority struct {
	t      testing.TB
	server *httptest.Server
	url    string

	mu     sync.Mutex
	keys   map[string]any // private, by kid
	hidden map[string]bool
	jwks   string // where its metadata say that its keys are; "" = where they are
	down   bool
	known  map[string]string // opaque tokens: what introspection says
	now    time.Time

	metadata, sets, asked atomic.Int64
}

const here = "https://gw.example"

func newAuthority(t testing.TB) *authority {
	t.Helper()
	s := &authority{t: t, keys: map[string]any{}, hidden: map[string]bool{}, known: map[string]string{}, now: time.Unix(1_800_000_000, 0)}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	s.url = s.server.URL
	s.keys["ec"] = ecKey(t)
	return s
}

func ecKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func p384Key(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func rsaKey(t testing.TB, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (s *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		s.metadata.Add(1)
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, s.url, cmp.Or(s.jwks, s.url+"/keys"))
	case "/keys":
		s.sets.Add(1)
		_, _ = w.Write(s.set())
	case "/introspect":
		s.asked.Add(1)
		if id, secret, _ := r.BasicAuth(); id != "gateway" || secret != "it" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		said, ok := s.known[r.PostFormValue("token")]
		if !ok {
			said = `{"active":false}`
		}
		_, _ = w.Write([]byte(said))
	default:
		http.NotFound(w, r)
	}
}

// set is the JWK set. The lock is held.
func (s *authority) set() []byte {
	set := jwk.NewSet()
	for kid, private := range s.keys {
		if s.hidden[kid] {
			continue
		}
		key, err := jwk.PublicKeyOf(private)
		if err == nil {
			err = key.Set(jwk.KeyIDKey, kid)
		}
		if err == nil {
			err = set.AddKey(key)
		}
		if err != nil {
			s.t.Error(err)
		}
	}
	text, err := json.Marshal(set)
	if err != nil {
		s.t.Error(err)
	}
	return text
}

// do changes the authority.
func (s *authority) do(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *authority) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// claims are those of a good token for /mcp, changed as a test wants; a nil value
// removes one.
func (s *authority) claims(changes map[string]any) map[string]any {
	now := s.clock().Unix()
	all := map[string]any{
		"iss": s.url, "sub": "alice", "aud": here + "/mcp", "exp": now + 600, "iat": now, "nbf": now,
		"client_id": "desk", "scope": "files:read use",
	}
	for name, value := range changes {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	return all
}

// sign makes a token with further headers.
func (s *authority) sign(kid, alg string, header, claims map[string]any) string {
	s.t.Helper()
	s.mu.Lock()
	key := s.keys[kid]
	s.mu.Unlock()
	return forge(s.t, key, kid, alg, header, claims)
}

// forge signs whatever a test wants by whatever key.
func forge(t testing.TB, key any, kid, alg string, header, claims map[string]any) string {
	t.Helper()
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	h := jws.NewHeaders()
	for name, value := range header {
		if err := h.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if _, given := header["kid"]; !given && kid != "" {
		_ = h.Set("kid", kid)
	}
	algorithm, ok := jwa.LookupSignatureAlgorithm(alg)
	if !ok {
		t.Fatalf("no algorithm %s", alg)
	}
	signed, err := jws.Sign(payload, jws.WithKey(algorithm, key, jws.WithProtectedHeaders(h)))
	if err != nil {
		t.Fatal(err)
	}
	return string(signed)
}

// good is a token that is accepted at /mcp.
func (s *authority) good() string {
	return s.sign("ec", "ES256", map[string]any{"typ": "at+jwt"}, s.claims(nil))
}

// unsigned makes a token of a raw header and raw claims.
func unsigned(header, claims, signature string) string {
	return encode(header) + "." + encode(claims) + "." + signature
}

func encode(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// trustIn returns an authenticator that trusts the authority, on changed terms.
func (s *authority) trustIn(change func(*Options, *Issuer)) *Authenticator {
	s.t.Helper()
	key, sum := NewKey()
	_ = key
	o := Options{URL: here, Clock: s.clock, Keys: []Key{{SHA256: sum}}, Scopes: []string{"files:read"}}
	i := Issuer{URL: s.url, Algorithms: []string{"ES256", "RS256"}, Skew: 30 * time.Second, Mapping: token.DefaultMapping()}
	if change != nil {
		change(&o, &i)
	}
	o.Issuers = append(o.Issuers, i)
	a, err := New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// introspecting lets the issuer be asked.
func (s *authority) introspecting(all bool) func(*Options, *Issuer) {
	return func(_ *Options, i *Issuer) {
		i.Introspect = &Introspection{
			URL: s.url + "/introspect", All: all, Cache: time.Minute,
			Client: issuer.Client{ID: "gateway", Method: issuer.Basic, Secret: "it"},
		}
	}
}

// says lets the authority stand by an opaque token.
func (s *authority) says(opaque string, changes map[string]any) {
	claims := s.claims(changes)
	claims["active"] = true
	text, err := json.Marshal(claims)
	if err != nil {
		s.t.Fatal(err)
	}
	s.do(func() { s.known[opaque] = string(text) })
}

// with is a request that carries a token.
func with(raw string) Request {
	return Request{Header: http.Header{"Authorization": {"Bearer " + raw}}}
}

// nested is a value so deep.
func nested(depth int) any {
	var v any = "x"
	for range depth {
		v = map[string]any{"a": v}
	}
	return v
}

func long(n int) string { return strings.Repeat("x", n) }
