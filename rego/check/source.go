package check

import (
	"context"
	"io/fs"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Source is a policy that lies in no folder: in a bundle, or in memory.
type Source struct {
	Modules  map[string]string // Rego by the name that problems give
	Data     map[string]any
	Revision string // what decisions name it by; "" = the digest of its texts
}

// Compile checks and prepares a policy. The error is gateway.Problems.
func Compile(ctx context.Context, s Source) (*Policy, error) {
	f := &files{modules: sources(s.Modules), data: s.Data, dataFile: "data.json", revision: s.Revision}
	if f.data == nil {
		f.data = map[string]any{}
	}
	return compilePolicy(ctx, f)
}

// Suite is a policy as tests see it: its modules, those that the gateway adds, and
// its tests, over its data.
type Suite struct {
	Modules map[string]*ast.Module
	Data    map[string]any
	Own     map[string]*ast.Module // of Modules, those that serve and that the author wrote
	Texts   map[string]string      // of all that the author wrote
}

// Tests says whether a file holds tests.
func (s *Suite) Tests(file string) bool { return s.Texts[file] != "" && s.Own[file] == nil }

// LoadSuite reads a folder with its tests. The policy itself need not pass Load.
func LoadSuite(folder fs.FS, prefix string) (*Suite, error) {
	f, err := readPolicy(folder, prefix)
	if err != nil {
		return nil, err
	}
	b := &build{files: f}
	if err := b.parse(); err != nil {
		return nil, err
	}
	s := &Suite{Modules: b.modules, Data: f.data, Own: map[string]*ast.Module{}, Texts: f.modules}
	for name := range f.modules {
		s.Own[name] = b.modules[name]
	}
	tests, err := readTests(folder, prefix)
	if err != nil {
		return nil, err
	}
	for name, text := range tests {
		m, err := ast.ParseModuleWithOpts(name, text, ast.ParserOptions{ProcessAnnotation: true})
		if err != nil {
			return nil, tests.problems(err)
		}
		s.Modules[name], s.Texts[name] = m, text
	}
	return s, b.addLibrary() // a test may refer to it as well
}

// readTests reads what isPolicyFile leaves to tests.
func readTests(folder fs.FS, prefix string) (sources, error) {
	out := sources{}
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.rego") || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		text, err := fs.ReadFile(folder, name)
		out[shownAs(prefix, name)] = string(text)
		return err
	})
	return out, err
}

// Problems makes an error of OPA's gateway.Problems with excerpts of the texts,
// which are keyed by the name that the error gives.
func Problems(texts map[string]string, err error) error { return sources(texts).problems(err) }
