package failclosed

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jwt"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

const resource = "https://gw.example"

// mint is an issuer of tokens whose key set can be broken.
type mint struct {
	url   string
	key   jwk.Key
	fault atomic.Pointer[http.HandlerFunc] // in the place of its key set
	asked atomic.Int32
}

func newMint(t *testing.T) *mint {
	t.Helper()
	m := &mint{key: newKey(t, "first")}
	front := httptest.NewServer(m)
	t.Cleanup(front.Close)
	m.url = front.URL
	return m
}

func newKey(t *testing.T, id string) jwk.Key {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := jwk.Import(private)
	if err != nil {
		t.Fatal(err)
	}
	if err := key.Set(jwk.KeyIDKey, id); err != nil {
		t.Fatal(err)
	}
	return key
}

func (m *mint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.Contains(r.URL.Path, ".well-known") {
		_, _ = fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, m.url, m.url+"/keys")
		return
	}
	m.asked.Add(1)
	if fault := m.fault.Load(); fault != nil {
		(*fault)(w, r)
		return
	}
	public, err := m.key.PublicKey()
	if err != nil {
		panic(err)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{public}}) // the gateway may have gone
}

// breaks answers for the key set from now on as a handler does.
func (m *mint) breaks(h http.HandlerFunc) { m.fault.Store(&h) }

// token is one for alice, signed by a key.
func (m *mint) token(t *testing.T, key jwk.Key) string {
	t.Helper()
	now := time.Now()
	claims, err := jwt.NewBuilder().Issuer(m.url).Subject("alice").Audience([]string{resource + "/mcp"}).
		IssuedAt(now).Expiration(now.Add(time.Hour)).Claim("scope", "use").Build()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jwt.Sign(claims, jwt.WithKey(jwa.ES256(), key))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// trusting opens a gateway that trusts an issuer.
func trusting(t *testing.T, m *mint) *ground {
	t.Helper()
	done := stage.Result(stage.Text(`"done"`))
	peer := stage.NewPeer().Add(stage.Tool("read"), done)
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "up", peer)},
		Auth:      fmt.Sprintf("issuers: [{issuer: %q}]", m.url), Listen: fmt.Sprintf("url: %q", resource),
	})
	return &ground{Stage: s, alice: s.Host("alice"), peer: peer}
}

// turnedAway holds that a bearer of a token is not let in and nothing was sent,
// while who holds a key is served.
func (g *ground) turnedAway(t *testing.T, token string, status int) {
	t.Helper()
	g.peer.Calls()
	if r := stage.NewHost(g.URL, token).Ask(protocol.MethodToolsList, "").Send(t); r.Status != status || r.Result != nil {
		t.Errorf("a token is answered %d %s, want %d", r.Status, r.Body, status)
	}
	if sent := g.peer.Calls(); len(sent) > 0 {
		t.Errorf("it was sent: %+v", sent)
	}
	g.served(t, reading)
}

func (g *ground) letIn(t *testing.T, token string) {
	t.Helper()
	if r := stage.NewHost(g.URL, token).Call(t, reading, `{}`); r.Status != http.StatusOK || r.Code() != "" {
		t.Errorf("a good token is answered %d %s", r.Status, r.Body)
	}
}

// unasked holds what becomes of tokens while an issuer's key set is broken: nobody
// is let in by it who was not before.
func unasked(t *testing.T, fault http.HandlerFunc) {
	m := newMint(t)
	g := trusting(t, m)
	m.breaks(fault)
	g.turnedAway(t, m.token(t, m.key), http.StatusServiceUnavailable)
	if m.asked.Load() == 0 {
		t.Error("the issuer was not asked")
	}
}

func issuerCells() []cell {
	return []cell{
		{"absent at start", denies, "The gateway starts, and turns away that issuer's tokens with 503 and a time; keys and other issuers go on.", func(t *testing.T) {
			t.Parallel()
			m := newMint(t)
			token := m.token(t, m.key)
			m.url = "http://127.0.0.1:9"
			g := trusting(t, m)
			g.turnedAway(t, m.token(t, m.key), http.StatusServiceUnavailable)
			g.turnedAway(t, token, http.StatusUnauthorized) // of an issuer that nobody trusts
		}},
		{"fails while running", denies, "Tokens by the keys that are known go on until those are too old; one by another key waits for the issuer: 503.", func(t *testing.T) {
			t.Parallel()
			m := newMint(t)
			g := trusting(t, m)
			g.letIn(t, m.token(t, m.key))
			m.breaks(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
			g.letIn(t, m.token(t, m.key))
			if r := stage.NewHost(g.URL, m.token(t, newKey(t, "second"))).Ask(protocol.MethodToolsList, "").Send(t); r.Status != http.StatusUnauthorized && r.Status != http.StatusServiceUnavailable {
				t.Errorf("by a key that nobody knows: %d %s", r.Status, r.Body)
			}
			unasked(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
		}},
		{"slow", denies, "An issuer that does not answer in its time is not there: 503.", func(t *testing.T) {
			t.Parallel()
			unasked(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		}},
		{"wrong data", denies, "What is no key set, or another issuer's, is none.", func(t *testing.T) {
			t.Parallel()
			unasked(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<h1>Sign in</h1>") })
			m := newMint(t)
			g := trusting(t, m)
			g.turnedAway(t, m.token(t, newKey(t, "first")), http.StatusUnauthorized) // signed by somebody else
		}},
		{"full", denies, "A key set without end is cut off at its bound.", func(t *testing.T) {
			t.Parallel()
			unasked(t, func(w http.ResponseWriter, r *http.Request) {
				for _, err := io.WriteString(w, `{"keys":["`); err == nil && r.Context().Err() == nil; {
					_, err = io.WriteString(w, strings.Repeat("x", 64<<10))
				}
			})
		}},
	}
}
