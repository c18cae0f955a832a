package failclosed

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/pack"
	"mcp-gateway/test/stage"
)

// depot is a service that serves a signed bundle, until it is broken.
type depot struct {
	url     string
	private []byte
	public  string // path of the key
	fault   atomic.Pointer[http.HandlerFunc]
	bundle  atomic.Pointer[[]byte]
	asked   atomic.Int32
}

// newDepot serves a policy under which everyone may call everything.
func newDepot(t *testing.T) *depot {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err1 := x509.MarshalPKCS8PrivateKey(key)
	public, err2 := x509.MarshalPKIXPublicKey(&key.PublicKey)
	d := &depot{private: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), public: filepath.Join(t.TempDir(), "policy.pem")}
	err3 := os.WriteFile(d.public, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), 0o600)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	first := d.pack(t, "allow if true", 1)
	d.bundle.Store(&first)
	front := httptest.NewServer(d)
	t.Cleanup(front.Close)
	d.url = front.URL + "/bundle.tar.gz"
	return d
}

func (d *depot) pack(t *testing.T, rule string, sequence int64) []byte {
	t.Helper()
	text := "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\n" + rule + "\n"
	raw, err := pack.Make(t.Context(), fstest.MapFS{"p.rego": {Data: []byte(text)}}, "p", pack.Build{Key: d.private, Sequence: sequence})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func (d *depot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.asked.Add(1)
	if fault := d.fault.Load(); fault != nil {
		(*fault)(w, r)
		return
	}
	_, _ = w.Write(*d.bundle.Load()) // the gateway may have gone
}

// settings name the depot as where policy comes from.
func (d *depot) settings() string {
	return fmt.Sprintf("policy: {timeout: 5s, bundle: {url: %q, key: %q, poll: {min: 1s, max: 1s}}}\n", d.url, "file:"+d.public)
}

// unmoved holds that the policy in force stays in force while its service is broken,
// and that a good bundle takes its place once it is not.
func unmoved(t *testing.T, fault http.HandlerFunc) {
	d := newDepot(t)
	g := open(t, d.settings())
	stage.Await(t, "the policy comes", func() bool { return g.alice.Call(t, reading, `{}`).Code() == "" })
	d.fault.Store(&fault)
	asked := d.asked.Load()
	stage.Await(t, "the service is asked", func() bool { return d.asked.Load() > asked })
	stage.Await(t, "the service is asked again", func() bool { return d.asked.Load() > asked+1 })
	g.served(t, reading, writing, healthy)
	next := d.pack(t, "allow if true\n\ndeny contains \"closed\" if true", 2)
	d.bundle.Store(&next)
	d.fault.Store(nil)
	stage.Await(t, "the next policy comes", func() bool { return g.alice.Call(t, reading, `{}`).Code() == string(gateway.CodeForbidden) })
}

func bundleCells() []cell {
	return []cell{
		{"absent at start", denies, "None has come and none was kept: the gateway is not ready, and denies all with `policy_unavailable`; one that was kept is taken again.", func(t *testing.T) {
			t.Parallel()
			d := newDepot(t)
			away := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
			d.fault.Store(&away)
			g := open(t, d.settings())
			g.denied(t, reading, `{}`, gateway.CodePolicyUnavailable)
			d.fault.Store(nil)
			stage.Await(t, "the policy comes", func() bool { return g.alice.Call(t, reading, `{}`).Code() == "" })
			d.fault.Store(&away)
			stage.Await(t, "it is kept", func() bool {
				kept, err := filepath.Glob(g.Path("var/policy/[^.]*"))
				return err == nil && len(kept) > 0
			})
			again := g.at(t, nil)
			if r := again.Call(t, reading, `{}`); r.Code() != "" {
				t.Errorf("by the policy that was kept: %s", r.Body)
			}
		}},
		{"fails while running", serves, "The policy in force stays in force; the log and `/status` say so.", func(t *testing.T) {
			t.Parallel()
			unmoved(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
		}},
		{"slow", serves, "The policy in force stays in force until another has come whole.", func(t *testing.T) {
			t.Parallel()
			d := newDepot(t)
			g := open(t, d.settings())
			stage.Await(t, "the policy comes", func() bool { return g.alice.Call(t, reading, `{}`).Code() == "" })
			still := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			d.fault.Store(&still)
			asked := d.asked.Load()
			stage.Await(t, "the service is asked again", func() bool { return d.asked.Load() > asked })
			g.served(t, reading, writing, healthy)
		}},
		{"wrong data", serves, "A bundle that is none, unsigned, altered, of foreign roots, or older than the one in force is refused, with an event; the policy in force stays.", func(t *testing.T) {
			t.Parallel()
			t.Run("no bundle", func(t *testing.T) {
				unmoved(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<h1>Sign in</h1>") })
			})
			t.Run("of another signer", func(t *testing.T) {
				other := newDepot(t).pack(t, "allow if true\n\ndeny contains \"theirs\" if true", 9)
				unmoved(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(other) })
			})
		}},
		{"full", serves, "A body without end is cut off at its bound; the policy in force stays.", func(t *testing.T) {
			t.Parallel()
			unmoved(t, func(w http.ResponseWriter, r *http.Request) {
				for _, err := io.WriteString(w, "\x1f\x8b"); err == nil && r.Context().Err() == nil; {
					_, err = io.WriteString(w, strings.Repeat("x", 1<<20))
				}
			})
		}},
	}
}
