package names

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcp-gateway/rego/lint"

	"github.com/open-policy-agent/opa/v1/ast"
)

// words are what the gateway asks for in package mcp.gateway, directly or in the
// simple form.
var words = []string{"allow", "ask", "decision", "deny", "obligations", "redact", "result", "visible", "withhold"}

// home is the package that the gateway asks.
const home = "data.mcp.gateway"

// Reached are the paths of the rules on which the entry points depend, however
// indirectly, themselves among them.
func Reached(c *ast.Compiler, entries ...ast.Ref) map[string]bool {
	out, seen := map[string]bool{}, map[*ast.Rule]bool{}
	var visit func(*ast.Rule)
	visit = func(r *ast.Rule) {
		if r == nil || seen[r] {
			return
		}
		seen[r] = true
		out[PathOf(r)] = true
		visit(r.Else)
		for d := range c.Graph.Dependencies(r) {
			visit(d.(*ast.Rule))
		}
	}
	for _, e := range entries {
		for _, r := range c.GetRulesWithPrefix(e) {
			visit(r)
		}
	}
	return out
}

// PathOf is a rule's path without what it looks up: data.mcp.gateway.deny.
func PathOf(r *ast.Rule) string { return r.Ref().GroundPrefix().String() }

// Idle says which of the author's rules decide nothing: those of package mcp.gateway
// that no entry point comes to, and, of another package, a set named nearly as one
// that the gateway asks for, or a whole package named nearly as its own. Other
// packages may hold what nobody uses yet.
func Idle(c *ast.Compiler, own func(file string) bool, reached map[string]bool) []lint.Fault {
	var out []lint.Fault
	told := map[string]bool{}
	for _, m := range inOrder(c.Modules) {
		file := m.Package.Location.File
		if !own(file) {
			continue
		}
		at := m.Package.Path.String()
		if at != home {
			if message := astray(m, reached); message != "" {
				out = append(out, lint.Fault{Location: m.Package.Location, Code: CodeIdle, Message: message})
				continue
			}
		}
		for _, r := range m.Rules {
			path := PathOf(r)
			if reached[path] || told[path] {
				continue
			}
			if message := idle(c, r, at == home, reached); message != "" {
				told[path] = true
				out = append(out, lint.Fault{Location: r.Location, Code: CodeIdle, Message: message})
			}
		}
	}
	return out
}

func inOrder(modules map[string]*ast.Module) []*ast.Module {
	var out []*ast.Module
	for _, m := range modules {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b *ast.Module) int { return cmp.Compare(a.Package.Location.File, b.Package.Location.File) })
	return out
}

// name is a rule's name in its package.
func name(r *ast.Rule) string {
	path := PathOf(r)
	return path[strings.LastIndex(path, ".")+1:]
}

// astray says that nothing comes to a package whose rules are named, or which itself
// is named, as if the gateway asked it.
func astray(m *ast.Module, reached map[string]bool) string {
	path := m.Package.Path.String()
	asked := false
	for _, r := range m.Rules {
		if reached[PathOf(r)] {
			return ""
		}
		asked = asked || slices.Contains(words, name(r)) && len(r.Head.Args) == 0
	}
	near := lint.Meant(strings.TrimPrefix(path, "data."), []string{strings.TrimPrefix(home, "data.")})
	if !asked && near == "" || len(m.Rules) == 0 {
		return ""
	}
	return fmt.Sprintf("nothing comes to package %s: the gateway asks package mcp.gateway, and none of its rules refers to it%s", strings.TrimPrefix(path, "data."), near)
}

// idle says why a rule decides nothing, or nothing where that is no fault.
func idle(c *ast.Compiler, r *ast.Rule, atHome bool, reached map[string]bool) string {
	called := name(r)
	if strings.HasPrefix(called, "test_") || strings.HasPrefix(called, "todo_test_") {
		return ""
	}
	meant := ""
	if !slices.Contains(words, called) {
		meant = lint.Meant(called, words)
	}
	if !atHome {
		if r.Head.RuleKind() != ast.MultiValue || meant == "" || len(c.Graph.Dependents(r)) > 0 {
			return ""
		}
		return fmt.Sprintf("nothing that the gateway asks for comes to %s, so it decides nothing%s", PathOf(r), meant)
	}
	for d := range c.Graph.Dependents(r) {
		if user := d.(*ast.Rule); !reached[PathOf(user)] && PathOf(user) != PathOf(r) && !strings.HasPrefix(name(user), "test_") {
			return "" // that one is told
		}
	}
	if meant == "" {
		meant = "; refer to it from one of them, or take it out"
		if slices.Contains(words, called) {
			meant = "; a decision or result that is written out says all by itself, and this one does not refer to it"
		}
	}
	return fmt.Sprintf("none of the rules that the gateway asks for comes to %s, so it decides nothing%s", PathOf(r), meant)
}
