package lint

import (
	"fmt"
	"slices"

	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/lint/terms"

	"github.com/open-policy-agent/opa/v1/ast"
)

// gives is what a built-in gives back for these operands: of an object or array a part
// of it, of the few words that a field may be what it makes of each, else anything. One
// that is asked for its truth and is true of none of them is at fault.
func (f *frame) gives(at *ast.Location, name string, args []*ast.Term, given []value) value {
	switch name {
	case ast.ObjectFilter.Name, ast.ObjectRemove.Name, ast.JSONFilter.Name, ast.JSONRemove.Name, ast.ArraySlice.Name, ast.ArrayReverse.Name:
		return given[0]
	case ast.Sort.Name:
		if given[0].items == nil {
			return given[0]
		}
	case ast.StartsWith.Name, ast.EndsWith.Name, ast.Contains.Name, ast.RegexMatch.Name, ast.GlobMatch.Name, ast.Lower.Name, ast.Upper.Name:
		return f.folded(at, name, args, given)
	}
	return anything()
}

// folded calls a built-in for every word that the one operand may be which the policy
// did not write.
func (f *frame) folded(at *ast.Location, name string, args []*ast.Term, given []value) value {
	of := slices.IndexFunc(given, func(v value) bool { return len(v.shapes) > 0 })
	if of < 0 {
		return anything()
	}
	words, closed := given[of].words()
	operands := make([]*ast.Term, len(given))
	for i, v := range given {
		switch {
		case i == of:
		case len(v.consts) == 1 && !v.any && v.items == nil && v.fields == nil && v.shapes == nil:
			operands[i] = v.consts[0]
		case ast.IsConstant(args[i].Value):
			operands[i] = args[i]
		default:
			closed = false
		}
	}
	if !closed {
		return anything()
	}
	place := given[of].shapes[0]
	out := &contract.Shape{Path: fmt.Sprintf("%s of %s", name, place.Path), Kinds: contract.String, Untrusted: place.Untrusted}
	truths := 0
	for _, word := range words {
		operands[of] = ast.StringTerm(word)
		switch v := terms.Call(name, operands).(type) {
		case ast.String:
			out.Enum = append(out.Enum, string(v))
		case ast.Boolean:
			if bool(v) {
				truths++
			}
		default:
			return anything() // it does not say
		}
	}
	if out.Enum != nil {
		return shaped(out)
	}
	if truths == 0 && len(args) == len(given) {
		f.fault(at, CodeNeverEqual, fmt.Sprintf("%s is never true of %s; it knows %s", name, place.Path, quoted(words)))
	}
	return anything()
}
