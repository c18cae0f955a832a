package methods

import (
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

func reviewAllButHeld(id gateway.ItemID) string {
	if strings.HasSuffix(id.Name, "held") {
		return ""
	}
	return stage.Reviewed("use")
}

func incident(t testing.TB) *stage.Stage {
	t.Helper()
	return stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"other"}}},
		Upstreams:  []stage.Upstream{stage.Incident("incident")}, Review: stage.ReviewIncident,
	})
}

const runbook = "runbook://payments/current"

// Both eras see the example's prompt and runbook, and get and read them.
func TestIncident(t *testing.T) {
	s := incident(t)
	legacy := begin(t, s.Host("alice"), protocol.Revision20251125, "{}")
	for era, ask := range map[string]func(method, params string) *stage.Reply{
		"modern": func(method, params string) *stage.Reply { return send(t, s.Host("alice"), method, params) },
		"legacy": func(method, params string) *stage.Reply { return legacy(method, params).Send(t) },
	} {
		t.Run(era, func(t *testing.T) {
			modern := era == "modern"
			prompts := ask(protocol.MethodPromptsList, "")
			if prompts.Get("/prompts/0/name") != `"incident__triage_incident"` || prompts.Get("/prompts/0/arguments/0/required") != "true" || prompts.Get("/prompts/1") != "" {
				t.Errorf("prompts: %s", prompts.Body)
			}
			resources := ask(protocol.MethodResourcesList, "")
			if resources.Get("/resources/0/uri") != `"`+runbook+`"` || resources.Get("/resources/0/mimeType") != `"text/markdown"` {
				t.Errorf("resources: %s", resources.Body)
			}
			templates := ask(protocol.MethodResourceTemplatesList, "")
			if templates.Get("/resourceTemplates") != "[]" {
				t.Errorf("templates: %s", templates.Body)
			}
			got := ask(protocol.MethodPromptsGet, `"name":"incident__triage_incident","arguments":{"service":"payments"}`)
			if !strings.Contains(got.Get("/messages/0/content/text"), "payments") {
				t.Errorf("prompt: %s", got.Body)
			}
			read := ask(protocol.MethodResourcesRead, `"uri":"RUNBOOK://PAYMENTS/current"`)
			if read.Get("/contents/0/uri") != `"`+runbook+`"` || !strings.Contains(read.Get("/contents/0/text"), "Severity P1") {
				t.Errorf("runbook: %s", read.Body)
			}
			for _, r := range []*stage.Reply{prompts, resources, templates, read} {
				if scope := r.Get("/cacheScope"); modern != (scope == `"private"`) || modern != (r.Get("/ttlMs") != "") || modern != (r.Get("/resultType") == `"complete"`) {
					t.Errorf("%s", r.Body)
				}
			}
			if completed := ask(protocol.MethodComplete, `"ref":{"type":"ref/prompt","name":"incident__triage_incident"},"argument":{"name":"service","value":"p"}`); completed.Get("/completion/values") != "[]" {
				t.Errorf("a server that completes nothing: %s", completed.Body)
			}
		})
	}
}

// What is absent, held back or hidden is answered alike, and told apart on record.
func TestUnknown(t *testing.T) {
	s, up := open(t, "")
	up.answer(protocol.MethodResourcesRead, stage.Fault(`{"code":-32002,"message":"Resource not found","data":{"uri":"secret"}}`))
	legacy := begin(t, s.Host("alice"), protocol.Revision20251125, "{}")
	for _, tc := range []struct {
		who, method, params string
		code                gateway.Code
		reason              gateway.Reason
	}{
		{"alice", protocol.MethodPromptsGet, `"name":"up__absent"`, gateway.CodeUnknownPrompt, gateway.ReasonToolAbsent},
		{"alice", protocol.MethodPromptsGet, `"name":"up__held"`, gateway.CodeUnknownPrompt, gateway.ReasonUnreviewed},
		{"bob", protocol.MethodPromptsGet, `"name":"up__greet"`, gateway.CodeUnknownPrompt, gateway.ReasonNotVisible},
		{"alice", protocol.MethodResourcesRead, `"uri":"test://desk/absent"`, gateway.CodeUnknownResource, gateway.ReasonToolAbsent},
		{"alice", protocol.MethodResourcesRead, `"uri":"test://desk/held"`, gateway.CodeUnknownResource, gateway.ReasonUnreviewed},
		{"bob", protocol.MethodResourcesRead, `"uri":"test://desk/notes"`, gateway.CodeUnknownResource, gateway.ReasonNotVisible},
		{"bob", protocol.MethodResourcesRead, `"uri":"test://desk/page/1"`, gateway.CodeUnknownResource, gateway.ReasonNotVisible},
		{"bob", protocol.MethodComplete, `"ref":{"type":"ref/prompt","name":"up__greet"},"argument":{"name":"who","value":"a"}`, gateway.CodeUnknownPrompt, gateway.ReasonNotVisible},
		{"bob", protocol.MethodComplete, `"ref":{"type":"ref/resource","uri":"test://desk/page/{n}"},"argument":{"name":"n","value":"1"}`, gateway.CodeUnknownResource, gateway.ReasonNotVisible},
	} {
		s.Events(t)
		r := send(t, s.Host(tc.who), tc.method, tc.params)
		if r.Status != 400 || r.RPC() != protocol.RPCInvalidParams || r.Code() != string(tc.code) || r.Get("/data/reasons") != "" {
			t.Errorf("%s %s: %d %s", tc.who, tc.params, r.Status, r.Body)
		}
		if row := s.OneEvent(t); row.Type != "tool.refused" || row.Code != tc.code || !slices.Equal(row.Reasons, []gateway.Reason{tc.reason}) {
			t.Errorf("%s %s: on record %+v", tc.who, tc.params, row)
		}
		if tc.who == "bob" {
			continue
		}
		want := protocol.RPCInvalidParams
		if tc.code == gateway.CodeUnknownResource {
			want = protocol.RPCResourceNotFound
		}
		if r := legacy(tc.method, tc.params).Send(t); r.Status != 200 || r.RPC() != want {
			t.Errorf("legacy %s: %d %s", tc.params, r.Status, r.Body)
		}
	}
	if calls := up.calls(); len(calls) != 0 {
		t.Errorf("%d of them reached the upstream", len(calls))
	}

	// The upstream itself does not know it: an error by era, and nothing of its words.
	if r := send(t, s.Host("alice"), protocol.MethodResourcesRead, `"uri":"test://desk/page/404"`); r.RPC() != protocol.RPCInvalidParams ||
		r.Get("/data/uri") != `"test://desk/page/404"` || strings.Contains(string(r.Body), "secret") {
		t.Errorf("not found upstream: %s", r.Body)
	}
	if r := legacy(protocol.MethodResourcesRead, `"uri":"test://desk/page/404"`).Send(t); r.RPC() != protocol.RPCResourceNotFound {
		t.Errorf("not found upstream: %s", r.Body)
	}
}
