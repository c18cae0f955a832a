package names

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcp-gateway/rego/lint"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Codes of faults.
const (
	CodeUnresolved = "policy_unresolved" // a reference that leads nowhere
	CodeIdle       = "policy_idle"       // a rule that decides nothing
)

// Stage is the compiler's stage after which Unresolved can be asked: imports are
// resolved and local variables told apart, and functions that are not there have
// not stopped it yet.
const Stage = ast.StageRewriteLocalVars

// Unresolved says which references to data meet neither a rule, nor a function, nor
// a member of the data. What is looked up by a variable is held to what stands
// before it. known are packages that a policy could have had.
func Unresolved(c *ast.Compiler, data map[string]any, known []string) []lint.Fault {
	s := &search{tree: c.RuleTree, data: data, known: known, replaced: map[*ast.Term]bool{}}
	for _, m := range c.Modules {
		s.collect(m)
	}
	var out []lint.Fault
	for _, one := range s.uses {
		if message := s.miss(one.ref); message != "" && !s.stoodIn(one) {
			out = append(out, lint.Fault{Location: one.term.Location, Code: CodeUnresolved, Message: message})
		}
	}
	return out
}

// use is one reference to data, as it stands and as it is meant.
type use struct {
	term   *ast.Term
	ref    ast.Ref // from data on, where it is written by a local name too
	target bool    // of a with
}

type search struct {
	tree     *ast.TreeNode
	data     map[string]any
	known    []string
	replaced map[*ast.Term]bool // targets of with
	uses     []*use
}

// collect notes the references of a module, those through local names too.
func (s *search) collect(m *ast.Module) {
	ast.WalkWiths(m, func(w *ast.With) bool { s.replaced[w.Target] = true; return false })
	for _, r := range m.Rules {
		locals := aliases(r)
		ast.WalkTerms(r, func(t *ast.Term) bool {
			ref, ok := t.Value.(ast.Ref)
			if !ok {
				return false
			}
			if isData(ref) {
				s.uses = append(s.uses, &use{term: t, ref: ref, target: s.replaced[t]})
				return false
			}
			if head, ok := ref[0].Value.(ast.Var); ok && locals[head] != nil {
				whole := locals[head].Concat(ref[1:])
				s.uses = append(s.uses, &use{term: t, ref: whole})
			}
			return false
		})
	}
}

// aliases are the local names of a rule that stand for a place in data.
func aliases(r *ast.Rule) map[ast.Var]ast.Ref {
	out := map[ast.Var]ast.Ref{}
	ast.WalkExprs(r, func(e *ast.Expr) bool {
		if !e.IsEquality() || e.Negated {
			return false
		}
		for i, t := range e.Operands() {
			name, local := t.Value.(ast.Var)
			ref, place := e.Operand(1 - i).Value.(ast.Ref)
			if local && place && isData(ref) && ref.IsGround() {
				out[name] = ref
			}
		}
		return false
	})
	return out
}

func isData(r ast.Ref) bool { return r[0].Value.Compare(ast.DefaultRootDocument.Value) == 0 }

// miss says where a reference leads nowhere, and what is there instead; "" where it
// leads somewhere.
func (s *search) miss(r ast.Ref) string {
	node := s.tree.Child(r[0].Value)
	var doc any = s.data
	for i := 1; i < len(r); i++ {
		name, ok := r[i].Value.(ast.String)
		if !ok {
			return ""
		}
		members, inside := doc.(map[string]any)
		under, there := members[string(name)]
		var next *ast.TreeNode
		if node != nil {
			next = node.Child(r[i].Value)
		}
		if !there && next == nil {
			if _, list := doc.([]any); list {
				return ""
			}
			return s.said(r, i, node, members, inside)
		}
		if next != nil && len(next.Values) > 0 {
			return "" // what a rule gives, the type checker knows
		}
		node, doc = next, under
	}
	return ""
}

// fewNames is how many names a message lists.
const fewNames = 12

func (s *search) said(r ast.Ref, i int, node *ast.TreeNode, members map[string]any, inside bool) string {
	parent := r[:i].String()
	have := slices.Collect(maps.Keys(members))
	if node != nil {
		for key := range node.Children {
			if name, ok := key.(ast.String); ok {
				have = append(have, string(name))
			}
		}
	}
	for _, pkg := range s.known {
		if rest, ok := strings.CutPrefix(pkg, parent+"."); ok {
			rest, _, _ = strings.Cut(rest, ".")
			have = append(have, rest)
		}
	}
	slices.Sort(have)
	have = slices.Compact(have)
	name := string(r[i].Value.(ast.String))
	message := fmt.Sprintf("%s has no %q", parent, name)
	meant := lint.Meant(name, have)
	message += meant
	if len(have) > 0 && (meant == "" || len(have) <= fewNames) {
		message += "; it knows "
		for j, h := range have {
			if j > 0 {
				message += ", "
			}
			message += fmt.Sprintf("%q", h)
		}
	}
	if meant == "" && (inside || i == 1) {
		message += "; neither a rule nor the data has it, so what rests on it would never be met: give it a value in data.json, or read it by object.get with a default"
	}
	return message
}

// stoodIn says whether a with puts something in that place, or, of a with's own
// target, whether something looks there.
func (s *search) stoodIn(u *use) bool {
	return slices.ContainsFunc(s.uses, func(other *use) bool {
		return other.target != u.target && (u.ref.HasPrefix(other.ref.GroundPrefix()) || other.ref.HasPrefix(u.ref.GroundPrefix()))
	})
}
