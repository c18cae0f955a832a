package identity_test

import (
	"slices"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry/identity"
)

func whole() identity.Facts {
	return identity.Facts{
		Argv: []string{"npx", "-y", "server@1.2.3"}, Dir: "/srv", Env: []string{"PATH", "TOKEN"},
		Files: map[string]gateway.Digest{"a.js": identity.Bytes([]byte("a")), "b.js": identity.Bytes([]byte("b"))},
		URL:   "https://up.example/mcp", Issuer: identity.Bytes([]byte("ca")), Revision: "2026-07-28",
		Capabilities: []byte(`{"tools":{"listChanged":true}}`),
	}
}

func TestEveryFactCounts(t *testing.T) {
	base := whole()
	seen := map[gateway.Digest]string{base.Digest(): "nothing"}
	for name, change := range map[string]func(*identity.Facts){
		"an argument":        func(f *identity.Facts) { f.Argv[2] = "server@1.2.4" },
		"one argument less":  func(f *identity.Facts) { f.Argv = f.Argv[:2] },
		"arguments joined":   func(f *identity.Facts) { f.Argv = []string{"npx", "-y server@1.2.3"} },
		"arguments in order": func(f *identity.Facts) { f.Argv[0], f.Argv[1] = f.Argv[1], f.Argv[0] },
		"the directory":      func(f *identity.Facts) { f.Dir = "/tmp" },
		"a name added":       func(f *identity.Facts) { f.Env = append(f.Env, "NODE_OPTIONS") },
		"a name removed":     func(f *identity.Facts) { f.Env = f.Env[:1] },
		"a file":             func(f *identity.Facts) { f.Files["a.js"] = identity.Bytes([]byte("x")) },
		"a file's name":      func(f *identity.Facts) { f.Files["c.js"] = f.Files["a.js"]; delete(f.Files, "a.js") },
		"files swapped":      func(f *identity.Facts) { f.Files["a.js"], f.Files["b.js"] = f.Files["b.js"], f.Files["a.js"] },
		"the host":           func(f *identity.Facts) { f.URL = "https://up.example.evil/mcp" },
		"the issuer":         func(f *identity.Facts) { f.Issuer = identity.Bytes([]byte("another")) },
		"no TLS":             func(f *identity.Facts) { f.Issuer = "" },
		"the revision":       func(f *identity.Facts) { f.Revision = "2025-11-25" },
		"a capability":       func(f *identity.Facts) { f.Capabilities = []byte(`{"tools":{"listChanged":false}}`) },
		"no capabilities":    func(f *identity.Facts) { f.Capabilities = nil },
	} {
		f := whole()
		change(&f)
		if other, twice := seen[f.Digest()]; twice {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[f.Digest()] = name
	}
}

func TestOrderDoesNot(t *testing.T) {
	base, f := whole(), whole()
	slices.Reverse(f.Env)
	f.Env = append(f.Env, "PATH")
	f.Capabilities = []byte(` { "tools" : {"listChanged":true} } `)
	if f.Digest() != base.Digest() {
		t.Error("the order of names or white space counts")
	}
	if err := protocol.Check(f.Object(), protocol.DefaultLimits()); err != nil {
		t.Error(err)
	}
	if d := identity.Bytes([]byte("x")); !identity.Same(d, "sha256-"+d[len("sha256:"):]) || identity.Same(d, identity.Bytes([]byte("y"))) {
		t.Error("spelling")
	}
}
