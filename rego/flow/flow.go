package flow

import (
	"github.com/open-policy-agent/opa/v1/ast"
)

// Leaf is a term that may stand at the place. What of it is not written down is left
// as it is: a variable, a reference.
type Leaf struct {
	Value ast.Value
	At    []*ast.Location // where it stands, then where the function was called that it stands in, and so on
}

// bounds of what is followed.
const (
	maxDepth = 24
	maxSteps = 4096
)

// tracer follows terms to what is written down.
type tracer struct {
	c     *ast.Compiler
	out   []Leaf
	whole bool // everything was followed to its end
	parts bool // of what is put together of several, each is followed
	steps int
}

// Leaves says what may stand at a place of data, where a step that is no constant is
// any element: data.mcp.gateway.decision.obligations[_]. whole says that there is
// nothing else.
func Leaves(c *ast.Compiler, place ast.Ref) (leaves []Leaf, whole bool) {
	t := &tracer{c: c, whole: true}
	t.rules(place, nil, &scope{})
	return t.out, t.whole
}

// Parts says what may stand below a term of a body, each step as in Leaves and nil for
// any element, and below whatever the term is put together from, as by object.union: of
// that, what another part says better as well. around are the body and those that it
// stands in.
func Parts(c *ast.Compiler, around []ast.Body, t *ast.Term, path []*ast.Term) (leaves []Leaf, whole bool) {
	tr := &tracer{c: c, whole: true, parts: true}
	tr.follow(t, path, &scope{bodies: around})
	return tr.out, tr.whole
}

// follow goes from a term by the steps, nil being any element.
func (t *tracer) follow(term *ast.Term, path []*ast.Term, s *scope) {
	if t.steps++; t.steps > maxSteps || s.depth > maxDepth {
		t.whole = false
		return
	}
	switch v := term.Value.(type) {
	case ast.Var:
		t.variable(v, path, s)
	case ast.Ref:
		t.ref(v, path, s)
	case *ast.SetComprehension:
		t.comprehension(v.Term, v.Body, path, s)
	case *ast.ArrayComprehension:
		t.comprehension(v.Term, v.Body, path, s)
	case ast.Call, *ast.ObjectComprehension:
		t.whole = false
	default:
		t.inside(term, path, s)
	}
}

// inside takes a constant, or the members of what is written down.
func (t *tracer) inside(term *ast.Term, path []*ast.Term, s *scope) {
	if len(path) == 0 {
		at := s.calls
		if term.Location != nil {
			at = append([]*ast.Location{term.Location}, at...)
		}
		t.out = append(t.out, Leaf{s.filled(term).Value, at})
		return
	}
	each := func(member *ast.Term) { t.follow(member, path[1:], s) }
	switch v := term.Value.(type) {
	case *ast.Array:
		v.Foreach(each)
	case ast.Set:
		v.Foreach(each)
	case ast.Object:
		v.Foreach(func(k, member *ast.Term) {
			if path[0] == nil || !k.IsGround() || k.Equal(path[0]) {
				each(member)
			}
		})
	}
}

func (t *tracer) comprehension(term *ast.Term, b ast.Body, path []*ast.Term, s *scope) {
	if len(path) == 0 {
		t.whole = false
		return
	}
	t.follow(term, path[1:], s.with(b))
}

// variable follows what a local name stands for.
func (t *tracer) variable(v ast.Var, path []*ast.Term, s *scope) {
	if arg, ok := s.args[v]; ok {
		t.follow(arg, path, s.caller)
		return
	}
	met := false
	for _, e := range s.exprs() {
		met = t.given(e, v, path, s) || met
	}
	if !met {
		t.whole = false
	}
}

// given follows an expression, if it is one that gives the name its value.
func (t *tracer) given(e *ast.Expr, v ast.Var, path []*ast.Term, s *scope) bool {
	args := e.Operands()
	last := len(args) - 1
	switch {
	case !e.IsCall() || e.Negated || last < 0:
		return false
	case e.IsEquality():
		for i, a := range args {
			if a.Value.Compare(v) == 0 {
				t.follow(args[1-i], path, s)
				return true
			}
		}
		return false
	case args[last].Value.Compare(v) != 0:
		return false
	}
	operator := e.Operator()
	if t.parts && t.together(operator.String(), args[:last], path, s) {
		return true
	}
	switch operator.String() {
	case ast.Or.Name, ast.ArrayConcat.Name:
		t.follow(args[0], path, s)
		t.follow(args[1], path, s)
	case ast.Minus.Name:
		t.follow(args[0], path, s)
	case ast.And.Name:
		t.follow(args[0], path, s)
	default:
		if operator[0].Value.Compare(ast.DefaultRootDocument.Value) != 0 {
			t.whole = false
			return true
		}
		t.call(e, operator, args[:last], path, s)
	}
	return true
}

// together follows the objects that one is put together from.
func (t *tracer) together(operator string, args []*ast.Term, path []*ast.Term, s *scope) bool {
	switch operator {
	case ast.ObjectUnion.Name:
		t.follow(args[0], path, s)
		t.follow(args[1], path, s)
	case ast.ObjectUnionN.Name:
		t.follow(args[0], append([]*ast.Term{nil}, path...), s)
	case ast.JSONPatch.Name, ast.ObjectRemove.Name, ast.JSONRemove.Name:
		t.follow(args[0], path, s)
	default:
		return false
	}
	t.whole = false
	return true
}

// call follows what the clauses of a function give.
func (t *tracer) call(e *ast.Expr, f ast.Ref, args []*ast.Term, path []*ast.Term, s *scope) {
	clauses := t.c.GetRulesExact(f)
	for _, clause := range clauses {
		for r := clause; r != nil; r = r.Else {
			inner := s.called(r, e.Location)
			if len(clauses) == 1 && clause.Else == nil { // which clause answers is not followed
				inner.bind(r.Head.Args, args)
			}
			t.follow(r.Head.Value, path, inner)
		}
	}
	if len(clauses) == 0 {
		t.whole = false
	}
}

// ref follows a reference from its head.
func (t *tracer) ref(r ast.Ref, path []*ast.Term, s *scope) {
	switch {
	case r[0].Value.Compare(ast.DefaultRootDocument.Value) == 0:
		t.rules(r, path, s)
	case r[0].Value.Compare(ast.InputRootDocument.Value) == 0:
		t.whole = false
	default:
		t.follow(r[0], append(steps(r[1:]), path...), s)
	}
}

// steps are the keys of a reference, nil for what is no constant.
func steps(r ast.Ref) []*ast.Term {
	out := make([]*ast.Term, len(r))
	for i, key := range r {
		if key.IsGround() {
			out[i] = key
		}
	}
	return out
}

// rules follows a reference to data by every rule that gives a part of it.
func (t *tracer) rules(r ast.Ref, path []*ast.Term, s *scope) {
	met := false
	for i := 2; i <= len(r) && r[:i].IsGround(); i++ {
		for _, rule := range t.c.GetRulesExact(r[:i]) {
			if len(rule.Head.Args) > 0 {
				continue
			}
			met = true
			for ; rule != nil; rule = rule.Else {
				t.head(rule, append(steps(r[i:]), path...), s)
			}
		}
	}
	if !met {
		t.whole = false
	}
}

// head follows what a rule gives, past the keys that stand in its own name.
func (t *tracer) head(r *ast.Rule, path []*ast.Term, s *scope) {
	looked := len(r.Ref()) - len(r.Ref().GroundPrefix())
	value := r.Head.Value
	if r.Head.RuleKind() == ast.MultiValue {
		looked, value = looked+1, r.Head.Key
	}
	if len(path) < looked || value == nil {
		t.whole = false
		return
	}
	t.follow(value, path[looked:], s.entered(r))
}
