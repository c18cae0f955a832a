package written

import (
	"fmt"
	"slices"

	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/flow"
	"mcp-gateway/rego/lint"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Inputs says what is wrong with what rules put in the place of the input, by `with`,
// as far as it is written down: fields that no input has, values of another kind, and
// words near one that the field knows. A word that is near none may be meant: that a
// policy is safe in the face of what nobody thought of is worth a test. in says of a
// file whether its rules are looked at.
func Inputs(c *ast.Compiler, in func(file string) bool, input *contract.Shape) []lint.Fault {
	w := &standIn{c: c, in: in, input: input, told: map[told]bool{}}
	for _, m := range c.Modules {
		if !in(m.Package.Location.File) {
			continue
		}
		for _, r := range m.Rules {
			for ; r != nil; r = r.Else {
				w.body(r.Body, nil)
			}
		}
	}
	return w.faults
}

// Document says the same of an input that a file holds, as JSON.
func Document(file string, text []byte, input *contract.Shape) []lint.Fault {
	parsed, _, err := ast.ParseStatementsWithOpts(file, string(text), ast.ParserOptions{})
	if err != nil || len(parsed) != 1 {
		return nil
	}
	body, ok := parsed[0].(ast.Body)
	if !ok || len(body) != 1 {
		return nil
	}
	t, ok := body[0].Terms.(*ast.Term)
	if !ok {
		return nil
	}
	w := &standIn{c: ast.NewCompiler(), in: func(string) bool { return true }, told: map[told]bool{}}
	w.place(t, nil, nil, input)
	return w.faults
}

type standIn struct {
	c      *ast.Compiler
	in     func(file string) bool
	input  *contract.Shape
	told   map[told]bool
	faults []lint.Fault
}

type told struct{ place, message string }

// body looks at a body and at those inside it. around are the bodies that it stands in,
// the innermost first.
func (w *standIn) body(b ast.Body, around []ast.Body) {
	bodies := append([]ast.Body{b}, around...)
	for _, e := range b {
		for _, with := range e.With {
			w.with(with, bodies)
		}
		ast.WalkClosures(e, func(x any) bool {
			switch x := x.(type) {
			case *ast.ArrayComprehension:
				w.body(x.Body, bodies)
			case *ast.SetComprehension:
				w.body(x.Body, bodies)
			case *ast.ObjectComprehension:
				w.body(x.Body, bodies)
			case *ast.Every:
				w.body(x.Body, bodies)
			}
			return true
		})
	}
}

func (w *standIn) with(with *ast.With, bodies []ast.Body) {
	target, ok := with.Target.Value.(ast.Ref)
	if !ok || target[0].Value.Compare(ast.InputRootDocument.Value) != 0 {
		return
	}
	s := w.input
	for _, key := range target[1:] {
		name, text := key.Value.(ast.String)
		if s = w.step(s, string(name), text, at(key, with.Target), at(with.Value)); s == nil {
			return
		}
	}
	w.place(with.Value, bodies, nil, s)
}

// place holds what may stand at a place below a value to its shape.
func (w *standIn) place(value *ast.Term, bodies []ast.Body, path []*ast.Term, s *contract.Shape) {
	leaves, whole := flow.Parts(w.c, bodies, value, path)
	inner := !whole
	for _, l := range leaves {
		w.leaf(l, s)
		_, set := l.Value.(ast.Set)
		_, array := l.Value.(*ast.Array)
		_, object := l.Value.(ast.Object)
		inner = inner || set || array || object
	}
	if !inner {
		return
	}
	below := func(key *ast.Term, s *contract.Shape) {
		if s != nil {
			w.place(value, bodies, append(path[:len(path):len(path)], key), s)
		}
	}
	for _, name := range s.Names() {
		below(ast.StringTerm(name), s.Fields[name])
	}
	below(nil, s.Rest)
	below(nil, s.Items)
}

func (w *standIn) leaf(l flow.Leaf, s *contract.Shape) {
	if s.Open {
		return
	}
	kind := kindOf(l.Value)
	if kind == contract.Set && s.Kinds&contract.Array != 0 {
		kind = contract.Array // of a test it says the same
	}
	if kind&s.Kinds == 0 {
		w.fault(lint.CodeWrongType, fmt.Sprintf("%s is %s and never %s", s.Path, s.Kinds, kind), l.At...)
		return
	}
	switch v := l.Value.(type) {
	case ast.Object:
		v.Foreach(func(k, _ *ast.Term) {
			name, text := k.Value.(ast.String)
			w.step(s, string(name), text, append([]*ast.Location{k.Location}, l.At...)...)
		})
	case ast.String:
		if near := lint.Meant(string(v), s.Enum); near != "" && !slices.Contains(s.Enum, string(v)) {
			w.fault(lint.CodeNeverEqual, fmt.Sprintf("%s is never %q%s", s.Path, string(v), near), l.At...)
		}
	}
}

// step is the shape of a member, and a fault where there is none.
func (w *standIn) step(s *contract.Shape, name string, text bool, places ...*ast.Location) *contract.Shape {
	switch field := s.Fields[name]; {
	case s.Open || !text:
		return nil
	case field != nil:
		return field
	case s.Rest != nil:
		return s.Rest
	}
	w.fault(lint.CodeUnknownField, fmt.Sprintf("%s has no %q%s", s.Path, name, lint.Advice(name, s.Names())), places...)
	return nil
}

// fault notes what is wrong at the first of some places that is looked at, once.
func (w *standIn) fault(code, message string, places ...*ast.Location) {
	for _, at := range places {
		if at == nil || !w.in(at.File) {
			continue
		}
		if one := (told{at.String(), message}); !w.told[one] {
			w.told[one] = true
			w.faults = append(w.faults, lint.Fault{Location: at, Code: code, Message: message})
		}
		return
	}
}

// at is the place of the first term that has one.
func at(terms ...*ast.Term) *ast.Location {
	for _, t := range terms {
		if t.Location != nil {
			return t.Location
		}
	}
	return nil
}

func kindOf(v ast.Value) contract.Kinds {
	switch v.(type) {
	case ast.Null:
		return contract.Null
	case ast.Boolean:
		return contract.Boolean
	case ast.Number:
		return contract.Number
	case ast.String:
		return contract.String
	case *ast.Array:
		return contract.Array
	case ast.Set:
		return contract.Set
	case ast.Object:
		return contract.Object
	}
	return contract.AnyKind | contract.Set
}
