package lint

import (
	"fmt"

	"mcp-gateway/rego/contract"

	"github.com/open-policy-agent/opa/v1/ast"
)

// term says what may stand where the term stands.
func (f *frame) term(t *ast.Term) value {
	switch v := t.Value.(type) {
	case ast.Var:
		if v.Equal(ast.InputRootDocument.Value) {
			return shaped(f.w.input)
		}
		if have, ok := f.env[v]; ok {
			return have
		}
		return anything()
	case ast.Ref:
		return f.ref(t, v)
	case *ast.Array:
		return f.built(contract.Array, v.Foreach)
	case ast.Set:
		return f.built(contract.Set, v.Foreach)
	case ast.Object:
		return f.object(v)
	case *ast.ArrayComprehension:
		return f.comprehension(contract.Array, v.Body, v.Term)
	case *ast.SetComprehension:
		return f.comprehension(contract.Set, v.Body, v.Term)
	case *ast.ObjectComprehension:
		var items value
		f.inside(v.Body, func() { f.look(f.term(v.Key)); items = f.term(v.Value); f.exists(items) })
		return built(contract.Object, items)
	case ast.Call:
		for _, arg := range v[1:] {
			f.look(f.term(arg))
		}
		return anything()
	case ast.Null, ast.Boolean, ast.Number, ast.String:
		return constant(t)
	default:
		return anything()
	}
}

// built is an array or set that the policy writes down.
func (f *frame) built(kind contract.Kinds, each func(func(*ast.Term))) value {
	var items value
	each(func(t *ast.Term) { items = join(items, f.term(t)) })
	return built(kind, items)
}

func (f *frame) object(o ast.Object) value {
	out := value{fields: map[string]*value{}}
	o.Foreach(func(k, v *ast.Term) {
		name, ok := k.Value.(ast.String)
		if !ok {
			out.any = true
			f.look(f.term(k))
		}
		member := f.term(v)
		out.fields[string(name)] = &member
	})
	return out
}

func (f *frame) comprehension(kind contract.Kinds, b ast.Body, t *ast.Term) value {
	var items value
	f.inside(b, func() { items = f.term(t); f.exists(items) })
	return built(kind, items)
}

// ref follows a reference from its head.
func (f *frame) ref(t *ast.Term, r ast.Ref) value {
	if r[0].Value.Compare(ast.DefaultRootDocument.Value) == 0 {
		return f.data(t, r)
	}
	return f.steps(f.term(r[0]), t, r, 1)
}

// data follows a reference to a rule. What is data only is anything.
func (f *frame) data(t *ast.Term, r ast.Ref) value {
	for i := 2; i <= len(r) && r[:i].IsGround(); i++ {
		found := f.w.c.GetRulesExact(r[:i])
		if len(found) == 0 {
			continue
		}
		out := value{any: len(f.w.c.GetRulesWithPrefix(r[:i])) > len(found)} // some of it is said elsewhere
		for _, rule := range found {
			if len(rule.Head.Args) > 0 { // it stands for itself, in the place of another
				f.claims(rule)
				return anything()
			}
			o := f.w.chain(rule, nil)
			out = join(out, o.value)
			f.out.claims = append(f.out.claims, o.claims...)
		}
		return f.steps(out, t, r, i)
	}
	for _, rule := range f.w.c.GetRulesWithPrefix(r.GroundPrefix()) {
		if len(rule.Head.Args) == 0 {
			o := f.w.chain(rule, nil)
			f.out.claims = append(f.out.claims, o.claims...)
			f.look(o.value)
		}
	}
	for _, key := range r[1:] {
		f.look(f.term(key))
	}
	return anything()
}

// claims takes over what a function rests on, whatever it is called with.
func (f *frame) claims(function *ast.Rule) {
	args := make([]value, len(function.Head.Args))
	for i := range args {
		args[i] = anything()
	}
	f.out.claims = append(f.out.claims, f.w.chain(function, args).claims...)
}

// steps follows the keys of a reference from the i-th on.
func (f *frame) steps(v value, t *ast.Term, r ast.Ref, i int) value {
	for ; i < len(r); i++ {
		v = f.step(v, r[i], place(t, r[i]))
	}
	return v
}

// place is where a fault about a key stands: at the key, or else at the whole.
func place(whole, key *ast.Term) *ast.Location {
	if key.Location != nil {
		return key.Location
	}
	return whole.Location
}

// step is what may stand under a key of the value.
func (f *frame) step(v value, key *ast.Term, at *ast.Location) value {
	names := f.term(key)
	if _, free := key.Value.(ast.Var); free {
		f.look(value{shapes: names.shapes, items: names.items, fields: names.fields})
	}
	words, ok := names.words()
	if !ok || v.items != nil {
		f.bind(key, v.keys())
		return v.elements()
	}
	var out value
	met := v.any
	for _, word := range words {
		under, some := v.under(word)
		met = met || some
		out = join(out, under)
	}
	if !met && len(words) > 0 {
		f.missing(at, v, words)
		return anything()
	}
	out.any = out.any || v.any
	return out
}

// words are the strings that a key may be, if nothing else.
func (v value) words() ([]string, bool) {
	if v.any || v.items != nil || v.fields != nil {
		return nil, false
	}
	var out []string
	for _, c := range v.consts {
		s, ok := c.Value.(ast.String)
		if !ok {
			return nil, false
		}
		out = append(out, string(s))
	}
	for _, s := range v.shapes {
		if s.Enum == nil {
			return nil, false
		}
		out = append(out, s.Enum...)
	}
	return out, len(out) > 0
}

// under is what stands under a name, and whether anything may.
func (v value) under(name string) (out value, some bool) {
	for _, s := range v.shapes {
		switch field := s.Fields[name]; {
		case field != nil:
			out, some = join(out, shaped(field)), true
		case s.Rest != nil:
			out, some = join(out, shaped(s.Rest)), true
		case s.Open:
			out, some = join(out, openBelow(s.Untrusted, v)), true
		}
	}
	if field := v.fields[name]; field != nil {
		out, some = join(out, *field), true
	}
	return out, some
}

// openBelow is what stands below a place of which nothing is known. What is
// below something unverified is unverified too.
func openBelow(untrusted bool, v value) value {
	if untrusted {
		return value{any: true, shapes: v.shapes}
	}
	return anything()
}

func (f *frame) missing(at *ast.Location, v value, words []string) {
	var have []string
	path := ""
	for _, s := range v.shapes {
		have, path = append(have, s.Names()...), s.Path
	}
	for name := range v.fields {
		have = append(have, name)
	}
	if path == "" {
		path = "this object"
	}
	message := fmt.Sprintf("%s has no %q", path, words[0])
	if len(words) > 1 {
		message = fmt.Sprintf("%s has none of %s", path, quoted(words))
	}
	message += Advice(words[0], have)
	if len(v.shapes) > 0 && Meant(words[0], have) == "" {
		message += contract.Elsewhere(words[0])
	}
	f.fault(at, CodeUnknownField, message)
}
