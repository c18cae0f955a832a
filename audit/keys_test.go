package audit

import (
	"testing"

	"mcp-gateway/audit/shape"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

func newKeys(t testing.TB) *Keys {
	t.Helper()
	ring, err := keyring.Open(t.TempDir() + "/keys")
	if err != nil {
		t.Fatal(err)
	}
	return NewKeys(ring)
}

func TestKeyedDigests(t *testing.T) {
	k := newKeys(t)
	tool := gateway.ItemID{Upstream: "github", Name: "search"}
	seen := map[string]string{}
	for what, digest := range map[string]string{
		"principal":       string(k.Principal("alice")),
		"other principal": string(k.Principal("bob")),
		"args":            string(k.Args("alice", tool, []byte(`{}`))),
		"args of another": string(k.Args("bob", tool, []byte(`{}`))),
		"args elsewhere":  string(k.Args("alice", gateway.ItemID{Upstream: "github", Name: "other"}, []byte(`{}`))),
		"other args":      string(k.Args("alice", tool, []byte(`{"a":1}`))),
		"name":            string(k.Name("alice", "alice")),
		"source":          string(k.Source("alice")),
		"request":         string(k.Request("alice", []byte(`"alice"`))),
	} {
		if !shape.Keyed(digest) {
			t.Errorf("%s: %q has not the shape of a keyed digest", what, digest)
		}
		if before, ok := seen[digest]; ok {
			t.Errorf("%s and %s have the same digest", what, before)
		}
		seen[digest] = what
	}
	if first := k.Principal("alice"); k.Principal("alice") != first {
		t.Error("the pseudonym of one principal changes")
	}
	if newKeys(t).Principal("alice") == k.Principal("alice") {
		t.Error("pseudonyms under two keys are equal")
	}
	for id, want := range map[string]RequestRef{"": "", "17": "17", "-3": "-3"} {
		if got := k.Request("alice", []byte(id)); got != want {
			t.Errorf("request %q: %q", id, got)
		}
	}
	if ref := k.Request("alice", []byte("123456789012345678901234567890")); !shape.Keyed(string(ref)) {
		t.Errorf("a long number came through: %s", ref)
	}
}

func BenchmarkPrincipal(b *testing.B) {
	k := newKeys(b)
	b.ReportAllocs()
	for b.Loop() {
		k.Principal("https://issuer.example|alice|platform|ci|")
	}
}

func BenchmarkArgs(b *testing.B) {
	k := newKeys(b)
	args := make([]byte, 1024)
	b.ReportAllocs()
	for b.Loop() {
		k.Args("alice", gateway.ItemID{Upstream: "github", Name: "search"}, args)
	}
}
