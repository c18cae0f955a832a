package flow

import "github.com/open-policy-agent/opa/v1/ast"

// Words are the texts that may stand at a place, as Leaves has it, and whether these
// are all.
func Words(c *ast.Compiler, place ast.Ref) (words []string, whole bool) {
	leaves, whole := Leaves(c, place)
	for _, l := range leaves {
		switch v := l.Value.(type) {
		case ast.String:
			words = append(words, string(v))
		case ast.Null, ast.Boolean, ast.Number, *ast.Array, ast.Set, ast.Object: // no word
		default:
			whole = false
		}
	}
	return words, whole
}

// Literals are the words that stand in a module as constants where a reason may:
// elements of sets, arrays and partial sets.
func Literals(m *ast.Module) []string {
	var out []string
	add := func(t *ast.Term) {
		if s, ok := t.Value.(ast.String); ok {
			out = append(out, string(s))
		}
	}
	for _, r := range m.Rules {
		if r.Head.RuleKind() == ast.MultiValue && r.Head.Key != nil {
			add(r.Head.Key)
		}
	}
	ast.WalkTerms(m, func(t *ast.Term) bool {
		switch v := t.Value.(type) {
		case *ast.Array:
			v.Foreach(add)
		case ast.Set:
			v.Foreach(add)
		}
		return false
	})
	return out
}
