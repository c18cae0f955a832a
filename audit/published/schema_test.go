package published

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/schema"
)

var update = flag.Bool("update", false, "write the published schema anew")

const path = "../../docs/event.schema.json"

// The published schema is the one of this code, describes every field, and
// takes every golden event; another member or a value of another shape it
// refuses.
func TestSchema(t *testing.T) {
	text := Schema()
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("%s is not what Schema returns; run go test ./audit/published -update", path)
	}
	all := members()
	names := 0
	for name := range audit.Fields() {
		names++
		if m := all[name]; m.shape == "" || m.means == "" {
			t.Errorf("%s is not described", name)
		}
	}
	if len(all) != names {
		t.Errorf("%d described, %d in the table", len(all), names)
	}
	s, err := schema.Compile(text, schema.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	golden, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(golden) < len(audit.Types()) {
		t.Fatalf("%d golden events, %v", len(golden), err)
	}
	for _, file := range golden {
		line, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if broken, err := s.Check(line); len(broken) > 0 || err != nil {
			t.Errorf("%s: %v %v", file, broken, err)
		}
		for _, bad := range []string{`"argument":"x",`, `"v":"1",`} {
			other := bytes.Replace(line, []byte(`"v":1,`), []byte(bad+`"v":1,`), 1)
			if bad[1] == 'v' {
				other = bytes.Replace(line, []byte(`"v":1,`), []byte(bad), 1)
			}
			if broken, err := s.Check(other); len(broken) == 0 && err == nil {
				t.Errorf("%s with %s is taken", file, bad)
			}
		}
	}
}
