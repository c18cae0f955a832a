package reads

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Reads are the parts of the input that a policy looks at, as paths without
// "input": "subject.properties.scopes". What is reached through a variable is the
// whole of what the variable stands for. It may hold more than is looked at and
// never less.
type Reads struct {
	paths []string // sorted; "" = the whole input
}

// Of collects what the rules of a compiler look at. Each of them must be one
// that takes part.
func Of(c *ast.Compiler) Reads {
	seen := map[string]bool{}
	for _, m := range c.Modules {
		ast.NewGenericVisitor(func(x any) bool { return read(x, seen) }).Walk(m)
	}
	r := Reads{}
	for path := range seen {
		r.paths = append(r.paths, path)
	}
	slices.Sort(r.paths)
	return r
}

// read notes what a node looks at, and says whether its parts are done with.
func read(x any, seen map[string]bool) bool {
	t, ok := x.(*ast.Term)
	if !ok {
		return false
	}
	if t.Value.Compare(ast.InputRootDocument.Value) == 0 {
		seen[""] = true
	}
	ref, ok := t.Value.(ast.Ref)
	if !ok || ref[0].Value.Compare(ast.InputRootDocument.Value) != 0 {
		return false
	}
	var parts []string
	for _, key := range ref[1:] {
		s, ok := key.Value.(ast.String)
		if !ok {
			break
		}
		parts = append(parts, string(s))
	}
	seen[strings.Join(parts, ".")] = true
	for _, key := range ref[1:] {
		ast.NewGenericVisitor(func(x any) bool { return read(x, seen) }).Walk(key)
	}
	return true
}

// Any says whether something at the path, below it or around it is looked at.
func (r Reads) Any(path string) bool {
	return slices.ContainsFunc(r.paths, func(p string) bool {
		return p == "" || p == path || strings.HasPrefix(p, path+".") || strings.HasPrefix(path, p+".")
	})
}

// Paths returns what is looked at, sorted.
func (r Reads) Paths() []string { return slices.Clone(r.paths) }
