package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mcp-gateway/confine"
)

func TestMain(m *testing.M) {
	if confine.Is(os.Args) { // a test's gateway starts its children by way of this binary
		os.Exit(confine.Main(os.Args))
	}
	testscript.Main(m, map[string]func(){
		"mcp-gateway": func() { os.Exit(execute(os.Args[1:])) },
		"lister":      func() { os.Exit(lister(os.Args[1])) },
		"caller":      func() { os.Exit(caller(os.Args[1:])) },
		"exits":       func() { os.Exit(exits(os.Args[1:])) },
	})
}

// TestScripts walks the command line as people do: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Cmds: scriptCommands(), UpdateScripts: os.Getenv("UPDATE_GOLDEN") != ""})
}

// lister is a third-party server over stdio: it lists what a file holds when it is
// asked, and does what is called.
func lister(path string) int {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		switch m.Method {
		case "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"lister","version":"1"}}}`+"\n", m.ID)
		case "tools/list":
			text, err := os.ReadFile(path)
			if err != nil {
				return 1
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`+"\n", m.ID, oneLine(text))
		case "tools/call":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}`+"\n", m.ID)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", m.ID)
		}
	}
	return 0
}

func oneLine(text []byte) string {
	var v json.RawMessage
	if json.Unmarshal(text, &v) != nil {
		return "[]"
	}
	line, err := json.Marshal(v)
	if err != nil {
		return "[]"
	}
	return string(line)
}
