package redact_test

import (
	"os"
	"path/filepath"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/redact"
)

// TestRealDefinitions cleans the definitions of real servers: they must keep
// their shape, none of them holds anything critical, and their texts, which are
// prose about keys and tokens, show what the rules for secrets take for one.
func TestRealDefinitions(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "..", "..", "shared", "corpus", "*.json"))
	if len(files) == 0 {
		t.Log("not run: no corpus beside the module")
		return
	}
	r := redact.New(redact.Options{})
	tools, found, mistaken := 0, map[string]int{}, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := protocol.Member(raw, "tools")
		for tool := range protocol.Elements(list) {
			tools++
			clean, findings, err := r.Definition(tool)
			if err != nil {
				t.Fatalf("%s: %v", filepath.Base(file), err)
			}
			sameShape(t, tool, clean)
			tally(t, found, findings)
			c, err := r.Result(tool)
			if err != nil {
				t.Fatal(err)
			}
			if n := c.Report().Redactions; n != nil {
				mistaken++
				t.Logf("%s: taken for secrets: %v", filepath.Base(file), n)
			}
		}
	}
	t.Logf("%d definitions, findings %v, %d with something taken for a secret", tools, found, mistaken)
	if mistaken > tools/100 {
		t.Errorf("%d of %d definitions hold something taken for a secret", mistaken, tools)
	}
}

// tally counts findings by code; none may be critical.
func tally(t *testing.T, found map[string]int, findings []gateway.Finding) {
	for _, f := range findings {
		found[f.Code]++
		if f.Severity == gateway.Critical {
			t.Errorf("critical %s at %s", f.Code, f.Path)
		}
	}
}
