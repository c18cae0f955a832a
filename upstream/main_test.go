package upstream_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/upstream"
	"mcp-gateway/upstream/child"
)

// roleVar makes the test binary play a server instead of running tests.
const roleVar = "UPSTREAM_TEST_ROLE"

func TestMain(m *testing.M) {
	role, arg, _ := strings.Cut(os.Getenv(roleVar), ":")
	if role == "" {
		os.Exit(m.Run())
	}
	play, ok := roles()[role]
	if !ok {
		os.Exit(99)
	}
	play(arg)
}

// message is what a played server reads.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// script answers one message with lines to print.
type script func(m message) []string

// serve runs a script over stdin and stdout.
func serve(s script) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			os.Exit(97)
		}
		for _, answer := range s(m) {
			fmt.Println(answer)
		}
	}
}

func result(id json.RawMessage, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, text)
}

func failure(id json.RawMessage, code int, data string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"secret text","data":%s}}`, id, code, data)
}

const (
	discovery = `{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{"listChanged":true}},` +
		`"instructions":"be kind","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"played","version":"7"}}}`
	oneTool = `{"tools":[{"name":"t","inputSchema":{"type":"object"},"x":1.0}],"ttlMs":86400000}`
)

func initialized(revision string) string {
	return `{"protocolVersion":"` + revision + `","capabilities":{},"serverInfo":{"name":"old","version":"3"},"instructions":"old ways"}`
}

// legacy is a well-behaved server of the old era; call answers tools/call.
func legacy(revision string, call script) script {
	return func(m message) []string {
		switch m.Method {
		case "server/discover":
			return []string{failure(m.ID, -32601, "null")}
		case "initialize":
			return []string{result(m.ID, initialized(revision))}
		case "tools/list":
			return []string{result(m.ID, oneTool)}
		case "tools/call":
			return call(m)
		}
		return nil
	}
}

// modern is a well-behaved server of the new era.
func modern(call script) script {
	return func(m message) []string {
		switch m.Method {
		case "server/discover":
			return []string{result(m.ID, discovery)}
		case "tools/list":
			return []string{result(m.ID, oneTool)}
		case "tools/call":
			return call(m)
		case "initialize":
			return []string{failure(m.ID, -32601, "null")}
		}
		return nil
	}
}

// mirror answers with the parameters that came.
func mirror(m message) []string { return []string{result(m.ID, `{"seen":`+string(m.Params)+`}`)} }

// roles are the servers that tests speak to, by name.
func roles() map[string]func(arg string) {
	return map[string]func(string){
		"everything": func(era string) { _ = everything(era).Run(context.Background(), &mcp.StdioTransport{}) },
		"sdk":        func(string) { _ = sdkServer().Run(context.Background(), &mcp.StdioTransport{}) },
		"legacy":     func(revision string) { serve(legacy(revision, mirror)) },
		"modern":     func(string) { serve(modern(mirror)) },
		"faulty page": func(string) {
			serve(modern(nil).or(func(m message) []string {
				if m.Method != "tools/list" {
					return nil
				}
				return []string{result(m.ID, `{"tools":[{"name":"a"},{"name":"b","name":"c"},{"name":"d"}]}`)}
			}))
		},
		"silent":  func(string) { serve(func(message) []string { return nil }) },
		"exits":   func(code string) { os.Exit(7) },
		"banner":  func(string) { fmt.Print("Server v1\n\n[info] ready\n"); serve(legacy("2025-06-18", noisily)) },
		"flood":   func(string) { go flood(); serve(modern(mirror)) },
		"babble":  func(string) { babble() },
		"wrongid": func(string) { serve(modern(wrongIDs)) },
		"strict":  func(string) { serve(modern(unreadable)) },
		"asks":    func(string) { serve(asking()) },
		"changed": func(string) { serve(modern(announcing)) },
		"dies":    func(string) { serve(modern(func(message) []string { os.Exit(5); return nil })) },
		"hangs":   func(string) { serve(hanging()) },
		"pages":   func(how string) { serve(paging(how)) },
		"error": func(string) {
			serve(modern(func(m message) []string { return []string{failure(m.ID, -32602, `{"tool":"t"}`)} }))
		},
		"offers": func(versions string) { serve(offering(versions)) },

		"quiet probe": func(string) { serve(without("server/discover", legacy("2024-11-05", mirror))) },
		"exits on probe": func(log string) {
			note(log, "start")
			serve(func(m message) []string {
				note(log, m.Method)
				if m.Method == "server/discover" {
					os.Exit(1)
				}
				return legacy("2025-11-25", mirror)(m)
			})
		},
		"turncoat": func(log string) {
			before, _ := os.ReadFile(log)
			note(log, "start")
			if len(before) == 0 {
				serve(modern(func(message) []string { os.Exit(1); return nil }))
			}
			serve(legacy("2025-11-25", mirror))
		},
		"slow start": func(log string) { serve(slow(log)) },
	}
}

func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1.8.0"}, &mcp.ServerOptions{Instructions: "from the sdk"})
	type in struct {
		Text string `json:"text"`
	}
	type out struct {
		Echo string `json:"echo"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "says it again"},
		func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, out, error) {
			return nil, out{Echo: i.Text}, nil
		})
	return s
}

func without(method string, s script) script {
	return func(m message) []string {
		if m.Method == method {
			return nil
		}
		return s(m)
	}
}

// note appends a line to a file that the test reads.
func note(path, line string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(96)
	}
	_, _ = f.WriteString(line + "\n")
	_ = f.Close()
}

func noisily(m message) []string {
	return append([]string{"loading model …", "\x1b[32mdone\x1b[0m", `[1,2]`, `"text"`}, mirror(m)...)
}

func flood() {
	for line := strings.Repeat("e", 100); ; {
		fmt.Fprintln(os.Stderr, line)
	}
}

func babble() {
	for {
		fmt.Println("this is not the protocol you are looking for")
	}
}

// wrongIDs answers ids that nobody sent before the right one, and the right one
// twice.
func wrongIDs(m message) []string {
	return []string{
		result(json.RawMessage("9007199254740993"), `{"whose":"nobody's"}`),
		result(json.RawMessage(`"`+string(m.ID)+`"`), `{"whose":"a string's"}`),
		result(json.RawMessage("1"), `{"whose":"the probe's"}`),
		result(m.ID, `{"whose":"mine","n":9007199254740993}`),
		result(m.ID, `{"whose":"mine again"}`),
	}
}

// unreadable answers by what the tool's name asks for.
func unreadable(m message) []string {
	var p struct{ Name string }
	_ = json.Unmarshal(m.Params, &p)
	switch p.Name {
	case "duplicate":
		return []string{result(m.ID, `{"a":1,"a":2}`)}
	case "array":
		return []string{result(m.ID, `[1]`)}
	case "number bomb":
		return []string{result(m.ID, `{"a":1e1000001}`)}
	case "both":
		return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{},"error":{"code":1,"message":"x"}}`, m.ID)}
	case "utf-8":
		return []string{result(m.ID, "{\"a\":\"\xff\"}")}
	case "long":
		return []string{`{"result":{"x":"` + strings.Repeat("x", 300_000) + `"},"jsonrpc":"2.0","id":` + string(m.ID) + `}`}
	case "big":
		return []string{result(m.ID, `{"x":"`+strings.Repeat("x", 50_000)+`"}`)}
	default:
		return mirror(m)
	}
}

// asking sends requests of its own before it answers a call, and says what it
// was answered.
func asking() script {
	var call json.RawMessage
	var answers []string
	return modern(nil).or(func(m message) []string {
		switch {
		case m.Method == "tools/call":
			call = m.ID
			return []string{
				`{"jsonrpc":"2.0","id":"s-1","method":"sampling/createMessage","params":{}}`,
				`{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{}}`,
				`{"jsonrpc":"2.0","id":3,"method":"roots/list"}`,
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
				`{"jsonrpc":"2.0","id":4,"method":"ping"}`,
			}
		case m.Method == "" && call != nil:
			var e struct{ Code int }
			_ = json.Unmarshal(m.Error, &e)
			answers = append(answers, fmt.Sprintf(`{"id":%s,"code":%d}`, m.ID, e.Code))
			if len(answers) == 4 {
				return []string{result(call, `{"answers":[`+strings.Join(answers, ",")+`]}`)}
			}
		}
		return nil
	})
}

// or answers with s what is a matter of meeting, and with other the rest.
func (s script) or(other script) script {
	return func(m message) []string {
		if m.Method == "server/discover" || m.Method == "initialize" {
			return s(m)
		}
		return other(m)
	}
}

func announcing(m message) []string {
	changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	return append([]string{changed, changed, changed, changed}, mirror(m)...)
}

// hanging answers no call but "status", which says what it heard meanwhile.
func hanging() script {
	var heard []string
	return modern(nil).or(func(m message) []string {
		var p struct {
			Name      string
			RequestID int64
		}
		_ = json.Unmarshal(m.Params, &p)
		if p.Name == "status" {
			return []string{result(m.ID, `{"heard":[`+strings.Join(heard, ",")+`]}`)}
		}
		heard = append(heard, fmt.Sprintf(`{"method":%q,"id":%s,"requestId":%d}`, m.Method, orNull(m.ID), p.RequestID))
		if p.Name == "late" { // the answer to a call that was given up must reach nobody
			return nil
		}
		return nil
	})
}

func orNull(id json.RawMessage) string {
	if id == nil {
		return "null"
	}
	return string(id)
}

// paging lists in pages, in one of several ways.
func paging(how string) script {
	return modern(nil).or(func(m message) []string {
		if m.Method != "tools/list" {
			return nil
		}
		var p struct{ Cursor *string }
		_ = json.Unmarshal(m.Params, &p)
		return []string{page(m.ID, how, p.Cursor)}
	})
}

func page(id json.RawMessage, how string, cursor *string) string {
	at := "first"
	if cursor != nil {
		at = *cursor
	}
	tool := func(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }
	switch how + " " + at {
	case "good first":
		return result(id, `{"tools":[`+tool("a")+`],"nextCursor":"","ttlMs":600000}`)
	case "good ":
		return result(id, `{"tools":[`+tool("b")+`],"nextCursor":"c","ttlMs":60000}`)
	case "good c":
		return result(id, `{"tools":[`+tool("c")+`],"nextCursor":null}`)
	case "loop first":
		return result(id, `{"tools":[`+tool("a")+`],"nextCursor":"x"}`)
	case "loop x":
		return result(id, `{"tools":[`+tool("b")+`],"nextCursor":"x"}`)
	case "fails first":
		return result(id, `{"tools":[`+tool("a")+`],"nextCursor":"x"}`)
	case "fails x", "error first":
		return failure(id, -32603, "null")
	case "task first":
		return result(id, `{"resultType":"task","tools":[]}`)
	case "big first":
		return result(id, `{"tools":[`+tool("a")+`,{"name":"b","description":"`+strings.Repeat("d", 2_100_000)+`","inputSchema":{"type":"object"}}]}`)
	case "many first":
		return result(id, `{"tools":[`+strings.Repeat(tool("a")+",", 10_000)+tool("b")+`]}`)
	}
	// endless: another cursor each time
	return result(id, fmt.Sprintf(`{"tools":[%s],"nextCursor":"%sx"}`, tool("a"), at))
}

// offering refuses the first probe with -32022 naming versions, and serves the
// revision that it names when it is asked with that.
func offering(versions string) script {
	return func(m message) []string {
		if m.Method == "server/discover" {
			return []string{failure(m.ID, -32022, `{"supported":[`+versions+`],"requested":"2026-07-28"}`)}
		}
		return legacy("2025-11-25", mirror)(m)
	}
}

// slow is a modern server whose first process is late with its introduction;
// it answers what it was sent in order.
func slow(log string) script {
	before, _ := os.ReadFile(log)
	note(log, "start")
	var held message
	return func(m message) []string {
		switch {
		case m.Method == "server/discover" && len(before) == 0:
			held = m
			return nil
		case m.Method == "initialize" && held.ID != nil:
			return []string{result(held.ID, discovery), result(m.ID, initialized("2025-11-25"))}
		case m.Method == "server/discover":
			<-time.After(100 * time.Millisecond) // it is quicker now, and still not quick
		}
		return modern(mirror)(m)
	}
}

// playing is the configuration of an upstream in that role, with short times.
func playing(role string) upstream.Config {
	return upstream.Config{
		ID: "up", Version: "1.2.3",
		Stdio: &child.Options{
			Command: []string{os.Args[0]},
			Env:     map[string]string{roleVar: role, "GORACE": "atexit_sleep_ms=0"},
			Grace:   200 * time.Millisecond, Backoff: child.Backoff{Min: time.Millisecond, Max: 5 * time.Millisecond},
		},
		Timeout: 20 * time.Second, ProbeTimeout: 10 * time.Second, StartTimeout: 10 * time.Second,
	}
}

// open makes a client that the end of the test closes.
func open(t *testing.T, cfg upstream.Config) *upstream.Client {
	t.Helper()
	c, err := upstream.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// settled waits until f holds.
func settled(t *testing.T, what string, f func() bool) {
	t.Helper()
	deadline := time.After(time.Minute) // only what never comes waits so long
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-deadline:
			buf := make([]byte, 1<<20)
			t.Fatalf("%s: not so after a minute\n%s", what, buf[:runtime.Stack(buf, true)])
		case <-tick.C:
		}
	}
}
