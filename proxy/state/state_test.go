package state_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/proxy/state"
)

func ring(t testing.TB) *keyring.Ring {
	t.Helper()
	r, err := keyring.Open(t.TempDir() + "/keys")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func binding() *state.Binding {
	return &state.Binding{
		Principal: "gateway|alice|t|key|", Method: "tools/call", Definition: "sha256-jcs1:00",
		Item: gateway.ItemID{Upstream: "desk", Name: "open"}, Arguments: []byte(`{"a":1,"b":2}`),
	}
}

var now = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func TestInnerStateIsByteExact(t *testing.T) {
	r, action := ring(t), audit.NewID(now)
	for _, inner := range [][]byte{nil, []byte(`""`), []byte(`"\u0041\/x"`), []byte(`"ä\u0000"`), bytes.Repeat([]byte("x"), state.MaxInner)} {
		token := state.Seal(r, binding(), state.State{Action: action, Inner: inner}, now)
		got, err := state.Open(r, binding(), token, now.Add(state.Life-time.Millisecond))
		if err != nil || got.Action != action || !bytes.Equal(got.Inner, inner) || (got.Inner == nil) != (inner == nil) {
			t.Errorf("%.20q: %v %v", inner, got, err)
		}
		if len(inner) > 2 && strings.Contains(token, string(inner)) {
			t.Errorf("%.20q is readable in the token", inner)
		}
	}
}

// The keys of what was asked come back as they were, whatever they hold.
func TestWhatWasAskedIsBound(t *testing.T) {
	r := ring(t)
	for _, asked := range [][]string{nil, {""}, {"who"}, {"who", "", "a\x00b", strings.Repeat("k", 70_000)}} {
		for _, inner := range [][]byte{nil, []byte(`"s"`)} {
			got, err := state.Open(r, binding(), state.Seal(r, binding(), state.State{Inner: inner, Asked: asked}, now), now)
			if err != nil || !slices.Equal(got.Asked, asked) || !bytes.Equal(got.Inner, inner) {
				t.Errorf("%d keys: %v, %d came back, inner %s", len(asked), err, len(got.Asked), got.Inner)
			}
		}
	}
}

// The order of members and white space are no other arguments.
func TestSameArgumentsAnotherSpelling(t *testing.T) {
	r, other := ring(t), binding()
	other.Arguments = []byte(`{ "b":2, "a":1 }`)
	if _, err := state.Open(r, other, state.Seal(r, binding(), state.State{}, now), now); err != nil {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	r := ring(t)
	token := state.Seal(r, binding(), state.State{Inner: []byte(`"s"`)}, now)
	if again := state.Seal(r, binding(), state.State{Inner: []byte(`"s"`)}, now); again == token {
		t.Error("two states are one token")
	}
	for name, change := range map[string]func(*state.Binding){
		"principal":       func(b *state.Binding) { b.Principal = "gateway|bob|t|key|" },
		"method":          func(b *state.Binding) { b.Method = "prompts/get" },
		"upstream":        func(b *state.Binding) { b.Item.Upstream = "other" },
		"kind":            func(b *state.Binding) { b.Item.Kind = gateway.KindPrompt },
		"name":            func(b *state.Binding) { b.Item.Name = "close" },
		"moved border":    func(b *state.Binding) { b.Item.Upstream, b.Item.Name = "desko", "pen" },
		"definition":      func(b *state.Binding) { b.Definition = "sha256-jcs1:01" },
		"arguments":       func(b *state.Binding) { b.Arguments = []byte(`{"a":1,"b":3}`) },
		"number spelling": func(b *state.Binding) { b.Arguments = []byte(`{"a":1.0,"b":2}`) },
		"no arguments":    func(b *state.Binding) { b.Arguments = nil },
	} {
		b := binding()
		change(b)
		refused(t, name, r, b, token, now)
	}
	refused(t, "expired", r, binding(), token, now.Add(state.Life))
	refused(t, "another key", ring(t), binding(), token, now)
	refused(t, "suffix", r, binding(), token+"-TAMPERED", now)
	refused(t, "empty", r, binding(), "", now)
	for i := range len(token) {
		altered := []byte(token)
		if altered[i]++; altered[i] > 'z' {
			altered[i] = 'A'
		}
		refused(t, "altered byte", r, binding(), string(altered), now)
	}
	refused(t, "another use of the key", r, binding(), r.Seal(keyring.State, []byte("name"), []byte("list||")), now)

	empty := binding()
	empty.Arguments = nil
	none := state.Seal(r, empty, state.State{}, now)
	empty.Arguments = []byte("{}")
	refused(t, "absent is not empty", r, empty, none, now)
}

func refused(t *testing.T, name string, r *keyring.Ring, b *state.Binding, token string, at time.Time) {
	t.Helper()
	_, err := state.Open(r, b, token, at)
	var e *gateway.Error
	if !errors.As(err, &e) || e.Code != gateway.CodeStateInvalid {
		t.Errorf("%s: %v", name, err)
	}
}

func FuzzOpen(f *testing.F) {
	r := ring(f)
	f.Add(state.Seal(r, binding(), state.State{}, now))
	f.Add("")
	f.Fuzz(func(t *testing.T, token string) {
		b := binding()
		b.Principal = "nobody"
		if _, err := state.Open(r, b, token, now); err == nil {
			t.Error("a token that nobody sealed is good")
		}
	})
}
