package schema_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/schema"
)

// moduleRoot returns the folder of go.mod.
func moduleRoot(t testing.TB) string {
	dir, err := os.Getwd()
	for ; err == nil && dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test")
	return ""
}

// TestRealTools compiles the schemas of real servers: only patterns that RE2
// cannot run and roots without a type may be refused.
func TestRealTools(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(moduleRoot(t), "..", "shared", "corpus", "*.json"))
	if len(files) == 0 {
		t.Log("not run: no corpus beside the module")
		return
	}
	compiled, refused := 0, map[gateway.Reason]int{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tools, _ := protocol.Member(raw, "tools")
		for tool := range protocol.Elements(tools) {
			for _, member := range []string{"inputSchema", "outputSchema"} {
				s, ok := protocol.Member(tool, member)
				if !ok {
					continue
				}
				_, err := schema.Compile(s, schema.Limits{RequireObject: member == "inputSchema"})
				if err == nil {
					compiled++
					continue
				}
				name, _ := protocol.Member(tool, "name")
				t.Logf("%s %s %s: %v", filepath.Base(file), name, member, err)
				refused[expected(t, err)]++
			}
		}
	}
	t.Logf("%d schemas compiled, refused: %v", compiled, refused)
	if compiled < 500 {
		t.Errorf("only %d schemas compiled", compiled)
	}
}

// expected fails unless a real schema was refused for one of the two reasons
// that are known.
func expected(t *testing.T, err error) gateway.Reason {
	reason := reasonOf(t, err)
	pattern := errors.Is(err, schema.ErrPattern) && reason == unsafe
	untyped := errors.Is(err, schema.ErrNotObject) && reason == invalid
	if !pattern && !untyped {
		t.Errorf("refused for another reason: %v", err)
	}
	return reason
}

// libraryDir asks the go command where the library's module is unpacked.
func libraryDir(t *testing.T) string {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/santhosh-tekuri/jsonschema/v6")
	cmd.Dir = moduleRoot(t)
	out, err := cmd.Output()
	if err != nil {
		t.Logf("go list: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// TestSuite runs the extra test suite that the library carries in its module,
// where the module is unpacked, against Compile and Check: values must be judged
// as the suite says.
func TestSuite(t *testing.T) {
	dir := filepath.Join(libraryDir(t), "testdata", "Extra-Test-Suite", "tests")
	files, _ := filepath.Glob(filepath.Join(dir, "draft2020-12", "*.json"))
	more, _ := filepath.Glob(filepath.Join(dir, "draft7", "*.json"))
	if files = append(files, more...); len(files) == 0 {
		t.Log("not run: the library's test data is not there")
		return
	}
	cases := 0
	for _, file := range files {
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		raw, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(raw, &groups) != nil {
			t.Fatal(file, err)
		}
		for _, g := range groups {
			raw := g.Schema
			if strings.Contains(file, "draft7") && raw[0] == '{' && !strings.Contains(string(raw), "$schema") {
				raw = []byte(`{"$schema":"http://json-schema.org/draft-07/schema#",` + string(raw[1:]))
			}
			s, err := schema.Compile(raw, schema.Limits{})
			if err != nil {
				t.Logf("refused: %s: %s: %v", filepath.Base(file), g.Description, err)
				continue
			}
			for _, tc := range g.Tests {
				cases++
				if vs, err := s.Check(tc.Data); err != nil || (vs == nil) != tc.Valid {
					t.Errorf("%s: %s: %s: %v %v, want valid %v", filepath.Base(file), g.Description, tc.Description, vs, err, tc.Valid)
				}
			}
		}
	}
	t.Logf("%d cases", cases)
}
