package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mcp-gateway/config"
	"mcp-gateway/gateway"
)

// Load tells all that is wrong with a file, each fault with its place, a
// stable code and the remedy.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "config")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "upstreams.yaml")
	text := "version: 1\nupstreams:\n  tracker:\n    http: {url: \"http://tracker.example/mcp\"}\n    timeuot: 20s\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}

	_, err = config.Load(path)
	var problems gateway.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			fmt.Printf("%d:%d %s: %s\n", p.Pos.Line, p.Pos.Col, p.Code, p.Message)
		}
	}
	// Output:
	// 4:17 insecure_url: plain http is for loopback only: use https
	// 5:5 unknown_key: unknown key `timeuot`; did you mean `timeout`?
}
