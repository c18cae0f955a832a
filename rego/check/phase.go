package check

import (
	"slices"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/names"

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
	wanted := names.Reached(c, entry(phase))
	out := map[string]*ast.Module{}
	for name, m := range modules {
		m = m.Copy()
		m.Rules = slices.DeleteFunc(m.Rules, func(r *ast.Rule) bool { return !wanted[names.PathOf(r)] })
		if len(m.Rules) > 0 {
			out[name] = m
		}
	}
	return out
}
