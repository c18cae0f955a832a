package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// TestHandles: what a search hands out is its caller's. Somebody else who learns it
// can't go on with it, by whatever tool of that upstream and wherever he puts it; the
// event says why, the answer does not; and nothing of it is kept as it was.
func TestHandles(t *testing.T) {
	t.Parallel()
	const first, second = "cursor-of-alice-7f3a", "cursor-of-bob-91c2"
	given := first
	peer := stage.NewPeer()
	peer.Add(`{"name":"search","inputSchema":{"type":"object"}}`, func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		stage.Result(`{"resultType":"complete","content":[],"structuredContent":{"page":{"cursor":"`+given+`"},"items":[{"id":"item-0001"},{"id":17}]}}`)(w, r, m)
	})
	peer.Add(`{"name":"more","inputSchema":{"type":"object","properties":{"cursor":{"type":"string"}}}}`, stage.Result(stage.Text(`"more"`)))
	peer.Add(stage.Tool("any"), stage.Result(stage.Text(`"any"`)))
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"use"}}},
		Upstreams:  []stage.Upstream{stage.Served(t, "up", peer), stage.Served(t, "other", stage.NewPeer().Add(stage.Tool("any"), stage.Result(stage.Text(`"any"`))))},
		Review: func(id toolID) string {
			switch id.Name {
			case "search":
				return stage.Read("use") + `, handles: {gives: [/page/cursor, "/items/*/id"]}`
			case "more":
				return stage.Read("use") + ", handles: {takes: [/cursor], life: 1h}"
			}
			return stage.Read("use")
		},
	})
	alice, bob := s.Host("alice"), s.Host("bob")
	if r := alice.Call(t, "up__search", `{}`); r.Get("/structuredContent/page/cursor") != `"`+first+`"` {
		t.Fatalf("a handle is not given: %s", r.Body)
	}
	given = second
	bob.Call(t, "up__search", `{}`)
	peer.Calls()
	s.Events(t)
	for name, tc := range map[string]struct {
		host   *stage.Host
		tool   string
		args   string
		reason gateway.Reason // "" = it passes
	}{
		"his own":                      {alice, "up__more", `{"cursor":"` + first + `"}`, ""},
		"the other's own":              {bob, "up__more", `{"cursor":"` + second + `"}`, ""},
		"another's":                    {bob, "up__more", `{"cursor":"` + first + `"}`, gateway.ReasonHandleForeign},
		"another's, in escapes":        {bob, "up__more", `{"cursor":"\u0063` + first[1:] + `"}`, gateway.ReasonHandleForeign},
		"another's, by another tool":   {bob, "up__any", `{"x":[{"y":"` + first + `"}]}`, gateway.ReasonHandleForeign},
		"another's, as a name":         {bob, "up__any", `{"` + first + `":1}`, gateway.ReasonHandleForeign},
		"an item that both were given": {bob, "up__any", `{"id":"item-0001"}`, ""},
		"guessed":                      {alice, "up__more", `{"cursor":"cursor-of-alice-7f3b"}`, gateway.ReasonHandleUnknown},
		"none at all":                  {alice, "up__more", `{}`, ""},
		"a text that is no handle":     {bob, "up__any", `{"x":"a text of no importance"}`, ""},
		"of another upstream":          {bob, "other__any", `{"x":"` + first + `"}`, ""},
	} {
		r := tc.host.Call(t, tc.tool, tc.args)
		if tc.reason == "" {
			if r.Result == nil || r.IsError() {
				t.Errorf("%s: %s", name, r.Body)
			}
			continue
		}
		if !r.IsError() || r.Code() != "handle_invalid" || strings.Contains(string(r.Body), string(tc.reason)) {
			t.Errorf("%s: %s", name, r.Body)
		}
		rows := s.Rows(t, audit.Filter{Code: gateway.CodeHandleInvalid})
		if len(rows) == 0 || !slices.Equal(rows[len(rows)-1].Reasons, []gateway.Reason{tc.reason}) {
			t.Errorf("%s: on record %+v", name, rows)
		}
	}
	for _, c := range peer.Calls() {
		if args := c.Arguments(); strings.Contains(args, "7f3b") {
			t.Errorf("sent: %s", args)
		}
	}
	if leaked := s.Leaks(t, first, second); len(leaked) > 0 {
		t.Errorf("kept as they were: %v", leaked)
	}
	if r := alice.Ask(protocol.MethodToolsList, "").Send(t); r.Result == nil {
		t.Errorf("%s", r.Body)
	}
}
