package cursor_test

import (
	"path/filepath"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/proxy/lists/cursor"
)

func ring(t testing.TB) *keyring.Ring {
	t.Helper()
	r, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var here = cursor.Place{Kind: gateway.KindTool, Scope: "tracker", Principal: "alice"}

func TestOpen(t *testing.T) {
	keys := ring(t)
	given := cursor.Seal(keys, here, "list_tickets")
	if name, err := cursor.Open(keys, here, given); err != nil || name != "list_tickets" {
		t.Fatalf("%q %v", name, err)
	}
	for what, place := range map[string]cursor.Place{
		"another principal": {Kind: here.Kind, Scope: here.Scope, Principal: "bob"},
		"another endpoint":  {Kind: here.Kind, Scope: "", Principal: here.Principal},
		"another list":      {Kind: gateway.KindPrompt, Scope: here.Scope, Principal: here.Principal},
	} {
		if name, err := cursor.Open(keys, place, given); err == nil {
			t.Errorf("%s opened it: %q", what, name)
		}
	}
}

func FuzzCursor(f *testing.F) {
	keys := ring(f)
	f.Add("")
	f.Add("AQ")
	f.Add("../../etc/passwd")
	f.Add(keys.Seal(keyring.State, []byte("list_tickets"), nil))
	bobs := here
	bobs.Principal = "bob"
	f.Add(cursor.Seal(keys, bobs, "list_tickets"))
	given := cursor.Seal(keys, here, "list_tickets")
	f.Add(given[:len(given)-1])
	f.Fuzz(func(t *testing.T, text string) {
		if name, err := cursor.Open(keys, here, text); err == nil && text != given {
			t.Errorf("%q opened as %q", text, name)
		}
	})
}
