package flow

import "github.com/open-policy-agent/opa/v1/ast"

// scope is where a term stands: the bodies around it, and the call that came there.
type scope struct {
	bodies []ast.Body
	args   map[ast.Var]*ast.Term
	caller *scope
	calls  []*ast.Location // innermost first
	depth  int
}

// with is the scope of a comprehension's term.
func (s *scope) with(b ast.Body) *scope {
	out := *s
	out.bodies = append([]ast.Body{b}, s.bodies...)
	out.depth++
	return &out
}

// entered is the scope of a rule's head, come to by a reference.
func (s *scope) entered(r *ast.Rule) *scope {
	return &scope{bodies: []ast.Body{r.Body}, caller: s, calls: s.calls, depth: s.depth + 1}
}

// called is that of a function's clause, come to by a call.
func (s *scope) called(r *ast.Rule, at *ast.Location) *scope {
	out := s.entered(r)
	out.calls = append([]*ast.Location{at}, s.calls...)
	return out
}

func (s *scope) bind(names ast.Args, terms []*ast.Term) {
	s.args = map[ast.Var]*ast.Term{}
	for i, n := range names {
		if v, ok := n.Value.(ast.Var); ok && i < len(terms) {
			s.args[v] = terms[i]
		}
	}
}

// exprs are the expressions that may give a name its value.
func (s *scope) exprs() []*ast.Expr {
	var out []*ast.Expr
	for _, b := range s.bodies {
		out = append(out, b...)
	}
	return out
}

// filled puts the constants in that local names stand for, where it is one alone.
func (s *scope) filled(t *ast.Term) *ast.Term {
	if t.IsGround() || s.depth > maxDepth {
		return t
	}
	switch v := t.Value.(type) {
	case ast.Var:
		if arg, ok := s.args[v]; ok {
			return s.caller.filled(arg)
		}
		return s.only(t, v)
	case *ast.Array:
		var items []*ast.Term
		v.Foreach(func(item *ast.Term) { items = append(items, s.filled(item)) })
		return ast.NewTerm(ast.NewArray(items...))
	case ast.Set:
		set := ast.NewSet()
		v.Foreach(func(item *ast.Term) { set.Add(s.filled(item)) })
		return ast.NewTerm(set)
	case ast.Object:
		var members [][2]*ast.Term
		v.Foreach(func(k, member *ast.Term) { members = append(members, [2]*ast.Term{k, s.filled(member)}) })
		return ast.ObjectTerm(members...)
	}
	return t
}

// only is what a local name is set equal to, if that is a constant.
func (s *scope) only(t *ast.Term, v ast.Var) *ast.Term {
	for _, e := range s.exprs() {
		if !e.IsEquality() || e.Negated {
			continue
		}
		for i, a := range e.Operands() {
			if other := e.Operand(1 - i); a.Value.Compare(v) == 0 && other.IsGround() && !isRef(other) {
				return other
			}
		}
	}
	return t
}

func isRef(t *ast.Term) bool {
	_, ok := t.Value.(ast.Ref)
	return ok
}
