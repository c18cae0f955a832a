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
	"mcp-gateway/schema/plan"
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
	tried, refused := 0, map[gateway.Reason]int{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tools, _ := protocol.Member(raw, "tools")
		for tool := range protocol.Elements(tools) {
			for _, err := range compileBoth(tool) {
				tried++
				expected(t, refused, filepath.Base(file), err)
			}
		}
	}
	t.Logf("%d schemas tried, refused: %v", tried, refused)
	if tried < 500 {
		t.Errorf("only %d schemas were there", tried)
	}
}

// compileBoth returns what came of each schema of a tool.
func compileBoth(tool []byte) (errs []error) {
	for _, member := range []string{"inputSchema", "outputSchema"} {
		if s, ok := protocol.Member(tool, member); ok {
			_, err := schema.Compile(s, schema.Limits{RequireObject: member == "inputSchema"})
			errs = append(errs, err)
		}
	}
	return errs
}

// expected counts a refusal, and fails unless it was for one of the two reasons
// that real schemas are known to be refused for.
func expected(t *testing.T, refused map[gateway.Reason]int, file string, err error) {
	if err == nil {
		return
	}
	reason := reasonOf(t, err)
	refused[reason]++
	t.Logf("%s: %v", file, err)
	pattern := errors.Is(err, schema.ErrPattern) && reason == unsafe
	untyped := errors.Is(err, schema.ErrNotObject) && reason == invalid
	if !pattern && !untyped {
		t.Errorf("%s: refused for another reason: %v", file, err)
	}
}

// moduleDir asks the go command where a module is unpacked; "" if nowhere.
func moduleDir(t *testing.T, module string) string {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	cmd.Dir = moduleRoot(t)
	out, err := cmd.Output()
	if err != nil {
		t.Logf("go list %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

// suiteGroup is one entry of a file of the JSON Schema Test Suite.
type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// TestSuite runs the JSON Schema Test Suite, of which two modules carry copies,
// where they are unpacked. Values must be judged as the suite says; a schema may
// be refused for what this package never allows, and for nothing else.
func TestSuite(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		filepath.Join(moduleDir(t, "github.com/google/jsonschema-go"), "jsonschema", "testdata", "draft*", "*.json"),
		filepath.Join(moduleDir(t, "github.com/santhosh-tekuri/jsonschema/v6"), "testdata", "Extra-Test-Suite", "tests", "draft*", "*.json"),
	} {
		found, _ := filepath.Glob(pattern)
		files = append(files, found...)
	}
	cases, refused := 0, 0
	for _, file := range files {
		dialect := dialectOf(file)
		if dialect == "" || filepath.Base(file) == "mixed-dialects.json" {
			continue // one document has one dialect here
		}
		raw, err := os.ReadFile(file)
		var groups []suiteGroup
		if err != nil || json.Unmarshal(raw, &groups) != nil {
			t.Fatal(file, err)
		}
		for _, g := range groups {
			n := runGroup(t, filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), dialect, g)
			if cases += n; n == 0 {
				refused++
			}
		}
	}
	if cases == 0 {
		t.Log("not run: no module with the suite is there")
		return
	}
	t.Logf("%d cases judged as the suite says, %d schemas refused", cases, refused)
}

func dialectOf(file string) string {
	switch filepath.Base(filepath.Dir(file)) {
	case "draft2020-12":
		return "https://json-schema.org/draft/2020-12/schema"
	case "draft7":
		return "http://json-schema.org/draft-07/schema#"
	}
	return ""
}

// runGroup returns how many cases it ran; none if the schema was refused.
func runGroup(t *testing.T, file, dialect string, g suiteGroup) (cases int) {
	raw := g.Schema
	if raw[0] == '{' && !strings.Contains(string(raw), `"$schema"`) {
		raw = []byte(strings.TrimSuffix(`{"$schema":"`+dialect+`",`+strings.TrimSpace(string(raw[1:])), ",}"))
		if !json.Valid(raw) {
			raw = append(raw, '}')
		}
	}
	s, err := schema.Compile(raw, schema.Limits{})
	if err != nil {
		if !refusable(err) {
			t.Errorf("refused: %s: %s: %v", file, g.Description, err)
		}
		return 0
	}
	for _, tc := range g.Tests {
		cases++
		if vs, err := s.Check(tc.Data); err != nil || (vs == nil) != tc.Valid {
			t.Errorf("%s: %s: %s: %v %v, want valid %v", file, g.Description, tc.Description, vs, err, tc.Valid)
		}
	}
	return cases
}

// refusable lists what is refused on purpose although the suite has it.
func refusable(err error) bool {
	for _, cause := range []error{schema.ErrRemote, schema.ErrDialect, schema.ErrPattern, plan.ErrForeign, plan.ErrDialects, plan.ErrCycle} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}
