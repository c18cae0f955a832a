package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/open-policy-agent/opa/v1/ast"

	"mcp-gateway/rego/contract"
)

// unify is `left = right`, where the right side is known: an unbound variable is
// bound, two values are compared.
func (f *frame) unify(left *ast.Term, right value, argument bool) {
	if f.bind(left, right) {
		return
	}
	switch v := left.Value.(type) {
	case *ast.Array:
		f.pattern(v.Foreach, right.elements())
		return
	case ast.Object:
		v.Foreach(func(k, t *ast.Term) { f.unify(t, f.step(right, k, place(t, k)), argument) })
		return
	}
	f.equal(left.Location, f.term(left), right)
}

func (f *frame) pattern(each func(func(*ast.Term)), elements value) {
	elements.any = true // which element stands where is not followed
	each(func(t *ast.Term) { f.unify(t, elements, false) })
}

// equal compares two values and says if they never are.
func (f *frame) equal(at *ast.Location, a, b value) {
	f.look(a)
	f.look(b)
	if code, message := never(a, b); message != "" {
		f.fault(at, code, message)
	}
}

// never says why two values are never equal, or nothing where they may be. Of two
// that the policy wrote itself it says nothing.
func never(a, b value) (code, message string) {
	if a.any || b.any || len(a.shapes)+len(b.shapes) == 0 {
		return "", ""
	}
	if len(a.shapes) == 0 {
		a, b = b, a
	}
	if message := apart(a, b); message != "" {
		return CodeWrongType, message
	}
	if !a.known() || !b.known() {
		return "", ""
	}
	mine, closed := a.words()
	if !closed {
		return "", ""
	}
	if theirs, closed := b.words(); closed {
		for _, word := range theirs {
			if slices.Contains(mine, word) {
				return "", ""
			}
		}
		slices.Sort(mine)
		return CodeNeverEqual, fmt.Sprintf("%s is never %s%s", a.shapes[0].Path, quoted(theirs), Advice(theirs[0], mine))
	}
	return "", ""
}

// apart says of what kinds two values are, of which the first has shapes, if they have
// none in common.
func apart(a, b value) string {
	mine, theirs := a.kinds(), b.kinds()
	if mine&theirs != 0 || mine == 0 || theirs == 0 {
		return ""
	}
	return fmt.Sprintf("%s is %s and never %s", a.shapes[0].Path, mine, theirs)
}

// compare holds `<` and its kin to values of one kind: of others the order tells
// nothing.
func (f *frame) compare(at *ast.Location, a, b value) {
	f.look(a)
	f.look(b)
	if a.any || b.any {
		return
	}
	if len(a.shapes) == 0 {
		a, b = b, a
	}
	if len(a.shapes) == 0 {
		return
	}
	aside := f.aside
	f.aside = true // it may be always true
	if message := apart(a, b); message != "" {
		f.fault(at, CodeWrongType, message)
	}
	f.aside = aside
}

// Advice is the nearest of what there is, and all of it.
func Advice(word string, have []string) string {
	have = slices.Compact(slices.Sorted(slices.Values(have)))
	out := Meant(word, have)
	if len(have) > 0 {
		out += "; it knows " + quoted(have)
	}
	return out
}

// Meant says which word a mistyped one was meant to be, where one is near.
func Meant(word string, have []string) string {
	best, near := "", 0
	for _, h := range have {
		d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(h))
		if d <= max(2, len(word)/3) && d < len(word) && (best == "" || d < near) {
			best, near = h, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(out, ", ")
}

// member holds each constant of a collection apart: one word that never matches
// is a mistake, also beside others that do.
func (f *frame) member(at *ast.Location, x, collection value) {
	f.look(x)
	f.look(collection)
	inside := collection.elements()
	if collection.items == nil || len(inside.consts) == 0 {
		if code, message := never(inside, x); message != "" {
			f.fault(at, code, message)
		}
		return
	}
	wrong := 0
	for _, c := range inside.consts {
		code, message := never(x, constant(c))
		if message == "" {
			continue
		}
		wrong++
		was := f.aside
		f.aside = was || wrong < len(inside.consts) || len(inside.shapes) > 0 || inside.any
		place := c.Location
		if place == nil {
			place = at
		}
		f.fault(place, code, message)
		f.aside = was
	}
}

// takes says whether a value may be of the kinds that a built-in takes.
func (f *frame) takes(at *ast.Location, name string, v value, want contract.Kinds) {
	if len(v.shapes) == 0 || v.kinds()&want != 0 {
		return
	}
	f.fault(at, CodeWrongType, fmt.Sprintf("%s takes %s, and %s is %s", name, want, v.shapes[0].Path, v.kinds()))
}
