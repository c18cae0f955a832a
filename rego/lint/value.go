package lint

import (
	"slices"
	"strings"

	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/lint/terms"

	"github.com/open-policy-agent/opa/v1/ast"
)

// value is what may stand under a name: one of the shapes, one of the constants,
// something that the policy built, or anything.
type value struct {
	any    bool              // also what is not known here
	shapes []*contract.Shape // places of the input
	consts []*ast.Term       // scalars
	items  *value            // elements of a set or array that the policy built, or members of an object in parts
	made   contract.Kinds    // which of these
	fields map[string]*value // members of an object that the policy built
}

func anything() value                   { return value{any: true} }
func shaped(s ...*contract.Shape) value { return value{shapes: s} }
func constant(t *ast.Term) value        { return value{consts: []*ast.Term{t}} }

func built(kind contract.Kinds, items value) value { return value{items: &items, made: kind} }

// maxAlternatives bounds what is followed; more is anything.
const maxAlternatives = 256

// join is what may stand where either may.
func join(a, b value) value {
	out := value{any: a.any || b.any, shapes: slices.Clone(a.shapes), consts: slices.Clone(a.consts), items: a.items, made: a.made | b.made, fields: a.fields}
	for _, s := range b.shapes {
		if !slices.Contains(out.shapes, s) {
			out.shapes = append(out.shapes, s)
		}
	}
	for _, c := range b.consts {
		if !slices.ContainsFunc(out.consts, func(t *ast.Term) bool { return t.Equal(c) }) {
			out.consts = append(out.consts, c)
		}
	}
	if b.items != nil {
		items := *b.items
		if a.items != nil {
			items = join(*a.items, items)
		}
		out.items = &items
	}
	if b.fields != nil {
		out.fields = joinFields(a.fields, b.fields)
	}
	if len(out.consts) > maxAlternatives {
		out.any, out.consts = true, out.consts[:maxAlternatives]
	}
	return out
}

func joinFields(a, b map[string]*value) map[string]*value {
	out := make(map[string]*value, len(a)+len(b))
	for name, v := range a {
		out[name] = v
	}
	for name, v := range b {
		if have := out[name]; have != nil {
			both := join(*have, *v)
			v = &both
		}
		out[name] = v
	}
	return out
}

// known says whether something is known that could be wrong.
func (v value) known() bool {
	return !v.any && len(v.shapes)+len(v.consts) > 0 && v.items == nil && v.fields == nil
}

// kinds are the kinds that the value may have.
func (v value) kinds() contract.Kinds {
	var k contract.Kinds
	for _, s := range v.shapes {
		k |= s.Kinds
	}
	for _, c := range v.consts {
		k |= terms.OfValue(c.Value)
	}
	if v.items != nil {
		k |= v.made
	}
	if v.fields != nil {
		k |= contract.Object
	}
	if v.any {
		k = contract.AnyKind | contract.Set
	}
	return k
}

// key tells values apart that a function may be called with.
func (v value) key() string {
	var parts []string
	if v.any {
		parts = append(parts, "any")
	}
	for _, s := range v.shapes {
		parts = append(parts, s.Path)
	}
	for _, c := range v.consts {
		parts = append(parts, c.String())
	}
	if v.items != nil {
		parts = append(parts, v.made.String()+"["+v.items.key()+"]")
	}
	for name, f := range v.fields {
		parts = append(parts, name+":"+f.key())
	}
	slices.Sort(parts)
	return strings.Join(parts, "|")
}

// claims are the unverified places that a look at the whole value looks at.
func (v value) claims() []string {
	var paths []string
	for _, s := range v.shapes {
		paths = append(paths, s.Claims()...)
	}
	if v.items != nil {
		paths = append(paths, v.items.claims()...)
	}
	for _, f := range v.fields {
		paths = append(paths, f.claims()...)
	}
	return paths
}

// keys is what may be a name, or an index, of the value's members.
func (v value) keys() value {
	if v.any || len(v.consts) > 0 || v.items != nil || v.fields != nil {
		return anything()
	}
	var out value
	for _, s := range v.shapes {
		key := &contract.Shape{Path: "a name in " + s.Path, Kinds: contract.String, Untrusted: s.Untrusted}
		switch {
		case s.Kinds == contract.Array:
			key.Path, key.Kinds = "an index of "+s.Path, contract.Number
		case s.Kinds != contract.Object || s.Open:
			return anything()
		case s.Rest == nil:
			key.Enum = s.Names()
		}
		out = join(out, shaped(key))
	}
	return out
}

// elements is what may stand under some member of the value.
func (v value) elements() value {
	out := value{any: v.any || len(v.consts) > 0}
	for _, s := range v.shapes {
		if s.Items != nil {
			out = join(out, shaped(s.Items))
		}
		if s.Rest != nil {
			out = join(out, shaped(s.Rest))
		}
		for _, name := range s.Names() {
			out = join(out, shaped(s.Fields[name]))
		}
		out.any = out.any || s.Open || s.Kinds&contract.Array != 0 && s.Items == nil
	}
	if v.items != nil {
		out = join(out, *v.items)
	}
	for _, f := range v.fields {
		out = join(out, *f)
	}
	return out
}
