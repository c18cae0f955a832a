package house

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryPackageHasItsMap(t *testing.T) {
	for dir, members := range packages(load(t)) {
		var doc *file
		for _, f := range members {
			if path.Base(f.path) == "doc.go" {
				doc = f
			}
		}
		if doc == nil || doc.ast.Doc == nil {
			t.Errorf("package %s has no doc.go with its purpose", dir)
			continue
		}
		for _, f := range members {
			if base := path.Base(f.path); base != "doc.go" && !strings.Contains(doc.ast.Doc.Text(), base) {
				t.Errorf("%s is missing from the map in doc.go", f.path)
			}
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, f := range load(t) {
		if f.isTest() || f.ast.Name.Name == "main" {
			continue
		}
		for _, d := range f.ast.Decls {
			if name := undocumented(d); name != "" {
				t.Errorf("%s: %s has no doc comment", f.path, name)
			}
		}
	}
}

// undocumented returns the first exported name of a declaration that no comment
// speaks of. A group's comment speaks of all its members.
func undocumented(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			return d.Name.Name
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					return s.Name.Name
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					return s.Names[0].Name
				}
			}
		}
	}
	return ""
}

func exportedReceiver(fn *ast.FuncDecl) bool {
	if fn.Recv == nil {
		return true
	}
	expr := fn.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if generic, ok := expr.(*ast.IndexExpr); ok {
		expr = generic.X
	}
	id, ok := expr.(*ast.Ident)
	return ok && id.IsExported()
}

func TestTestsWaitForNothing(t *testing.T) {
	for _, f := range load(t) {
		if !f.isTest() || imports(f, "testing/synctest") { // there time is the test's own
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if isCall(call, "time", "Sleep") && !excused(t, "sleep "+f.path) {
				t.Errorf("%s:%d sleeps; wait for what you wait for", f.path, f.line(call.Pos()))
			}
			return true
		})
	}
}

func imports(f *file, path string) bool {
	for _, spec := range f.ast.Imports {
		if spec.Path.Value == `"`+path+`"` {
			return true
		}
	}
	return false
}

func TestErrorsAreNotMatchedByText(t *testing.T) {
	for _, f := range load(t) {
		if f.dir() == "test/house" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isCall(call, "strings", "Contains") && !isCall(call, "strings", "HasPrefix") {
				return true
			}
			inner, ok := call.Args[0].(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := inner.Fun.(*ast.SelectorExpr)
			if ok && sel.Sel.Name == "Error" && len(inner.Args) == 0 && !excused(t, "error text "+f.path) {
				t.Errorf("%s:%d matches on the text of an error; match its code", f.path, f.line(call.Pos()))
			}
			return true
		})
	}
}

func isCall(call *ast.CallExpr, pkg, name string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// TestLinksLeadSomewhere checks every relative link of every document.
func TestLinksLeadSomewhere(t *testing.T) {
	dir, err := root()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Glob(filepath.Join(dir, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	adrs, err := filepath.Glob(filepath.Join(dir, "docs", "adr", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	docs = append(append(docs, adrs...), filepath.Join(dir, "README.md"), filepath.Join(dir, "CHANGELOG.md"))
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, link := range links(string(text)) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), link)); err != nil {
				t.Errorf("%s links to %s, which is not there", doc, link)
			}
		}
	}
}

// links returns the relative targets of Markdown links.
func links(text string) []string {
	var targets []string
	for _, part := range strings.Split(text, "](")[1:] {
		target, _, ok := strings.Cut(part, ")")
		target, _, _ = strings.Cut(target, "#")
		if ok && target != "" && !strings.Contains(target, "://") && !strings.ContainsAny(target, " \n") {
			targets = append(targets, target)
		}
	}
	return targets
}
