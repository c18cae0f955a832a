package house

import (
	"strconv"
	"strings"
	"testing"
)

// rows is the layout, from the top down. A package may import rows below its
// own and, inside its own folder, what it likes.
var rows = [][]string{
	{"test"},
	{"cmd"},
	{"examples"},
	{"proxy", "upstream", "console", "admin", "store", "config"},
	{"auth", "registry", "rego", "redact", "approval", "receipt", "audit", "schema"},
	{"protocol", "egress", "keyring", "confine", "telemetry"},
	{"gateway"},
}

// sideways are the imports within one row that the design allows.
var sideways = map[string]string{
	"registry": "schema", // a definition is kept with its compiled schemas
}

// homes are the modules that one folder alone may import, by import prefix.
var homes = map[string][]string{
	"github.com/open-policy-agent/opa":         {"rego"},
	"github.com/modelcontextprotocol/go-sdk":   {"upstream", "proxy", "auth", "test", "examples"},
	"database/sql":                             {"store", "audit", "test"},
	"modernc.org/sqlite":                       {"store", "audit", "test"},
	"github.com/goccy/go-yaml":                 {"config"},
	"github.com/spf13/cobra":                   {"cmd"},
	"go.uber.org/zap":                          {"cmd", "test"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"schema"},
	"github.com/go-json-experiment/json":       {"protocol", "redact"},
	"github.com/fsnotify/fsnotify":             {"config", "examples"},
	"github.com/lestrrat-go/jwx/v3":            {"auth", "receipt", "test"},
	"github.com/zitadel/oidc/v3":               {"test"},
	"golang.org/x/time/rate":                   {"proxy", "upstream"},
	"go.opentelemetry.io/otel":                 {"telemetry"},
	"github.com/prometheus/client_golang":      {"telemetry"},
}

func TestImportsPointDown(t *testing.T) {
	level := make(map[string]int)
	for i, row := range rows {
		for _, folder := range row {
			level[folder] = i
		}
	}
	for _, f := range load(t) {
		from := top(f.dir())
		mine, known := level[from]
		if !known {
			t.Errorf("%s: folder %q has no row in the layout", f.path, from)
			continue
		}
		for _, spec := range f.ast.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			checkHome(t, f, from, target)
			inner, ours := strings.CutPrefix(target, module+"/")
			to := top(inner)
			if !ours || to == from || f.isTest() && level[to] >= mine {
				continue
			}
			if level[to] <= mine && sideways[from] != to && !(from == "store" && level[to] == level["registry"]) {
				t.Errorf("%s imports %s: imports point down only", f.path, target)
			}
		}
	}
}

func checkHome(t *testing.T, f *file, from, target string) {
	t.Helper()
	for prefix, allowed := range homes {
		if target != prefix && !strings.HasPrefix(target, prefix+"/") {
			continue
		}
		for _, folder := range allowed {
			if folder == from {
				return
			}
		}
		if !excused(t, "home "+f.path) {
			t.Errorf("%s imports %s, whose home is %v", f.path, target, allowed)
		}
	}
}

// top is the first element of a path.
func top(dir string) string {
	first, _, _ := strings.Cut(dir, "/")
	return first
}

func TestGatewayStandsAlone(t *testing.T) {
	for _, f := range load(t) {
		if f.dir() != "gateway" || f.isTest() {
			continue
		}
		for _, spec := range f.ast.Imports {
			if strings.Contains(spec.Path.Value, ".") || strings.HasPrefix(spec.Path.Value, `"`+module) {
				t.Errorf("%s imports %s: the shared words use the standard library only", f.path, spec.Path.Value)
			}
		}
	}
}
