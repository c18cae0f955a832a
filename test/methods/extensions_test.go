package methods

import (
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// An extension that the operator allowed is declared to that upstream, as the host
// declared it, and offered; another one is neither.
func TestExtensions(t *testing.T) {
	const declared = `{"extensions":{"vendor.example/x":{"n":1.10},"vendor.example/y":{},"io.modelcontextprotocol/tasks":{}},"roots":{}}`
	for settings, want := range map[string]struct{ told, offered string }{
		"": {`{"roots":{}}`, ""},
		"extensions: [vendor.example/x, vendor.example/z]": {`{"roots":{},"extensions":{"vendor.example/x":{"n":1.10}}}`, `{"vendor.example/x":{},"vendor.example/z":{}}`},
	} {
		s, up := open(t, settings)
		up.answer(protocol.MethodToolsCall, stage.Result(`{"content":[]}`))
		ask(t, s.Host("alice"), declared, protocol.MethodToolsCall, `"name":"up__ask"`)
		told, _ := protocol.Lookup(up.calls()[0].Params, "/_meta/io.modelcontextprotocol~1clientCapabilities")
		if string(told) != want.told {
			t.Errorf("%q: told %s, want %s", settings, told, want.told)
		}
		if got := send(t, s.Host("alice"), protocol.MethodDiscover, "").Get("/capabilities/extensions"); got != want.offered {
			t.Errorf("%q: offered %s, want %s", settings, got, want.offered)
		}
		legacy := s.Host("alice").Legacy("", "", protocol.MethodInitialize, `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}`).Send(t)
		if strings.Contains(string(legacy.Body), "vendor.example") {
			t.Errorf("%q: initialize says %s", settings, legacy.Body)
		}
		// What says that it is a task is no result.
		up.answer(protocol.MethodToolsCall, stage.Result(`{"resultType":"task","task":{"taskId":"1"}}`))
		if r := ask(t, s.Host("alice"), declared, protocol.MethodToolsCall, `"name":"up__ask"`); r.Code() != "contract_violation" {
			t.Errorf("%q: a task: %s", settings, r.Body)
		}
	}
}
