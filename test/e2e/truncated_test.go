package e2e

import (
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// TestLargeResults: what is too much of a result's content is left out where everybody
// sees it, and nothing else is ever cut, for hosts of both eras.
func TestLargeResults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("all is well. ", 1000)
	texts := strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"`+long+`"},`, 10), ",")
	peer := stage.NewPeer().
		Add(stage.Tool("one"), stage.Result(stage.Text(`"`+long+long+`"`))).
		Add(stage.Tool("many"), stage.Result(`{"content":[`+texts+`],"structuredContent":{"n":1.10}}`)).
		Add(stage.Tool("half"), stage.Result(`{"content":[],"structuredContent":{"x":["`+long+strings.Repeat(`","`+long, 8)+`"]}}`)).
		Add(stage.Tool("more"), stage.Result(`{"content":[`+texts+`,`+texts+`,`+texts+`]}`))
	s := stage.Open(t, stage.Options{Settings: "limits: {message: 256KiB, result: 64KiB, item: 16KiB}\n",
		Upstreams: []stage.Upstream{stage.Served(t, "up", peer)}})
	alice := s.Host("alice")
	begun := alice.Legacy("", "", protocol.MethodInitialize, `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}`).Send(t)
	session := begun.Header.Get(protocol.HeaderSession)
	said := alice.Legacy(protocol.Revision20251125, session, protocol.NotificationInitialized, "")
	said.ID = ""
	said.Send(t)
	for name, call := range map[string]func(tool string) *stage.Reply{
		"modern": func(tool string) *stage.Reply { return alice.Call(t, "up__"+tool, `{}`) },
		"legacy": func(tool string) *stage.Reply {
			return alice.Legacy(protocol.Revision20251125, session, protocol.MethodToolsCall, `"name":"up__`+tool+`","arguments":{}`).Send(t)
		},
	} {
		s.Events(t)
		one := call("one")
		text := one.Get("/content/0/text")
		if !strings.HasPrefix(text, `"all is well`) || !strings.Contains(text, "… [truncated: ") || len(text) > 16<<10 {
			t.Errorf("%s: %d bytes of text: %.60s", name, len(text), text)
		}
		if got := one.Get("/_meta/mcp-gateway~1truncated/truncated"); got != "true" {
			t.Errorf("%s: _meta says %q", name, got)
		}
		s.OneEvent(t)
		many := call("many")
		if len(many.Result) > 64<<10 || many.Get("/structuredContent") != `{"n":1.10}` || !strings.Contains(string(many.Result), "[items left out: ") {
			t.Errorf("%s: %d bytes, %s", name, len(many.Result), many.Get("/structuredContent"))
		}
		if row := s.OneEvent(t); row.Outcome != gateway.OutcomeCommitted || row.Code != "" {
			t.Errorf("%s: on record: %+v", name, row)
		}
		for _, tool := range []string{"half", "more"} {
			r := call(tool)
			row := s.OneEvent(t)
			if r.Code() != string(gateway.CodeContractViolation) || strings.Contains(string(r.Body), "well") {
				t.Errorf("%s, %s: %s %.200s", name, tool, r.Code(), r.Body)
			}
			if len(row.Reasons) == 0 || row.Reasons[0] != gateway.ReasonResultTooLarge {
				t.Errorf("%s, %s: on record: %v", name, tool, row.Reasons)
			}
		}
	}
}
