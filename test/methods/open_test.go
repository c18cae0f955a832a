package methods

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// call is a request that is answered by a stream, on which more may come.
type call struct {
	t     testing.TB
	resp  *http.Response
	lines *bufio.Scanner
}

func start(t testing.TB, r *stage.Request) *call {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.Verb, r.URL, strings.NewReader(r.Text()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = r.Header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() }) // read as far as it matters
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		body := bufio.NewScanner(resp.Body)
		body.Scan()
		t.Fatalf("%d %s %s", resp.StatusCode, got, body.Text())
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return &call{t, resp, lines}
}

// hear returns the next message.
func (c *call) hear() (protocol.Message, string) {
	c.t.Helper()
	for c.lines.Scan() {
		data, ok := strings.CutPrefix(c.lines.Text(), "data: ")
		if !ok {
			continue
		}
		m, err := protocol.ParseMessage([]byte(data), protocol.DefaultLimits())
		if err != nil {
			c.t.Fatalf("%s: %v", data, err)
		}
		return m, data
	}
	c.t.Fatalf("the stream ended: %v", c.lines.Err())
	return protocol.Message{}, ""
}

// respond sends a host's answer to a question.
func respond(t testing.TB, r *stage.Request, id []byte, member string) {
	t.Helper()
	if got := r.Saying(`{"jsonrpc":"2.0","id":` + string(id) + `,` + member + `}`).Send(t); got.Status != 202 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
}

// A legacy host is asked what a modern upstream asks, on its open call, and the
// gateway goes through the rounds.
func TestRoundsOnAnOpenCall(t *testing.T) {
	for method, tc := range inRounds {
		t.Run(method, func(t *testing.T) {
			s, up := open(t, "")
			up.answer(method, asking(`,"requestState":"\u0041"`, `{"resultType":"complete",`+tc.done+`}`))
			legacy := begin(t, s.Host("alice"), protocol.Revision20250618, `{"elicitation":{},"roots":{}}`)
			s.Events(t)
			c := start(t, legacy(method, tc.params))
			m, said := c.hear()
			if want := strings.TrimSuffix(strings.TrimPrefix(cleaned, `"inputRequests":{"who":{"method":"elicitation/create","params":`), `}}`); m.Method != protocol.MethodElicit || string(m.Params) != want {
				t.Fatalf("asked %s, want %s", said, want)
			}
			respond(t, legacy("", ""), m.ID, `"result":{"action":"accept","content":{"name":"\u00e9\/"},"n":1.10}`)
			m, said = c.hear()
			if m.Result == nil || strings.Contains(said, "resultType") || strings.Contains(said, "requestState") {
				t.Fatalf("answered %s", said)
			}
			calls := up.calls()
			if want := `{` + tc.sent + `,` + reply + `,"requestState":"\u0041"}`; len(calls) != 2 || params(calls[1].Message) != want {
				t.Errorf("sent %d times, last %s, want %s", len(calls), params(calls[len(calls)-1].Message), want)
			}
			if row := s.OneEvent(t); row.Outcome != gateway.OutcomeCommitted {
				t.Errorf("on record: %+v", row)
			}
		})
	}
}

func TestWhoCannotBeAsked(t *testing.T) {
	s, up := open(t, "")
	up.answer(protocol.MethodToolsCall, asking("", `{"content":[]}`))
	up.answer(protocol.MethodPromptsGet, asking("", `{"messages":[]}`))
	nothing := begin(t, s.Host("alice"), protocol.Revision20251125, `{"roots":{}}`)
	mute := begin(t, s.Host("alice"), protocol.Revision20251125, `{"elicitation":{}}`)
	for name, r := range map[string]*stage.Request{
		"declares nothing": nothing(protocol.MethodToolsCall, `"name":"up__ask"`),
		"takes no stream":  mute(protocol.MethodToolsCall, `"name":"up__ask"`).With("Accept", "application/json"),
	} {
		got := r.Send(t)
		if got.Status != 200 || !got.IsError() || got.Code() != "missing_capability" || got.Get("/_meta/mcp-gateway~1error/requiredCapabilities") != `{"elicitation":{"form":{}}}` {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	if r := nothing(protocol.MethodPromptsGet, `"name":"up__greet","arguments":{"who":"a"}`).Send(t); r.RPC() != protocol.RPCMissingCapability {
		t.Errorf("prompt: %s", r.Body)
	}

	// One that does not answer, and an upstream that never stops asking.
	c := start(t, mute(protocol.MethodToolsCall, `"name":"up__ask"`))
	m, _ := c.hear()
	respond(t, mute("", ""), m.ID, `"error":{"code":-32000,"message":"no"}`)
	if _, said := c.hear(); !strings.Contains(said, `"ask_refused"`) || !strings.Contains(said, `"unanswered"`) {
		t.Errorf("refused by the host: %s", said)
	}
	up.answer(protocol.MethodToolsCall, stage.Result(`{"resultType":"input_required",`+question+`}`))
	up.calls()
	c = start(t, mute(protocol.MethodToolsCall, `"name":"up__ask"`))
	asked := 0
	for {
		m, said := c.hear()
		if m.Method == "" {
			if !strings.Contains(said, `"rounds"`) || asked != 8 || len(up.calls()) != 9 {
				t.Errorf("after %d questions: %s", asked, said)
			}
			break
		}
		asked++
		respond(t, mute("", ""), m.ID, `"result":{"action":"decline"}`)
	}
}

// old is a server of 2025-11-25 whose tool asks in the middle of its call.
func old(t testing.TB, ask func(context.Context, *mcp.ServerSession) (string, error)) stage.Upstream {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "old", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "ask", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, err := ask(ctx, r.Session)
			if err != nil {
				text = "not asked"
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		})
	return stage.Served(t, "old", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
}

// A legacy upstream asks in the middle of a call what the configuration lets it ask,
// of a legacy host that declared that it answers; nobody else is asked anything.
func TestRelay(t *testing.T) {
	elicit := func(ctx context.Context, s *mcp.ServerSession) (string, error) {
		r, err := s.Elicit(ctx, &mcp.ElicitParams{Message: "Who\u200b?", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}})
		if err != nil {
			return "", err
		}
		return r.Action + " " + r.Content["name"].(string), nil
	}
	secret := func(ctx context.Context, s *mcp.ServerSession) (string, error) {
		_, err := s.Elicit(ctx, &mcp.ElicitParams{Message: "Log in", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"password": map[string]any{"type": "string"}}}})
		return "asked", err
	}
	roots := func(ctx context.Context, s *mcp.ServerSession) (string, error) {
		//lint:ignore SA1019 older revisions ask for roots, and this is a server of theirs
		r, err := s.ListRoots(ctx, nil)
		if err != nil {
			return "", err
		}
		return r.Roots[0].URI, nil
	}
	for name, tc := range map[string]struct {
		ask            func(context.Context, *mcp.ServerSession) (string, error)
		relay, declare string
		answer         string // of the host; "" = it must not be asked
		want           string
	}{
		"elicitation":      {elicit, "[elicitation]", `{"elicitation":{}}`, `{"action":"accept","content":{"name":"Ada"}}`, "accept Ada"},
		"roots":            {roots, "[elicitation, roots]", `{"roots":{}}`, `{"roots":[{"uri":"file:///home"}]}`, "file:///home"},
		"not configured":   {elicit, "[]", `{"elicitation":{}}`, "", "not asked"},
		"another one only": {roots, "[elicitation]", `{"roots":{},"elicitation":{}}`, "", "not asked"},
		"not declared":     {elicit, "[elicitation]", `{}`, "", "not asked"},
		"a secret":         {secret, "[elicitation]", `{"elicitation":{}}`, "", "not asked"},
	} {
		t.Run(name, func(t *testing.T) {
			s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{old(t, tc.ask).With("relay: " + tc.relay)}})
			legacy := begin(t, s.Host("alice"), protocol.Revision20251125, tc.declare)
			r := legacy(protocol.MethodToolsCall, `"name":"old__ask","arguments":{}`)
			if tc.answer == "" {
				if got := r.Send(t); got.Get("/content/0/text") != `"`+tc.want+`"` {
					t.Errorf("%s", got.Body)
				}
				return
			}
			c := start(t, r)
			m, said := c.hear()
			if m.ID == nil || strings.Contains(said, "\u200b") {
				t.Fatalf("asked %s", said)
			}
			respond(t, legacy("", ""), m.ID, `"result":`+tc.answer)
			if _, said := c.hear(); !strings.Contains(said, `"text":"`+tc.want+`"`) {
				t.Errorf("answered %s", said)
			}
			if row := s.Rows(t, audit.Filter{Tool: "old__ask", Type: audit.ToolDecided}); len(row) != 1 || row[0].Outcome != gateway.OutcomeCommitted {
				t.Errorf("on record: %+v", row)
			}
		})
	}

	// A modern host is asked nothing on an open call.
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{old(t, elicit).With("relay: [elicitation]")}})
	if r := ask(t, s.Host("alice"), forms, protocol.MethodToolsCall, `"name":"old__ask"`); r.Get("/content/0/text") != `"not asked"` {
		t.Errorf("modern: %s", r.Body)
	}
}
