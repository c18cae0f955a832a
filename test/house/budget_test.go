package house

import (
	"go/ast"
	"go/token"
	"testing"
)

// The budgets. They make rooms small enough to be read whole.
const (
	maxFunction = 80   // lines
	maxFile     = 500  // lines
	maxPackage  = 1000 // lines of code: without blanks, comments and tests
	maxNesting  = 3    // if, for, switch and select inside one another
)

func load(t *testing.T) []*file {
	t.Helper()
	dir, err := root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := tree(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("only %d Go files found below %s: the rules would hold nothing", len(files), dir)
	}
	return files
}

// excused says whether a breach has its reason on record.
func excused(t *testing.T, breach string) bool {
	t.Helper()
	reason, ok := exceptions()[breach]
	if ok && reason == "" {
		t.Errorf("the exception %q gives no reason", breach)
	}
	return ok
}

func TestBudgets(t *testing.T) {
	files := load(t)
	for _, f := range files {
		if f.isTest() {
			continue
		}
		if f.size > maxFile && !excused(t, "file "+f.path) {
			t.Errorf("%s has %d lines, at most %d are allowed", f.path, f.size, maxFile)
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			name := f.path + ":" + fn.Name.Name
			if n := f.line(fn.End()) - f.line(fn.Pos()) + 1; n > maxFunction && !excused(t, "function "+name) {
				t.Errorf("%s has %d lines, at most %d are allowed", name, n, maxFunction)
			}
			if n := nesting(fn.Body); n > maxNesting && !excused(t, "nesting "+name) {
				t.Errorf("%s is nested %d deep, at most %d are allowed", name, n, maxNesting)
			}
		}
	}
	for dir, members := range packages(files) {
		total := 0
		for _, f := range members {
			total += f.code
		}
		if total > maxPackage && !excused(t, "package "+dir) {
			t.Errorf("package %s has %d lines of code, at most %d are allowed", dir, total, maxPackage)
		}
	}
}

// nesting returns how many blocks stand inside one another. An else-if is no
// deeper than its if, and a function literal begins anew.
func nesting(body ast.Node) int {
	deepest := 0
	var walk func(n ast.Node, depth int)
	walk = func(n ast.Node, depth int) {
		ast.Inspect(n, func(child ast.Node) bool {
			if child == nil || child == n {
				return true
			}
			switch c := child.(type) {
			case *ast.FuncLit:
				walk(c.Body, 0)
				return false
			case *ast.IfStmt:
				deepest = max(deepest, depth+1)
				walk(c.Body, depth+1)
				if chained, ok := c.Else.(*ast.IfStmt); ok {
					walk(&ast.BlockStmt{List: []ast.Stmt{chained}}, depth)
				} else if c.Else != nil {
					walk(c.Else, depth+1)
				}
				return false
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				deepest = max(deepest, depth+1)
				walk(c, depth+1)
				return false
			}
			return true
		})
	}
	walk(body, 0)
	return deepest
}

func TestNoHiddenState(t *testing.T) {
	files := load(t)
	vars := make(map[string]map[string]bool) // by folder
	for _, f := range files {
		for _, name := range packageVars(f) {
			if vars[f.dir()] == nil {
				vars[f.dir()] = make(map[string]bool)
			}
			vars[f.dir()][name.Name] = true
		}
	}
	for _, f := range files {
		if f.isTest() {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if fn.Recv == nil && fn.Name.Name == "init" && !excused(t, "init "+f.path) {
				t.Errorf("%s has an init function", f.path)
			}
			for _, id := range written(fn.Body) {
				if id.Name != "_" && vars[f.dir()][id.Name] && !local(id) && !excused(t, "var "+f.path+":"+id.Name) {
					t.Errorf("%s:%d writes the package variable %s", f.path, f.line(id.Pos()), id.Name)
				}
			}
		}
	}
}

func packageVars(f *file) []*ast.Ident {
	var names []*ast.Ident
	for _, d := range f.ast.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			names = append(names, spec.(*ast.ValueSpec).Names...)
		}
	}
	return names
}

// written returns the variables at the root of everything that is assigned to,
// counted up, or whose address is taken.
func written(body ast.Node) []*ast.Ident {
	var ids []*ast.Ident
	add := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				e = x.X
			case *ast.SelectorExpr:
				e = x.X
			case *ast.ParenExpr:
				e = x.X
			case *ast.Ident:
				ids = append(ids, x)
				return
			default:
				return
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				for _, lhs := range s.Lhs {
					add(lhs)
				}
			}
		case *ast.IncDecStmt:
			add(s.X)
		}
		return true
	})
	return ids
}

// local says whether an identifier was declared inside a function. What the
// parser could not resolve in its file is at package level.
func local(id *ast.Ident) bool {
	if id.Obj == nil {
		return false
	}
	spec, ok := id.Obj.Decl.(*ast.ValueSpec)
	if !ok {
		return true
	}
	return spec.Pos() != token.NoPos && !topLevel(spec)
}

// topLevel says whether a var spec stands outside of every function: the parser
// gives such specs objects whose data is their iota, kept as an int.
func topLevel(spec *ast.ValueSpec) bool {
	for _, name := range spec.Names {
		if name.Obj != nil {
			_, isIota := name.Obj.Data.(int)
			return isIota
		}
	}
	return false
}
