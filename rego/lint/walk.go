package lint

import (
	"fmt"
	"slices"

	"mcp-gateway/rego/contract"

	"github.com/open-policy-agent/opa/v1/ast"
)

// walker walks rules, each once for every kind of arguments.
type walker struct {
	c       *ast.Compiler
	input   *contract.Shape
	done    map[string]*outcome
	tallies map[*ast.Rule]*tally
}

func newWalker(c *ast.Compiler, input *contract.Shape) *walker {
	return &walker{c: c, input: input, done: map[string]*outcome{}, tallies: map[*ast.Rule]*tally{}}
}

// outcome is what a walk found out about a rule.
type outcome struct {
	value  value
	claims []string     // unverified places that it looks at, however indirectly
	dead   []innerFault // why its body can never be true; nil = it may be
}

// chain walks a rule and its else branches: one of them answers.
func (w *walker) chain(r *ast.Rule, args []value) *outcome {
	whole := *w.rule(r, args)
	for e := r.Else; e != nil; e = e.Else {
		next := w.rule(e, args)
		whole.value = join(whole.value, next.value)
		whole.claims = append(slices.Clone(whole.claims), next.claims...)
		if whole.dead != nil && next.dead != nil {
			whole.dead = append(slices.Clone(whole.dead), next.dead...)
		} else {
			whole.dead = nil
		}
	}
	return &whole
}

// rule walks one body and its head.
func (w *walker) rule(r *ast.Rule, args []value) *outcome {
	key := fmt.Sprintf("%p", r)
	for _, a := range args {
		key += "," + a.key()
	}
	if have := w.done[key]; have != nil {
		return have
	}
	w.done[key] = &outcome{value: anything()} // rules do not recur; if one did, this ends it
	f := &frame{w: w, env: map[ast.Var]value{}, lists: map[ast.Var]*ast.Array{}, out: &outcome{}, rule: r, met: map[Fault][]innerFault{}}
	for i, a := range r.Head.Args {
		if i < len(args) {
			f.unify(a, args[i], true)
		}
	}
	f.body(r.Body)
	f.out.value = f.head(r)
	t := w.tallies[r]
	if t == nil {
		t = &tally{met: map[Fault]int{}, inner: map[Fault][]innerFault{}}
		w.tallies[r] = t
	}
	t.walked++
	for fault, inner := range f.met {
		t.met[fault]++
		t.inner[fault] = append(t.inner[fault], inner...)
	}
	slices.Sort(f.out.claims)
	f.out.claims = slices.Compact(f.out.claims)
	w.done[key] = f.out
	return f.out
}

// frame is one body under its walk.
type frame struct {
	w     *walker
	env   map[ast.Var]value
	lists map[ast.Var]*ast.Array // of those, what is an array as it is written
	out   *outcome
	rule  *ast.Rule
	met   map[Fault][]innerFault
	muted bool // under `with`: another input may stand there
	aside bool // in a negation or a comprehension: a fault there is no end of the body
}

// fault notes what is wrong at a place.
func (f *frame) fault(at *ast.Location, code, message string, inner ...innerFault) {
	if f.muted || at == nil {
		return
	}
	fault := Fault{at, code, message}
	f.met[fault] = inner
	if !f.aside {
		f.out.dead = append(f.out.dead, innerFault{f.rule, fault})
	}
}

// head is what the rule's value may be. A rule is there only where its value is.
func (f *frame) head(r *ast.Rule) value {
	var v value
	switch {
	case r.Head.RuleKind() == ast.MultiValue && r.Head.Key != nil:
		items := f.term(r.Head.Key)
		f.exists(items)
		v = built(contract.Set, items)
	case r.Head.Value != nil:
		v = f.term(r.Head.Value)
		f.exists(v)
	default:
		return anything()
	}
	for _, key := range r.Head.Ref()[len(r.Head.Ref().GroundPrefix()):] { // of an object in parts
		f.look(f.term(key))
		v = built(contract.Object, v)
	}
	return v
}

func (f *frame) body(b ast.Body) {
	for _, e := range b {
		f.expr(e)
	}
}

func (f *frame) expr(e *ast.Expr) {
	muted, aside := f.muted, f.aside
	defer func() { f.muted, f.aside = muted, aside }()
	for _, w := range e.With {
		f.look(f.term(w.Value))
	}
	f.muted, f.aside = muted || len(e.With) > 0, aside || e.Negated
	switch t := e.Terms.(type) {
	case *ast.Term:
		f.exists(f.term(t))
	case []*ast.Term:
		f.call(e, t[0], t[1:])
	case *ast.Every:
		domain := f.term(t.Domain)
		f.exists(domain)
		f.exists(domain.elements()) // over none it is true
		f.bind(t.Key, domain.keys())
		f.bind(t.Value, domain.elements())
		f.aside = true // nothing to hold it for is true
		f.body(t.Body)
	}
}

// look notes that a value is looked at as it is.
func (f *frame) look(v value) { f.out.claims = append(f.out.claims, v.claims()...) }

// exists notes that it is asked whether a value is there. Of an object that tells
// nothing about its members.
func (f *frame) exists(v value) {
	for _, s := range v.shapes {
		if s.Untrusted {
			f.out.claims = append(f.out.claims, s.Path)
		}
	}
}

// bind gives a variable its value, if the term is one that has none.
func (f *frame) bind(t *ast.Term, v value) bool {
	if t == nil {
		return false
	}
	name, ok := t.Value.(ast.Var)
	if !ok {
		return false
	}
	if _, bound := f.env[name]; bound || name.Equal(ast.InputRootDocument.Value) || name.Equal(ast.DefaultRootDocument.Value) {
		return false
	}
	f.env[name] = v
	return true
}

// inside walks a body that is no part of this one's truth, in its own scope.
func (f *frame) inside(b ast.Body, then func()) {
	env, aside := f.env, f.aside
	f.env = make(map[ast.Var]value, len(env)+4)
	for k, v := range env {
		f.env[k] = v
	}
	f.aside = true
	f.body(b)
	then()
	f.env, f.aside = env, aside
}
