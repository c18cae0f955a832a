package deliver_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"mcp-gateway/egress"
	"mcp-gateway/rego/deliver"
	"mcp-gateway/rego/pack"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
)

const head = "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\n"

// signer makes signed bundles.
type signer struct{ private, public []byte }

func newSigner(t *testing.T) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := x509.MarshalPKCS8PrivateKey(key)
	b, err2 := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return &signer{pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: a}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b})}
}

func (s *signer) pack(t *testing.T, rule string, sequence int64) []byte {
	t.Helper()
	raw, err := pack.Make(t.Context(), fstest.MapFS{"p.rego": {Data: []byte(head + rule + "\n")}}, "p", pack.Build{Key: s.private, Sequence: sequence})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// written packs without our checks, as any other tool may.
func (s *signer) written(t *testing.T, text string, roots ...string) []byte {
	t.Helper()
	return s.labelled(t, text, bundle.Manifest{Roots: &roots, Metadata: map[string]any{"sequence": 99}})
}

func (s *signer) labelled(t *testing.T, text string, manifest bundle.Manifest) []byte {
	t.Helper()
	m, err := ast.ParseModule("/p.rego", text)
	if err != nil {
		t.Fatal(err)
	}
	b := bundle.Bundle{
		Data: map[string]any{}, Manifest: manifest,
		Modules: []bundle.ModuleFile{{URL: "/p.rego", Path: "/p.rego", RelativePath: "/p.rego", Raw: []byte(text), Parsed: m}},
	}
	if err := b.GenerateSignature(bundle.NewSigningConfig(string(s.private), "ES256", ""), "gateway", true); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := bundle.NewWriter(&out).UseModulePath(true).DisableFormat(true).Write(b); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// changed replaces a text in the first file that holds it, and leaves the signature.
func changed(t *testing.T, raw []byte, old, text string) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	in, to := tar.NewReader(z), tar.NewWriter(zip)
	for {
		h, err := in.Next()
		if err != nil {
			break
		}
		var body bytes.Buffer
		if _, err := body.ReadFrom(in); err != nil {
			t.Fatal(err)
		}
		next := []byte(strings.Replace(body.String(), old, text, 1))
		h.Size = int64(len(next))
		if err := to.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(next); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(to.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// bomb is small and unpacks to more than is taken: one file of a megabyte, again and
// again.
func bomb(t *testing.T) []byte {
	t.Helper()
	var one bytes.Buffer
	zip := gzip.NewWriter(&one)
	to := tar.NewWriter(zip)
	zeros := make([]byte, 1<<20)
	if err := to.WriteHeader(&tar.Header{Name: "/a.rego", Mode: 0o600, Size: int64(len(zeros))}); err != nil {
		t.Fatal(err)
	}
	_, err := to.Write(zeros)
	if err := errors.Join(err, to.Flush(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return bytes.Repeat(one.Bytes(), 65)
}

// service serves what it was given last, with an ETag.
type service struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	body   []byte
	tag    string
	seen   []*http.Request
}

func serve(t *testing.T) *service {
	s := &service{status: http.StatusNotFound}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, r.Clone(context.WithoutCancel(r.Context())))
	if s.tag != "" {
		w.Header().Set("ETag", s.tag)
		if r.Header.Get("If-None-Match") == s.tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(s.status)
	_, _ = w.Write(s.body)
}

func (s *service) offer(status int, tag string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.tag, s.body = status, tag, body
}

// followed is a set of one that is followed, and what it tells.
type followed struct {
	*deliver.Set
	adopted       chan *pack.Bundle
	refused, away chan error
}

// name is that of the bundle where there is one.
const name = "policy"

func (f *followed) status() deliver.Status { return f.Status()[name] }

func (s *service) options(key []byte, keep string) deliver.Options {
	return deliver.Options{
		Name: name, URL: s.URL + "/policy.tar.gz?stage=live", HTTP: egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}}),
		Bearer: "canary", Trust: pack.Trust{Key: key}, Poll: deliver.Poll{Min: time.Hour, Max: 2 * time.Hour}, Keep: keep,
	}
}

// plan returns what a set serves by at its start, in force.
func plan(t *testing.T, set *deliver.Set) (*deliver.Joined, error) {
	t.Helper()
	next, err := set.Plan(t.Context())
	var lost error
	for _, l := range next.Lost {
		lost = errors.Join(lost, fmt.Errorf("%s: %w", l.Name, l.Err))
	}
	if err != nil || next.Joined == nil {
		return nil, errors.Join(err, lost)
	}
	if err := set.Take(next.Joined); err != nil {
		t.Fatal(err)
	}
	return next.Joined, lost
}

// follow follows what was planned before, if it was.
func follow(t *testing.T, set *deliver.Set) *followed {
	t.Helper()
	f := &followed{Set: set, adopted: make(chan *pack.Bundle), refused: make(chan error), away: make(chan error)}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	tell := func(c chan error) func(string, error) {
		return func(_ string, err error) {
			select {
			case c <- err:
			case <-ctx.Done():
			}
		}
	}
	go func() {
		done <- f.Follow(ctx, deliver.Follower{Refused: tell(f.refused), Away: tell(f.away), Asked: func() {},
			Adopt: func(_ context.Context, j *deliver.Joined) error {
				if !set.Fits(j) {
					return deliver.ErrStale
				}
				err := set.Take(j)
				for _, b := range j.Members {
					select {
					case f.adopted <- b:
					case <-ctx.Done():
					}
				}
				return err
			}})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestFollow(t *testing.T) {
	key, other := newSigner(t), newSigner(t)
	s, keep := serve(t), filepath.Join(t.TempDir(), "policy")
	first := key.pack(t, "allow if input.subject.id == \"a\"", 5)
	second := key.pack(t, "allow if input.subject.id == \"b\"", 6)

	f := follow(t, deliver.New(s.options(key.public, keep)))
	if err := <-f.away; !slices.Equal(deliver.Codes(err), []string{deliver.CodeService}) {
		t.Errorf("a service without a bundle: %v", err)
	}
	if st := f.status(); !st.Away || st.From != "" || f.Current() != nil {
		t.Errorf("before any came: %+v", st)
	}
	s.offer(http.StatusOK, `"1"`, first)
	f.Ask()
	if b := <-f.adopted; b.Sequence != 5 {
		t.Fatalf("sequence %d", b.Sequence)
	}
	s.offer(http.StatusOK, `"2"`, second)
	f.Ask()
	<-f.adopted
	rotated := second

	for _, c := range []struct {
		name string
		raw  []byte
		code string
	}{
		{"tampered", changed(t, second, `"b"`, `"c"`), pack.CodeTampered},
		{"another key", other.pack(t, "allow if true", 7), pack.CodeTampered},
		{"truncated", second[:len(second)-9], pack.CodeUnreadable},
		{"no archive", []byte("<html>"), pack.CodeUnreadable},
		{"a bomb", bomb(t), pack.CodeUnreadable},
		{"unsigned", (&signer{}).pack(t, "allow if true", 7), pack.CodeUnsigned},
		{"rolled back", first, pack.CodeRolledBack},
		{"foreign roots", key.written(t, head+"allow if true\n", "mcp", "system"), pack.CodeForeign},
		{"another root", key.written(t, "package other\n\nallow if true\n", "other"), "policy_entry_missing"},
		{"a mistyped field", key.written(t, head+"allow if input.subject.properties.tennant == \"x\"\n", ""), "rego_type_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.offer(http.StatusOK, `"`+c.name+`"`, c.raw)
			f.Ask()
			if err := <-f.refused; !slices.Equal(deliver.Codes(err), []string{c.code}) {
				t.Errorf("%v, want %s", err, c.code)
			}
			if st := f.status(); st.Sequence != 6 || !slices.Equal(st.Refused, []string{c.code}) || st.Away {
				t.Errorf("what is in force: %+v", st)
			}
			if raw, err := os.ReadFile(f.Places()[0]); err != nil || !bytes.Equal(raw, rotated) {
				t.Errorf("what is kept is another: %v", err)
			}
		})
	}

	s.offer(http.StatusFound, "", nil)
	f.Ask()
	<-f.away // a redirect is not followed
	third := key.pack(t, "allow if input.subject.id == \"d\"", 7)
	s.offer(http.StatusOK, `"3"`, third)
	f.Ask()
	<-f.adopted
	s.offer(http.StatusInternalServerError, "", nil)
	f.Ask()
	<-f.away
	if st := f.status(); st.Sequence != 7 || st.Refused != nil || !st.Away || st.From != deliver.Service {
		t.Errorf("mended: %+v", st)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.seen {
		if r.Header.Get("Authorization") != "Bearer canary" || r.URL.RequestURI() != "/policy.tar.gz?stage=live" || r.Header.Get("Prefer") != "modes=snapshot" {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
	}
}

// What was taken serves the next start, without the service; what was changed on
// disk since does not.
func TestRecall(t *testing.T) {
	key := newSigner(t)
	s, keep := serve(t), filepath.Join(t.TempDir(), "policy")
	o := s.options(key.public, keep)
	if j, err := plan(t, deliver.New(o)); j != nil || err != nil {
		t.Fatalf("nothing was ever kept: %v %v", j, err)
	}
	s.offer(http.StatusOK, "", key.pack(t, "allow if input.subject.id == \"a\"", 5))
	f := follow(t, deliver.New(o))
	taken := <-f.adopted
	s.offer(http.StatusInternalServerError, "", nil)
	f.Ask()
	<-f.away // by now it is kept

	next := deliver.New(o)
	j, err := plan(t, next)
	if err != nil || j.Members[name].Revision != taken.Revision || j.Policy.Revision != taken.Revision || next.Status()[name].From != deliver.Kept {
		t.Fatalf("%v %+v", err, next.Status())
	}
	if err := os.WriteFile(next.Places()[0], changed(t, taken.Raw, `"a"`, `"b"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if j, err := plan(t, deliver.New(o)); j != nil || !slices.Equal(deliver.Codes(err), []string{pack.CodeTampered}) {
		t.Errorf("changed on disk: %v %v", j, err)
	}
	names, err := os.ReadDir(keep)
	if err != nil || len(names) != 1 {
		t.Errorf("%v %v: want one file", names, err)
	}
}

// A service inside the gateway's network is reached only where its address is
// written, and by no name that leads there.
func TestGuarded(t *testing.T) {
	key, s := newSigner(t), serve(t)
	s.offer(http.StatusOK, "", key.pack(t, "allow if true", 1))
	o := s.options(key.public, t.TempDir())
	o.HTTP = egress.NewClient(egress.Options{})
	f := follow(t, deliver.New(o))
	<-f.away
	if len(s.seen) > 0 {
		t.Error("the service was reached")
	}
}

func TestFile(t *testing.T) {
	key, dir := newSigner(t), t.TempDir()
	path := filepath.Join(dir, "p.tar.gz")
	s := deliver.New(deliver.Options{Name: name, File: path, Trust: pack.Trust{Key: key.public}, Keep: filepath.Join(dir, "kept")})
	put := func(raw []byte) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := plan(t, s); !slices.Equal(deliver.Codes(err), []string{pack.CodeUnreadable}) {
		t.Errorf("no file: %v", err)
	}
	put(key.pack(t, "allow if input.subject.id == \"a\"", 5))
	if next, err := s.Plan(t.Context()); err != nil || next.Joined == nil || s.Current() != nil {
		t.Fatalf("in force before it was said: %v %v", next.Joined, err)
	}
	j, err := plan(t, s)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := plan(t, s); again != j || err != nil {
		t.Errorf("the same file is another bundle: %v", err)
	}
	put(key.pack(t, "allow if true", 4))
	if _, err := plan(t, s); !slices.Equal(deliver.Codes(err), []string{pack.CodeRolledBack}) {
		t.Errorf("rolled back: %v", err)
	}
	if st := s.Status()[name]; st.From != deliver.File || st.Sequence != 5 || !slices.Equal(st.Refused, []string{pack.CodeRolledBack}) {
		t.Errorf("%+v", st)
	}
	put(key.written(t, head+"allow if input.tenant == 1\n", ""))
	if _, err := plan(t, s); !slices.Equal(deliver.Codes(err), []string{"rego_type_error"}) || s.Current() != j {
		t.Errorf("a policy that does not pass: %v", err)
	}
}
