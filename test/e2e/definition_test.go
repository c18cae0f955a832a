package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// TestHostileDefinitions lists definitions that can't be served beside one that
// can: each is withheld with its reason, and costs nothing but itself.
func TestHostileDefinitions(t *testing.T) {
	t.Parallel()
	doubling := `{"type":"object","$defs":{"d0":{"type":"object"}`
	for i := range 40 {
		doubling += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i)
	}
	doubling += `},"allOf":[{"$ref":"#/$defs/d40"}]}`
	with := func(schema string) string { return `{"name":"NAME","inputSchema":` + schema + `}` }
	hostile := []struct {
		name       string
		definition string
		reason     gateway.Reason
	}{
		{"self_reference", with(`{"$ref":"#"}`), gateway.ReasonSchemaInvalid}, // it does not even say that it is an object
		{"endless", with(`{"type":"object","$ref":"#"}`), gateway.ReasonSchemaUnsafe},
		{"doubling", with(doubling), gateway.ReasonSchemaUnsafe},
		{"lookahead", with(`{"type":"object","properties":{"x":{"type":"string","pattern":"(?=a)b"}}}`), gateway.ReasonSchemaUnsafe},
		{"remote_reference", with(`{"type":"object","properties":{"x":{"$ref":"http://evil.example/schema"}}}`), gateway.ReasonSchemaUnsafe},
		{"file_reference", with(`{"type":"object","properties":{"x":{"$ref":"file:///etc/passwd"}}}`), gateway.ReasonSchemaUnsafe},
		{"deep", with(`{"type":"object","not":` + strings.Repeat(`{"not":`, 190) + `{}` + strings.Repeat(`}`, 190) + `}`), gateway.ReasonSchemaUnsafe},
		{"no_schema", `{"name":"NAME"}`, gateway.ReasonSchemaInvalid},
		{"string_schema", with(`{"type":"string"}`), gateway.ReasonSchemaInvalid},
		{"mirrored_secret", with(`{"type":"object","properties":{"password":{"type":"string","x-mcp-header":"Password"}}}`), gateway.ReasonHeaderMirror},
		{"mirror_in_items", with(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`), gateway.ReasonHeaderMirror},
		{"task_only", `{"name":"NAME","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`, gateway.ReasonTaskRequired},
		{"too_large", with(`{"type":"object","description":"` + strings.Repeat("x", 300<<10) + `"}`), gateway.ReasonDefinitionTooBig},
	}
	peer := stage.NewPeer().Add(stage.Tool("good"), stage.Result(stage.Text(`"done"`)))
	for _, h := range hostile {
		peer.Add(strings.Replace(h.definition, "NAME", h.name, 1), stage.Result(`{}`))
	}
	peer.Add(`{"name":"bad name","inputSchema":{"type":"object"}}`, nil).Add(`{"inputSchema":{"type":"object"}}`, nil).Add(`7`, nil).
		Add(stage.Tool("twin"), nil).Add(stage.Tool("twin"), nil)
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "up", peer)}})
	alice := s.Host("alice")
	if got := alice.List(t); !slices.Equal(got, []string{"up__good"}) {
		t.Errorf("listed are %v", got)
	}
	if r := alice.Call(t, "up__good", `{}`); r.Code() != "" {
		t.Errorf("the good one: %s", r.Body)
	}
	s.Events(t)
	for _, h := range hostile {
		r := alice.Call(t, "up__"+h.name, `{}`)
		row := s.OneEvent(t)
		if r.Code() != string(gateway.CodeUnknownTool) || row.Code != gateway.CodeUnknownTool || !slices.Equal(row.Reasons, []gateway.Reason{h.reason}) {
			t.Errorf("%s: answer %s, on record %q %q, want %q", h.name, r.Body, row.Code, row.Reasons, h.reason)
		}
		changes := s.Changes(t, "up__"+h.name)
		if len(changes) == 0 || !slices.Equal(changes[0].Reasons, []gateway.Reason{h.reason}) {
			t.Errorf("%s: the change is on record as %+v", h.name, changes)
		}
	}
	if r := alice.Call(t, "up__twin", `{}`); r.Code() != string(gateway.CodeUnknownTool) {
		t.Errorf("twins: %s", r.Body)
	}
	if row := s.OneEvent(t); !slices.Equal(row.Reasons, []gateway.Reason{gateway.ReasonNameCollision}) {
		t.Errorf("twins: on record %+v", row)
	}
	if calls := peer.Calls(); len(calls) != 1 {
		t.Errorf("%d calls arrived, one was for a tool that is served", len(calls))
	}

	// What no reader may see costs itself and nothing beside it.
	peer.Add(`{"name":"bomb","inputSchema":{"type":"object","maxProperties":1e1000001}}`, nil).
		Add(`{"name":"two","name":"faces","inputSchema":{"type":"object"}}`, nil)
	if err := s.Gateway.Refresh(t.Context(), "up"); err != nil {
		t.Errorf("one faulty definition costs the list: %v", err)
	}
	for name, code := range map[string]string{
		"good": "", "bomb": string(gateway.CodeUnknownTool), "two": string(gateway.CodeUnknownTool), "faces": string(gateway.CodeUnknownTool),
	} {
		if r := alice.Call(t, "up__"+name, `{}`); r.Code() != code {
			t.Errorf("%s, after a list with faulty definitions: %s", name, r.Body)
		}
	}
	if got := alice.List(t); !slices.Equal(got, []string{"up__good"}) {
		t.Errorf("listed are %v", got)
	}
	if len(s.Rows(t, audit.Filter{Type: audit.ToolsChanged, Tool: "up__good"})) != 2 {
		t.Error("the good tool is on record as listed, approved, and nothing else")
	}
}
