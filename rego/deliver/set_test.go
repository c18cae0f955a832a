package deliver_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-gateway/egress"
	"mcp-gateway/rego/deliver"
	"mcp-gateway/rego/pack"

	"github.com/open-policy-agent/opa/v1/bundle"
)

// part makes a bundle of one root, of which no sequence is said.
func (s *signer) part(t *testing.T, root, label, text string) []byte {
	t.Helper()
	return s.labelled(t, text, bundle.Manifest{Revision: label, Roots: &[]string{root}})
}

// pair is a policy of two bundles: rules, and the facts that they look at.
func pair(rules, facts *service, key []byte, keep string) *deliver.Set {
	a, b := rules.options(key, keep), facts.options(key, keep)
	a.Name, b.Name = "rules", "facts"
	return deliver.New(a, b)
}

const rulesRoot, factsRoot = "mcp/gateway", "facts"

func rulesText(fact string) string {
	return head + "allow if data.facts." + fact + "(input.subject.id)\n"
}

func factsText(fact string) string {
	return "package facts\n\n" + fact + "(id) if id in {\"a\"}\n"
}

func TestSeveralBundles(t *testing.T) {
	key, keep := newSigner(t), filepath.Join(t.TempDir(), "policy")
	rules, facts := serve(t), serve(t)
	rules.offer(http.StatusOK, "", key.part(t, rulesRoot, "r1", rulesText("known")))
	f := follow(t, pair(rules, facts, key.public, keep))
	<-f.away // of the facts
	await(t, "the rules wait", func() bool { return f.Status()["rules"].Waits })
	if f.Current() != nil {
		t.Fatal("in force without the facts")
	}
	facts.offer(http.StatusOK, "", key.part(t, factsRoot, "f1", factsText("known")))
	f.Ask()
	taken := func() map[string]string {
		<-f.adopted
		<-f.adopted
		out := map[string]string{}
		for name, st := range f.Status() {
			out[name] = st.Label
		}
		return out
	}
	if got := taken(); got["rules"] != "r1" || got["facts"] != "f1" {
		t.Fatalf("in force: %v", got)
	}
	first := f.Current()

	for _, c := range []struct {
		name, code string
		raw        []byte
	}{
		{"what the other holds", pack.CodeRoots, key.part(t, "mcp", "x", strings.Replace(factsText("known"), "facts", "mcp.facts", 1))},
		{"everything", pack.CodeRoots, key.part(t, "", "x", factsText("known"))},
		{"below what the other holds", pack.CodeRoots, key.part(t, "mcp/gateway/more", "x", strings.Replace(factsText("known"), "facts", "mcp.gateway.more", 1))},
		{"outside its own root", pack.CodeUnreadable, key.part(t, factsRoot, "x", "package other\n\nknown(id) if id == 1\n")},
		{"changed since", pack.CodeTampered, changed(t, key.part(t, factsRoot, "x", factsText("known")), `"a"`, `"b"`)},
		{"another's signature", pack.CodeTampered, newSigner(t).part(t, factsRoot, "x", factsText("known"))},
		{"facts that the rules do not know", "policy_unresolved", key.part(t, factsRoot, "f2", factsText("met"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			facts.offer(http.StatusOK, "", c.raw)
			f.Ask()
			if err := <-f.refused; !slices.Equal(deliver.Codes(err), []string{c.code}) {
				t.Errorf("%v, want %s", err, c.code)
			}
			if f.Current() != first {
				t.Error("another policy is in force")
			}
		})
	}

	// Rules for the facts that were refused alone: now both fit.
	rules.offer(http.StatusOK, "", key.part(t, rulesRoot, "r2", rulesText("met")))
	f.Ask()
	if got := taken(); got["rules"] != "r2" || got["facts"] != "f2" {
		t.Fatalf("in force: %v, want both new ones", got)
	}
	if st := f.Status()["facts"]; st.Code() != "" || st.Revision == first.Members["facts"].Revision {
		t.Errorf("the facts: %+v", st)
	}

	// The next start serves by both, without a service.
	j, err := plan(t, pair(rules, facts, key.public, keep))
	if err != nil || j.Policy.Revision != f.Current().Policy.Revision || j.Policy.Revision == first.Policy.Revision {
		t.Fatalf("kept: %v", err)
	}
}

// A bundle that says no sequence does not come back once it was replaced, in whatever
// archive, nor after a start; the same rules signed anew under another revision do.
func TestReplacedForGood(t *testing.T) {
	key, keep := newSigner(t), filepath.Join(t.TempDir(), "policy")
	s := serve(t)
	open, shut := head+"allow if true\n", head+"allow if false\n\ndeny contains \"shut\" if true\n"
	first := key.labelled(t, open, bundle.Manifest{Revision: "1"})
	s.offer(http.StatusOK, "", first)
	f := follow(t, deliver.New(s.options(key.public, keep)))
	<-f.adopted
	s.offer(http.StatusOK, "", key.labelled(t, shut, bundle.Manifest{Revision: "2"}))
	f.Ask()
	<-f.adopted
	for name, raw := range map[string][]byte{"as it was": first, "in another archive": rewrapped(t, first)} {
		s.offer(http.StatusOK, "", raw)
		f.Ask()
		if err := <-f.refused; !slices.Equal(deliver.Codes(err), []string{pack.CodeRolledBack}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.offer(http.StatusNotFound, "", nil)
	f.Ask()
	<-f.away // all is kept

	again := deliver.New(s.options(key.public, keep))
	if j, err := plan(t, again); err != nil || j.Members[name].Label != "2" {
		t.Fatalf("after a start: %v", err)
	}
	s.offer(http.StatusOK, "", first)
	g := follow(t, again)
	if err := <-g.refused; !slices.Equal(deliver.Codes(err), []string{pack.CodeRolledBack}) {
		t.Errorf("after a start: %v", err)
	}
	s.offer(http.StatusOK, "", key.labelled(t, open, bundle.Manifest{Revision: "3"}))
	g.Ask()
	if b := <-g.adopted; b.Label != "3" || b.Revision == "" {
		t.Errorf("signed anew: %+v", b)
	}
}

// A service that holds a question open until it has something new is let, and what it
// brings is in force without a wait in between.
func TestLongPolling(t *testing.T) {
	key := newSigner(t)
	news := make(chan []byte, 1)
	held := make(chan string, 16)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.openpolicyagent.bundles")
		held <- r.Header.Get("Prefer")
		select {
		case raw := <-news:
			_, _ = w.Write(raw)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	news <- key.pack(t, "allow if input.subject.id == \"a\"", 1)
	f := follow(t, deliver.New(deliver.Options{
		Name: name, URL: s.URL, HTTP: egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}}), Trust: pack.Trust{Key: key.public},
		Poll: deliver.Poll{Min: time.Hour, Max: time.Hour, Wait: time.Minute}, Keep: t.TempDir(),
	}))
	<-f.adopted
	if first, second := <-held, <-held; first != "modes=snapshot;wait=60" || second != "modes=snapshot;wait=60" {
		t.Errorf("asked with %q, then with %q", first, second)
	}
	news <- key.pack(t, "allow if input.subject.id == \"b\"", 2)
	if b := <-f.adopted; b.Sequence != 2 {
		t.Errorf("%+v", b)
	}
}

// rewrapped packs the same files otherwise.
func rewrapped(t *testing.T, raw []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to, err1 := gzip.NewWriterLevel(&out, gzip.NoCompression)
	_, err2 := io.Copy(to, z)
	if err := errors.Join(err1, err2, to.Close()); err != nil || bytes.Equal(out.Bytes(), raw) {
		t.Fatal(err)
	}
	return out.Bytes()
}

// await returns once something holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("not so: %s", what)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(time.Millisecond):
		}
	}
}
