package hosts

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// pipe is a gateway over stdio and what it was told and said.
type pipe struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func start(t *testing.T, s *stage.Stage, upstream string) *pipe {
	t.Helper()
	p := &pipe{t: t, cmd: gatewayCommand(t, s, upstream)}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	p.lines.Buffer(nil, 16<<20)
	return p
}

// say sends one line.
func (p *pipe) say(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// hear returns the next line, which must be a message.
func (p *pipe) hear() protocol.Message {
	p.t.Helper()
	if !p.lines.Scan() {
		p.t.Fatalf("the gateway fell silent: %v", p.lines.Err())
	}
	m, err := protocol.ParseMessage([]byte(p.lines.Text()), protocol.DefaultLimits())
	if err != nil {
		p.t.Fatalf("%q is no message: %v", p.lines.Text(), err)
	}
	return m
}

// ask sends a request and returns its answer, which must be the next line.
func (p *pipe) ask(id, method, params string) protocol.Message {
	p.t.Helper()
	p.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`)
	m := p.hear()
	if string(m.ID) != id {
		p.t.Fatalf("%s: the answer is to %s, want %s", method, m.ID, id)
	}
	return m
}

// end closes the input, and the gateway must end well.
func (p *pipe) end() {
	p.t.Helper()
	if err := p.in.Close(); err != nil {
		p.t.Fatal(err)
	}
	for p.lines.Scan() {
		p.t.Errorf("said at the end: %s", p.lines.Text())
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the gateway ended with %v", err)
	}
}

func (p *pipe) begin(revision string) {
	p.t.Helper()
	m := p.ask(`"i"`, protocol.MethodInitialize, `"protocolVersion":"`+revision+`",`+initialize)
	if got, _ := protocol.Member(m.Result, "protocolVersion"); string(got) != `"`+revision+`"` {
		p.t.Fatalf("initialize: %s %s", m.Result, m.Error)
	}
	p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func code(m protocol.Message) string {
	raw, ok := protocol.Lookup(m.Error, "/data/code")
	if m.Error == nil {
		raw, ok = protocol.Lookup(m.Result, "/_meta/mcp-gateway~1error/code")
	}
	if !ok {
		return ""
	}
	text, _ := protocol.Text(raw)
	return text
}

func TestStdioLegacyLines(t *testing.T) {
	s, _ := open(t)
	p := start(t, s, "peer")
	// Hosts of both eras may ask this first; it decides nothing.
	if m := p.ask("0", protocol.MethodDiscover, `"_meta":`+stage.Meta); m.Result == nil {
		t.Errorf("discover: %s", m.Error)
	}
	p.begin(protocol.Revision20250618)
	called := p.ask("9007199254740993", protocol.MethodToolsCall, `"name":"exact","arguments":`+exact)
	if got, want := string(called.Result), legacyResult(exact); got != want {
		t.Errorf("result\n%s, want\n%s", got, want)
	}
	for method, want := range map[string]string{
		protocol.MethodPing: "", protocol.MethodInitialize: "malformed_request", "no/such": "unknown_method",
	} {
		if m := p.ask("1", method, ""); code(m) != want {
			t.Errorf("%s: %s %s", method, m.Result, m.Error)
		}
	}
	if m := p.ask("2", protocol.MethodToolsList, `"_meta":`+stage.Meta); code(m) != "unsupported_version" {
		t.Errorf("the other era afterwards: %s %s", m.Result, m.Error)
	}
	p.say("\n  \n[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]")
	if m := p.hear(); code(m) != "batch_unsupported" {
		t.Errorf("a batch: %s %s", m.Result, m.Error)
	}
	p.say(`{"jsonrpc":"2.0","id":3,`)
	if m := p.hear(); code(m) != "malformed_request" {
		t.Errorf("no JSON: %s %s", m.Result, m.Error)
	}
	p.say(`{"jsonrpc":"2.0","id":4,"method":"` + strings.Repeat("x", 5<<20) + `"}`)
	if m := p.hear(); code(m) != "too_large" {
		t.Errorf("5 MiB: %s %s", m.Result, m.Error)
	}
	p.end()
}

func TestStdioModernLines(t *testing.T) {
	s, _ := open(t)
	p := start(t, s, "")
	if m := p.ask("1", protocol.MethodToolsList, ""); code(m) != "invalid_params" {
		t.Errorf("neither era: %s %s", m.Result, m.Error)
	}
	called := p.ask(`"a"`, protocol.MethodToolsCall, `"_meta":`+stage.Meta+`,"name":"peer__exact","arguments":`+exact)
	structured, _ := protocol.Member(called.Result, "structuredContent")
	if want := `{"got":` + exact + `,"big":12345678901234567890123}`; string(structured) != want {
		t.Errorf("result %s %s, want %s", called.Result, called.Error, want)
	}
	if m := p.ask("2", protocol.MethodInitialize, `"protocolVersion":"2025-11-25",`+initialize); code(m) != "unsupported_version" {
		t.Errorf("the other era afterwards: %s %s", m.Result, m.Error)
	}
	old := strings.Replace(stage.Meta, protocol.Revision20260728, "2099-01-01", 1)
	if m := p.ask("3", protocol.MethodToolsList, `"_meta":`+old); code(m) != "unsupported_version" {
		t.Errorf("a revision to come: %s %s", m.Result, m.Error)
	}
	p.end()
}

// Answers come as they are ready, a cancelled call is not answered, and what is
// under way when the host leaves is answered still.
func TestStdioCallsRunSideBySide(t *testing.T) {
	for era, meta := range map[string]string{"modern": `"_meta":` + stage.Meta + `,`, "legacy": ""} {
		t.Run(era, func(t *testing.T) {
			s, started := open(t)
			p := start(t, s, "peer")
			if meta == "" {
				p.begin(protocol.Revision20251125)
			}
			call := func(id, tool string) {
				p.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{` + meta + `"name":"` + tool + `"}}`)
			}
			call("1", "wait")
			<-started
			call("2", "exact")
			if m := p.hear(); string(m.ID) != "2" {
				t.Errorf("answered first: %s", m.ID)
			}
			call("1", "exact")
			if m := p.hear(); code(m) != "malformed_request" || string(m.ID) != "1" {
				t.Errorf("an id that is in use: %s %s", m.Result, m.Error)
			}
			p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			call("3", "exact")
			call("4", "exact")
			if err := p.in.Close(); err != nil {
				t.Fatal(err)
			}
			var ids []string
			for p.lines.Scan() {
				var m struct{ ID json.RawMessage }
				if err := json.Unmarshal(p.lines.Bytes(), &m); err != nil {
					t.Fatal(err)
				}
				ids = append(ids, string(m.ID))
			}
			slices.Sort(ids)
			if !slices.Equal(ids, []string{"3", "4"}) {
				t.Errorf("answered %v after the cancellation", ids)
			}
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("the gateway ended with %v", err)
			}
		})
	}
}

// What comes too often is refused unread, and yet by its id: an answer without one
// would be nobody's.
func TestStdioTooOften(t *testing.T) {
	s := stage.Open(t, stage.Options{
		Auth:      `stdio: {subject: local, tenant: test, scopes: [use]}`,
		Settings:  "limits: {rates: {principal: 3/h}}\n",
		Upstreams: []stage.Upstream{stage.Served(t, "peer", peer(nil))}, Review: review,
	})
	p := start(t, s, "")
	for _, id := range []string{"1", `"two"`, "3"} {
		if m := p.ask(id, protocol.MethodToolsList, `"_meta":`+stage.Meta); m.Result == nil {
			t.Fatalf("%s %s", id, m.Error)
		}
	}
	if m := p.ask(`"four"`, protocol.MethodToolsCall, `"_meta":`+stage.Meta+`,"name":"peer__exact","arguments":`+exact); code(m) != "rate_limited" {
		t.Errorf("a call too often: %s %s", m.Result, m.Error)
	}
	if m := p.ask("5", protocol.MethodToolsList, `"_meta":`+stage.Meta); code(m) != "rate_limited" || m.Error == nil {
		t.Errorf("a list too often: %s %s", m.Result, m.Error)
	}
	p.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`) // is not answered
	p.say(`{"jsonrpc":"2.0","id":6,`)
	if m := p.hear(); code(m) != "rate_limited" || m.ID != nil {
		t.Errorf("no message, too often: %s %s", m.ID, m.Error)
	}
	p.end()
}

func TestNobodyComesByStdioUnconfigured(t *testing.T) {
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "peer", peer(nil))}})
	refused(t, s, "", "stdio_principal")
	with, _ := open(t)
	refused(t, with, "absent", "unknown_upstream")
}

func refused(t *testing.T, s *stage.Stage, upstream, code string) {
	t.Helper()
	g, err := run.Open(t.Context(), run.Options{ConfigPath: s.Path("upstreams.yaml"), Version: stage.Version})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	problems, ok := g.ServeStdio(t.Context(), strings.NewReader(""), io.Discard, upstream).(gateway.Problems)
	if !ok || len(problems) != 1 || problems[0].Code != code {
		t.Errorf("%v, want %s", problems, code)
	}
}
