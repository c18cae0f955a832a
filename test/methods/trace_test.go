package methods

import (
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// Of what a host says about the trace that a call belongs to, the parent goes on,
// from hosts of both eras, if it is one. Baggage may hold anything and does not, nor
// does what nobody knows.
func TestTraceContext(t *testing.T) {
	const parent = `"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"`
	s, up := open(t, "")
	up.answer(protocol.MethodToolsCall, stage.Result(`{"content":[]}`))
	legacy := begin(t, s.Host("alice"), protocol.Revision20251125, "{}")
	for name, meta := range map[string]struct{ sent, want string }{
		"all":       {`"traceparent":` + parent + `,"tracestate":"a=1","baggage":"person=7","vendor.example/k":1`, parent},
		"no parent": {`"tracestate":"a=1","baggage":"person=7"`, ""},
		"no trace":  {`"traceparent":"person=7","baggage":"person=7"`, ""},
	} {
		modern := request(s.Host("alice"), protocol.MethodToolsCall, `"name":"up__ask"`)
		modern.Meta = strings.TrimSuffix(stage.Meta, "}") + "," + meta.sent + "}"
		older := legacy(protocol.MethodToolsCall, `"name":"up__ask"`)
		older.Meta = "{" + meta.sent + "}"
		for era, r := range map[string]*stage.Request{"modern": modern, "legacy": older} {
			if reply := r.Send(t); reply.Result == nil {
				t.Errorf("%s, %s: %s", name, era, reply.Body)
				continue
			}
			params := up.calls()[0].Params
			if got, _ := protocol.Lookup(params, "/_meta/traceparent"); string(got) != meta.want {
				t.Errorf("%s, %s: traceparent %s", name, era, got)
			}
			for _, word := range []string{"baggage", "person", "tracestate", "vendor.example"} {
				if strings.Contains(string(params), word) {
					t.Errorf("%s, %s: %s goes on: %s", name, era, word, params)
				}
			}
		}
	}
}
