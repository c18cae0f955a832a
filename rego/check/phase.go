package check

import (
	"maps"
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/contract"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// Phase is contract.Phase.
type Phase = contract.Phase

// entry returns the reference of a rule in package mcp.gateway, such as a phase's
// entry point.
func entry[T ~string](name T) ast.Ref {
	return ast.Ref{ast.DefaultRootDocument, ast.StringTerm("mcp"), ast.StringTerm("gateway"), ast.StringTerm(string(name))}
}

// asked are the phases that the policy answers: the result phase only where it
// has a rule for it.
func asked(c *ast.Compiler) []Phase {
	phases := []Phase{contract.PhaseVisible, contract.PhaseDecision}
	if len(c.GetRulesWithPrefix(entry(contract.PhaseResult))) > 0 {
		phases = append(phases, contract.PhaseResult)
	}
	return phases
}

// entryProblems says which entry points are missing or can never have the
// right shape.
func entryProblems(c *ast.Compiler, texts sources) gateway.Problems {
	var ps gateway.Problems
	for _, phase := range asked(c) {
		rules := c.GetRulesWithPrefix(entry(phase))
		if len(rules) == 0 {
			ps = append(ps, missing(phase))
			continue
		}
		if message := shapeFault(phase, c.TypeEnv.GetByRef(entry(phase))); message != "" {
			ps = append(ps, texts.at(rules[0].Location, codeEntryShape, message))
		}
	}
	return ps
}

// shapeFault judges the inferred type of an entry point.
func shapeFault(phase Phase, t types.Type) string {
	switch t.(type) {
	case nil, types.Any:
		return "" // not known before evaluation, where it is judged again
	case *types.Set:
		if phase == contract.PhaseVisible {
			return ""
		}
	case *types.Object:
		if phase != contract.PhaseVisible {
			return ""
		}
	}
	if phase == contract.PhaseVisible {
		return "visible must be a set of ids (`visible contains id if …`), and is " + t.String()
	}
	return string(phase) + " must be an object with effect and reasons, and is " + t.String()
}

// reachable returns the modules with only those rules that the entry point
// depends on, however indirectly.
func reachable(c *ast.Compiler, modules map[string]*ast.Module, phase Phase) map[string]*ast.Module {
	wanted, seen := map[string]bool{}, map[*ast.Rule]bool{}
	var visit func(*ast.Rule)
	visit = func(r *ast.Rule) {
		if r == nil || seen[r] {
			return
		}
		seen[r] = true
		wanted[r.Ref().GroundPrefix().String()] = true
		visit(r.Else)
		for d := range c.Graph.Dependencies(r) {
			visit(d.(*ast.Rule))
		}
	}
	for _, r := range c.GetRulesWithPrefix(entry(phase)) {
		visit(r)
	}
	out := map[string]*ast.Module{}
	for name, m := range modules {
		m = m.Copy()
		m.Rules = slices.DeleteFunc(m.Rules, func(r *ast.Rule) bool { return !wanted[r.Ref().GroundPrefix().String()] })
		if len(m.Rules) > 0 {
			out[name] = m
		}
	}
	return out
}

// anyID is the name under which the type checker knows every member of an
// object with arbitrary names. OPA's checker reads `properties` of a schema and
// not `additionalProperties`: without a stand-in, nothing below
// input.resources would be checked.
const anyID = "some id"

// checkerSchema returns the schema of the phases, joined, in the form that
// OPA's type checker can make most of.
func checkerSchema(phases ...Phase) any {
	var joined map[string]any
	for _, phase := range phases {
		schema := contract.Tree(phase)
		delete(schema, "$id")
		standIn(schema)
		if joined == nil {
			joined = schema
			continue
		}
		mergeMembers(joined, schema)
	}
	return joined
}

// mergeMembers adds to the members of one object schema those of another: a field
// that one phase knows is no mistake before it is known which phase asks.
func mergeMembers(into, from map[string]any) {
	have, _ := into["properties"].(map[string]any)
	more, _ := from["properties"].(map[string]any)
	for name, v := range more {
		both, inside := have[name].(map[string]any)
		other, object := v.(map[string]any)
		if inside && object && both["properties"] != nil {
			mergeMembers(both, other)
			continue
		}
		if !inside {
			have[name] = v
		}
	}
	maps.DeleteFunc(into, func(key string, _ any) bool { return key == "required" })
}

// standIn puts a schema under additionalProperties where the checker sees it.
func standIn(schema map[string]any) {
	if members, ok := schema["additionalProperties"].(map[string]any); ok {
		schema["properties"] = map[string]any{anyID: members}
	}
	for key, v := range schema {
		if sub, ok := v.(map[string]any); ok && !strings.HasPrefix(key, "$") {
			standIn(sub)
		}
	}
}
