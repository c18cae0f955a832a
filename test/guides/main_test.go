package guides

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "lister" {
		os.Exit(lister(os.Args[1]))
	}
	os.Exit(stage.Main(m, nil))
}

// programs is a folder with what a reader has: the gateway, and the third-party
// server of which a host's file speaks, which this test's own binary plays.
func programs(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "mcp-gateway"), "mcp-gateway/cmd/mcp-gateway")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, "lister"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// lister is a server over stdio: it lists what a file holds when it is asked.
func lister(path string) int {
	in := bufio.NewScanner(os.Stdin)
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
			var tools any
			if err != nil || json.Unmarshal(text, &tools) != nil {
				return 1
			}
			line, _ := json.Marshal(tools) // it was read from JSON
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`+"\n", m.ID, line)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", m.ID)
		}
	}
	return 0
}
