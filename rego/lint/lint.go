package lint

import (
	"cmp"
	"slices"

	"mcp-gateway/rego/contract"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Codes of faults.
const (
	CodeUnknownField = "policy_unknown_field" // a field that the input does not have in this phase
	CodeNeverEqual   = "policy_never_equal"   // a word that the field never is
	CodeWrongType    = "policy_wrong_type"    // a kind of value that the field never is
	CodeUnverified   = "policy_unverified"    // an allow that rests on what nobody verified
)

// Fault is one thing that is wrong with a policy.
type Fault struct {
	Location *ast.Location
	Code     string
	Message  string
}

// Check says what in the rules can never match, with the input being of that
// shape. The compiler must have compiled them without an error.
func Check(c *ast.Compiler, input *contract.Shape) []Fault {
	w := newWalker(c, input)
	var functions []*ast.Rule
	for _, r := range rules(c) {
		if len(r.Head.Args) > 0 {
			functions = append(functions, r)
			continue
		}
		w.chain(r, nil)
	}
	for _, r := range functions { // those that nobody calls are held to what they say themselves
		if w.tallies[r] == nil {
			args := make([]value, len(r.Head.Args))
			for i := range args {
				args[i] = anything()
			}
			w.chain(r, args)
		}
	}
	return w.faults()
}

// Claim is an unverified fact on which a rule rests.
type Claim struct {
	Rule *ast.Rule
	Path string // of the input
}

// Claims says on which unverified facts the rules rest, however indirectly.
func Claims(c *ast.Compiler, input *contract.Shape, roots []*ast.Rule) []Claim {
	w := newWalker(c, input)
	var out []Claim
	for _, r := range roots {
		o := w.rule(r, nil)
		for _, path := range append(slices.Clone(o.claims), o.value.claims()...) {
			out = append(out, Claim{r, path})
		}
	}
	slices.SortFunc(out, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Rule.Location.File, b.Rule.Location.File), cmp.Compare(a.Rule.Location.Row, b.Rule.Location.Row), cmp.Compare(a.Path, b.Path))
	})
	return slices.Compact(out)
}

// rules returns all rules, by file and line.
func rules(c *ast.Compiler) []*ast.Rule {
	var all []*ast.Rule
	for _, m := range c.Modules {
		all = append(all, m.Rules...)
	}
	slices.SortStableFunc(all, func(a, b *ast.Rule) int {
		return cmp.Or(cmp.Compare(a.Location.File, b.Location.File), cmp.Compare(a.Location.Row, b.Location.Row))
	})
	return all
}

// tally counts how often a rule was walked, for other arguments each time, and
// how often each fault was met: what is wrong for some calls may be right for
// others.
type tally struct {
	walked int
	met    map[Fault]int
	inner  map[Fault][]innerFault // of a call that nothing answers: why
}

type innerFault struct {
	rule  *ast.Rule
	fault Fault
}

// faults are those that every walk of their rule met.
func (w *walker) faults() []Fault {
	always := func(r *ast.Rule, f Fault) bool { t := w.tallies[r]; return t != nil && t.met[f] == t.walked }
	var out []Fault
	for r, t := range w.tallies {
		for f := range t.met {
			told := slices.ContainsFunc(t.inner[f], func(in innerFault) bool { return always(in.rule, in.fault) })
			if always(r, f) && !told {
				out = append(out, f)
			}
		}
	}
	return out
}
