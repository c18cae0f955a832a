package lint

import (
	"fmt"

	"mcp-gateway/rego/lint/terms"

	"github.com/open-policy-agent/opa/v1/ast"
)

// call walks a call of a function or built-in, with its output as last operand
// where it has one.
func (f *frame) call(e *ast.Expr, operator *ast.Term, args []*ast.Term) {
	ref, ok := operator.Value.(ast.Ref)
	if !ok {
		return
	}
	if ref[0].Value.Compare(ast.DefaultRootDocument.Value) == 0 {
		f.function(e, ref, args)
		return
	}
	switch name := ref.String(); name {
	case ast.Equality.Name:
		f.equality(e, args[0], args[1])
	case ast.Equal.Name:
		f.equal(e.Location, f.term(args[0]), f.term(args[1]))
	case ast.NotEqual.Name:
		aside := f.aside
		f.aside = true // it is always true
		f.equal(e.Location, f.term(args[0]), f.term(args[1]))
		f.aside = aside
	case ast.Member.Name:
		f.member(e.Location, f.term(args[0]), f.term(args[1]))
		f.output(args, 2, value{})
	case ast.MemberWithKey.Name:
		f.look(f.term(args[0]))
		f.member(e.Location, f.term(args[1]), f.term(args[2]))
		f.output(args, 3, value{})
	case ast.LessThan.Name, ast.LessThanEq.Name, ast.GreaterThan.Name, ast.GreaterThanEq.Name:
		f.compare(e.Location, f.term(args[0]), f.term(args[1]))
		f.output(args, 2, value{})
	case ast.ObjectGet.Name:
		f.objectGet(args)
	default:
		f.builtin(e, name, args)
	}
}

// output binds what a call gives back.
func (f *frame) output(args []*ast.Term, arity int, v value) {
	if len(args) > arity {
		if v.shapes == nil && v.consts == nil && v.items == nil && v.fields == nil {
			v = anything()
		}
		f.unify(args[arity], v, false)
	}
}

func (f *frame) equality(e *ast.Expr, a, b *ast.Term) {
	switch {
	case f.unbound(a):
		f.assign(a, b)
	case f.unbound(b):
		f.assign(b, a)
	case composite(a):
		f.unify(a, f.term(b), false)
	case composite(b):
		f.unify(b, f.term(a), false)
	default:
		f.equal(e.Location, f.term(a), f.term(b))
	}
}

// assign binds a variable to what stands under a term, which must be there for that.
func (f *frame) assign(name, t *ast.Term) {
	if list, ok := t.Value.(*ast.Array); ok {
		f.lists[name.Value.(ast.Var)] = list
	}
	v := f.term(t)
	f.exists(v)
	f.bind(name, v)
}

func (f *frame) unbound(t *ast.Term) bool {
	v, ok := t.Value.(ast.Var)
	_, bound := f.env[v]
	return ok && !bound
}

// composite says whether a term may be a pattern: an array or object with
// variables in it.
func composite(t *ast.Term) bool {
	switch t.Value.(type) {
	case *ast.Array, ast.Object:
		return !t.IsGround()
	}
	return false
}

// function walks every clause for these very arguments. If none of them can
// answer, the call is at fault, unless it is so for every call.
func (f *frame) function(e *ast.Expr, ref ast.Ref, args []*ast.Term) {
	clauses := f.w.c.GetRulesExact(ref)
	if len(clauses) == 0 || len(e.With) > 0 {
		for _, a := range args {
			f.look(f.term(a))
		}
		for _, clause := range clauses {
			f.claims(clause)
		}
		return
	}
	arity := len(clauses[0].Head.Args)
	given := make([]value, min(arity, len(args)))
	for i := range given {
		given[i] = f.term(args[i])
		f.exists(given[i])
	}
	var out value
	var dead []innerFault
	alive := false
	for _, clause := range clauses {
		o := f.w.chain(clause, given)
		f.out.claims = append(f.out.claims, o.claims...)
		out = join(out, o.value)
		alive = alive || o.dead == nil
		dead = append(dead, o.dead...)
	}
	if !alive && len(dead) > 0 {
		why := dead[0].fault
		f.fault(e.Location, why.Code, fmt.Sprintf("%s is never true for these arguments: %s (line %d)", ref, why.Message, why.Location.Row), dead...)
	}
	f.output(args, arity, out)
}

// objectGet is a step by another name.
func (f *frame) objectGet(args []*ast.Term) {
	v := f.term(args[0])
	path := []*ast.Term{args[1]}
	list, ok := args[1].Value.(*ast.Array)
	if name, free := args[1].Value.(ast.Var); free {
		list, ok = f.lists[name]
	}
	if ok {
		path = nil
		list.Foreach(func(t *ast.Term) { path = append(path, t) })
	}
	aside := f.aside
	f.aside = true // the default stands in
	for _, key := range path {
		v = f.step(v, key, place(args[1], key))
	}
	f.aside = aside
	f.output(args, 3, join(v, f.term(args[2])))
}

// builtin holds operands to the kinds that the built-in takes.
func (f *frame) builtin(e *ast.Expr, name string, args []*ast.Term) {
	b := ast.BuiltinMap[name]
	if b == nil || b.Decl == nil {
		return
	}
	want := b.Decl.FuncArgs().Args
	given := make([]value, 0, len(want))
	for i, a := range args[:min(len(args), len(want))] {
		v := f.term(a)
		given = append(given, v)
		f.exists(v)
		if name != ast.Count.Name { // which looks at no member
			f.look(v)
		}
		at := a.Location
		if at == nil {
			at = e.Location
		}
		f.takes(at, name, v, terms.OfType(want[i]))
	}
	f.output(args, len(want), f.gives(e.Location, name, args, given))
}
