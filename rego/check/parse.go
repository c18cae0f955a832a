package check

import (
	"cmp"
	"slices"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/lint"
	"mcp-gateway/rego/policy"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Names under which modules are compiled that the author did not write.
const (
	simpleFile  = "(mcp-gateway simple form)"
	libraryFile = "(mcp-gateway library) "
)

// parse parses every file. It adds the library where it is used and not there,
// and the simple form where package mcp.gateway has no decision of its own but an
// allow.
func (b *build) parse() error {
	var problems gateway.Problems
	b.modules = map[string]*ast.Module{}
	for name, text := range b.files.modules {
		m, err := ast.ParseModuleWithOpts(name, text, ast.ParserOptions{ProcessAnnotation: true, Capabilities: Capabilities()})
		if err != nil {
			problems = append(problems, b.files.modules.problems(err)...)
			continue
		}
		b.modules[name] = m
	}
	if len(problems) > 0 {
		return inOrder(problems)
	}
	if err := b.addLibrary(); err != nil {
		return err
	}
	b.simple = b.has("allow") && !b.has(contract.PhaseDecision)
	problems = append(problems, b.collectWords()...)
	if b.simple {
		problems = append(problems, b.simpleProblems()...)
	}
	if len(problems) > 0 {
		return inOrder(problems)
	}
	return b.addSimpleForm()
}

// has says whether package mcp.gateway has such a rule.
func (b *build) has(name Phase) bool {
	prefix := entry(name)
	return slices.ContainsFunc(b.own(), func(r *ast.Rule) bool { return r.Ref().HasPrefix(prefix) })
}

// own are the rules that the author wrote.
func (b *build) own() []*ast.Rule {
	var out []*ast.Rule
	for name, m := range b.modules {
		if _, ok := b.files.modules[name]; ok {
			out = append(out, m.Rules...)
		}
	}
	return out
}

// addLibrary adds those packages of the library that a module refers to and that
// the policy does not bring itself.
func (b *build) addLibrary() error {
	texts := policy.Library()
	for again := true; again; {
		again = false
		for _, lib := range texts {
			if b.modules[libraryFile+lib.Package] != nil || !b.wants(lib.Package) {
				continue
			}
			m, err := ast.ParseModuleWithOpts(libraryFile+lib.Package, lib.Text, ast.ParserOptions{ProcessAnnotation: true, Capabilities: Capabilities()})
			if err != nil {
				return b.files.modules.problems(err)
			}
			b.modules[libraryFile+lib.Package] = m
			again = true
		}
	}
	return nil
}

// wants says whether a package is referred to and not there.
func (b *build) wants(pkg string) bool {
	path := ast.MustParseRef(pkg)
	wanted := false
	for _, m := range b.modules {
		if m.Package.Path.Equal(path) {
			return false
		}
		ast.WalkRefs(m, func(r ast.Ref) bool {
			wanted = wanted || r.HasPrefix(path)
			return false
		})
	}
	return wanted
}

// claims says which rules allow something because of what nobody verified. Rules
// that deny, ask or restrict may look at it.
func (b *build) claims(c *ast.Compiler) gateway.Problems {
	denials := map[string]bool{} // places of branches that can only deny
	for _, r := range b.own() {
		for _, branch := range branches(r) {
			if onlyDenies(branch) {
				denials[branch.Location.String()] = true
			}
		}
	}
	names := []Phase{contract.PhaseVisible, contract.PhaseDecision}
	if b.simple {
		names[1] = "allow"
	}
	var roots []*ast.Rule
	for _, name := range names {
		for _, r := range c.GetRulesWithPrefix(entry(name)) {
			roots = append(roots, branches(r)...)
		}
	}
	roots = slices.DeleteFunc(roots, func(r *ast.Rule) bool { return denials[r.Location.String()] })
	var ps gateway.Problems
	for _, claim := range lint.Claims(c, contract.Input(contract.Phases()...), roots) {
		ps = append(ps, b.files.modules.at(claim.Rule.Location, lint.CodeUnverified,
			"this rule can allow, and rests on "+claim.Path+", which nobody verified; such facts may only deny, ask or restrict"))
	}
	return inOrder(ps)
}

// branches are a rule and its else branches.
func branches(r *ast.Rule) []*ast.Rule {
	var out []*ast.Rule
	for ; r != nil; r = r.Else {
		out = append(out, r)
	}
	return out
}

// onlyDenies says whether a branch of decision is a denial as it is written.
func onlyDenies(r *ast.Rule) bool {
	if r.Head.Value == nil {
		return false
	}
	object, ok := r.Head.Value.Value.(ast.Object)
	if !ok {
		return false
	}
	effect := object.Get(ast.StringTerm("effect"))
	return effect != nil && effect.Value.Compare(ast.String(gateway.Deny)) == 0
}

func position(at *ast.Location) gateway.Pos {
	if at == nil {
		return gateway.Pos{}
	}
	return gateway.Pos{File: at.File, Line: at.Row, Col: at.Col}
}

func sortRules(list []Rule) []Rule {
	slices.SortFunc(list, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Path, b.Path))
	})
	return list
}
