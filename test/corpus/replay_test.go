package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"
)

// replayed names, in the environment of a process that the gateway starts, the
// file of which that process is the server.
const replayed = "MCP_GATEWAY_TEST_REPLAY"

func TestMain(m *testing.M) {
	if path := os.Getenv(replayed); path != "" {
		if err := replay(path, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "replay:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// replay serves the tools/list result in a file the way most real servers do:
// over stdio, of the era before 2026-07-28, all tools on one page. The result
// goes out as it stands in the file but for white space between tokens.
func replay(path string, in io.Reader, out io.Writer) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var list bytes.Buffer
	if err := json.Compact(&list, text); err != nil {
		return err
	}
	const (
		unknown = `"error":{"code":-32601,"message":"Method not found"}`
		hello   = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"replay","version":"1.0.0"}}`
	)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			return err
		}
		if request.ID == nil {
			continue // a notification
		}
		answer := unknown
		switch request.Method {
		case "initialize":
			answer = hello
		case "tools/list":
			answer = `"result":` + list.String()
		}
		if _, err := fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", request.ID, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}
