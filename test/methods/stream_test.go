package methods

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// talking is an upstream's answer that says something before it comes: progress
// under the token that it was given, and messages of two levels.
func talking(w http.ResponseWriter, _ *http.Request, m stage.Message) {
	token, _ := protocol.Lookup(m.Params, "/_meta/progressToken")
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(data string) { _, _ = fmt.Fprintf(w, "data: %s\n\n", data) }
	progress := func(members string) {
		event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(token) + `,` + members + `}}`)
	}
	if token != nil {
		progress(`"progress":1,"total":3`)
		progress(`"progress":1`)
		progress(`"progress":2.50,"message":"half\u200b","vendor":1e2`)
		progress(`"progress":0`)
	}
	event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":"detail"}}`)
	event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"l","data":{"k":"ghp_0123456789abcdefghijABCDEFGHIJ012345","n":1.10}}}`)
	event(stage.Response(m.ID, `{"resultType":"complete","content":[]}`))
}

const (
	first   = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%,"progress":1,"total":3}}`
	second  = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%,"progress":2.50,"message":"half","vendor":1e2}}`
	failure = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"l","data":{"k":"[redacted:github_token]","n":1.10}}}`
)

// heard are the notifications before the answer.
func heard(t *testing.T, c *call) []string {
	t.Helper()
	var all []string
	for {
		m, said := c.hear()
		if m.Method == "" {
			return all
		}
		all = append(all, said)
	}
}

func TestStreams(t *testing.T) {
	s, up := open(t, "")
	up.answer(protocol.MethodToolsCall, talking)
	modern := func(meta string) *stage.Request {
		r := request(s.Host("alice"), protocol.MethodToolsCall, `"name":"up__ask"`)
		r.Meta = strings.Replace(stage.Meta, "{", "{"+meta+",", 1)
		return r
	}
	legacy := begin(t, s.Host("alice"), protocol.Revision20251125, "{}")
	old := legacy(protocol.MethodToolsCall, `"_meta":{"progressToken":"\u00e9\/"},"name":"up__ask"`)
	for name, tc := range map[string]struct {
		r    *stage.Request
		want []string
	}{
		"an integer token": {modern(`"progressToken":9007199254740993`), []string{first, second}},
		"a string token":   {modern(`"progressToken":"\u00e9\/"`), []string{first, second}},
		"messages":         {modern(`"io.modelcontextprotocol/logLevel":"warning"`), []string{failure}},
		"both":             {modern(`"io.modelcontextprotocol/logLevel":"warning","progressToken":7`), []string{first, second, failure}},
		"a legacy host":    {old, []string{first, second}},
	} {
		token, _ := protocol.Lookup([]byte(tc.r.Text()), "/params/_meta/progressToken")
		got := heard(t, start(t, tc.r))
		if want := strings.ReplaceAll(strings.Join(tc.want, "\n"), "%", string(token)); strings.Join(got, "\n") != want {
			t.Errorf("%s: heard\n%s\nwant\n%s", name, strings.Join(got, "\n"), want)
		}
	}
	// Who asks for nothing hears nothing, and is answered by one body.
	if r := s.Host("alice").Call(t, "up__ask", `{}`); r.Header.Get("Content-Type") != "application/json" || r.Result == nil {
		t.Errorf("%v %s", r.Header, r.Body)
	}
	// A legacy host sets the level for its session.
	if r := legacy(protocol.MethodSetLevel, `"level":"error"`).Send(t); string(r.Result) != "{}" {
		t.Fatalf("%s", r.Body)
	}
	if got := heard(t, start(t, legacy(protocol.MethodToolsCall, `"name":"up__ask"`))); strings.Join(got, "\n") != failure {
		t.Errorf("heard %q", got)
	}
	// An answer that is an error comes as an event like any other, once the stream has begun.
	up.answer(protocol.MethodToolsCall, func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		token, _ := protocol.Lookup(m.Params, "/_meta/progressToken")
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":1,\"total\":3}}\n\n", token)
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32602,\"message\":\"x\"}}\n\n", m.ID)
	})
	c := start(t, modern(`"progressToken":1`))
	if _, said := c.hear(); said != strings.ReplaceAll(first, "%", "1") {
		t.Errorf("heard %s", said)
	}
	if _, said := c.hear(); !strings.Contains(said, `"isError":true`) {
		t.Errorf("answered %s", said)
	}
}
