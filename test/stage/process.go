package stage

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"

	"mcp-gateway/confine"
	"mcp-gateway/examples/incident/desk"
)

// RoleVar makes the test binary play a role of Main instead of running tests.
const RoleVar = "MCP_STAGE_ROLE"

const incidentRole = "incident"

// Main runs the tests, or plays one of the roles if this process was started as
// an upstream. Every package has the role of the incident example.
func Main(m *testing.M, roles map[string]func(args []string)) int {
	if confine.Is(os.Args) {
		return confine.Main(os.Args)
	}
	name := os.Getenv(RoleVar)
	if name == "" {
		return m.Run()
	}
	if name == incidentRole {
		return incident(os.Args[1:])
	}
	play, ok := roles[name]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such role:", name)
		return 99
	}
	play(os.Args[1:])
	return 0
}

func incident(args []string) int {
	var o desk.Options
	flags := flag.NewFlagSet(incidentRole, flag.ContinueOnError)
	flags.StringVar(&o.Record, "record", "", "append a line for each executed call to this `file`")
	flags.StringVar(&o.Variant, "variant-file", "", "serve a changed definition while this `file` exists")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := desk.Serve(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Message is one message that an upstream got.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Name is what params.name says.
func (m Message) Name() string {
	var p struct{ Name string }
	_ = json.Unmarshal(m.Params, &p) // "" where there is none
	return p.Name
}

// Arguments are params.arguments, as they came.
func (m Message) Arguments() string {
	var p struct{ Arguments json.RawMessage }
	_ = json.Unmarshal(m.Params, &p) // "" where there are none
	return string(p.Arguments)
}

// Discovered is the result of server/discover of a hand-made upstream.
const Discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`

// Response is one JSON-RPC response with a result.
func Response(id json.RawMessage, result string) string {
	return `{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + `}`
}

// Text is a tool's result with one block of text, which is JSON already.
func Text(quoted string) string {
	return `{"resultType":"complete","content":[{"type":"text","text":` + quoted + `}]}`
}

// Tool is a definition of a tool that takes any object.
func Tool(name string) string {
	return `{"name":"` + name + `","inputSchema":{"type":"object"}}`
}

// List is the result of tools/list.
func List(tools ...string) string {
	text := `{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[`
	for i, t := range tools {
		if i > 0 {
			text += ","
		}
		text += t
	}
	return text + "]}"
}

// Lines reads messages from standard input until it ends, and hands each to the
// role.
func Lines(each func(m Message)) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var m Message
		if err != nil || json.Unmarshal(line, &m) != nil {
			os.Exit(97)
		}
		each(m)
	}
}

// Speak answers the introduction and the list on standard output, and reports
// whether the message was one of these.
func Speak(m Message, tools ...string) bool {
	switch m.Method {
	case "server/discover":
		fmt.Println(Response(m.ID, Discovered))
	case "tools/list":
		fmt.Println(Response(m.ID, List(tools...)))
	default:
		return false
	}
	return true
}
