package answer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/lint"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Bounds of what a policy may ask for.
const (
	maxObligations = 64
	maxListed      = 64
	maxSeconds     = 30 * 24 * 3600
)

// obligations reads a set or array of obligation objects. One that this gateway
// does not know, or that has a member too many, is an error: it might have
// restricted what is not understood, and so permits nothing.
func obligations(v ast.Value, into *gateway.Obligations) error {
	return elements(v, maxObligations, func(t *ast.Term) error {
		if err := obligation(t.Value, into); err != nil {
			return fmt.Errorf("%w: %w", ErrShape, err)
		}
		return nil
	})
}

func obligation(v ast.Value, into *gateway.Obligations) error {
	o, ok := v.(ast.Object)
	if !ok {
		return errors.New("an obligation is not an object")
	}
	r := owed{o: o}
	kind := r.text("type")
	read, ok := readers[kind]
	switch {
	case r.err != nil:
		return fmt.Errorf("an obligation %w", r.err)
	case !ok:
		return fmt.Errorf("there is no obligation of type %q%s", kind, lint.Meant(kind, slices.Sorted(maps.Keys(readers))))
	}
	read(&r, into)
	if o.Len() != r.n {
		r.err = nil // a name that is mistyped is why the right one is missing
		r.stranger()
	}
	if r.err != nil {
		return fmt.Errorf("obligation %s %w", kind, r.err)
	}
	return nil
}

// CheckObligation says what is wrong with an obligation as it is written down. What a
// variable or a reference stands for may be anything.
func CheckObligation(v ast.Value) error {
	if isOpen(v) {
		return nil
	}
	if o, ok := v.(ast.Object); ok {
		kind := o.Get(ast.InternedTerm("type"))
		if !namesKnown(o) || kind != nil && isOpen(kind.Value) {
			return nil
		}
	}
	var unused gateway.Obligations
	return obligation(v, &unused)
}

// isOpen says whether a value is known only when policy is asked.
func isOpen(v ast.Value) bool {
	switch v.(type) {
	case ast.Var, ast.Ref, ast.Call, *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
		return true
	}
	return false
}

func namesKnown(o ast.Object) bool {
	known := true
	o.Foreach(func(k, _ *ast.Term) { _, text := k.Value.(ast.String); known = known && text })
	return known
}

// readers read the obligations by type. Several of one type add up to the
// strictest.
var readers = map[string]func(*owed, *gateway.Obligations){
	"mask_arguments":       func(r *owed, o *gateway.Obligations) { o.MaskArguments = add(o.MaskArguments, r.pointers("paths")) },
	"mask_result":          func(r *owed, o *gateway.Obligations) { o.MaskResult = add(o.MaskResult, r.pointers("paths")) },
	"result_bytes":         func(r *owed, o *gateway.Obligations) { o.ResultBytes = least(o.ResultBytes, r.number("max", 1<<30)) },
	"idempotency_key":      func(_ *owed, o *gateway.Obligations) { o.IdempotencyKey = true },
	"rate_class":           func(r *owed, o *gateway.Obligations) { o.RateClasses = add(o.RateClasses, []string{r.code("class")}) },
	"label":                func(r *owed, o *gateway.Obligations) { o.Labels = add(o.Labels, []string{r.code("label")}) },
	"step_up":              func(r *owed, o *gateway.Obligations) { o.StepUp = add(o.StepUp, r.texts("scopes")) },
	"timeout":              func(r *owed, o *gateway.Obligations) { o.Timeout = least(o.Timeout, r.seconds()) },
	"fresh_authentication": func(r *owed, o *gateway.Obligations) { o.FreshWithin = least(o.FreshWithin, r.seconds()) },
	"approval": func(r *owed, o *gateway.Obligations) {
		by := gateway.ApprovalBy{Self: r.flag("self")}
		if r.has("groups") {
			by.Groups = r.texts("groups")
		}
		if r.has("remember_seconds") {
			by.Remember = time.Duration(r.number("remember_seconds", maxSeconds)) * time.Second
		}
		o.Approvals = append(o.Approvals, by)
	},
}

// add joins two lists, sorted and each once.
func add(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(append(a, b...))))
}

// least is the smaller of two bounds, where 0 is none.
func least[T int | time.Duration](a, b T) T {
	if a == 0 || b < a {
		return b
	}
	return a
}

// owed reads the members of one obligation. Of what is open it takes a value that
// would do.
type owed struct {
	o    ast.Object
	read [4]string // names of members that it knows, whether there or not
	n    int       // how many of them are there
	err  error
}

// stranger names a member that is not known.
func (r *owed) stranger() {
	known := slices.DeleteFunc(slices.Clone(r.read[:]), func(name string) bool { return name == "" })
	r.o.Foreach(func(k, _ *ast.Term) {
		name, _ := k.Value.(ast.String)
		if !slices.Contains(known, string(name)) {
			r.fail(fmt.Sprintf("has no member %q%s", string(name), lint.Meant(string(name), known)))
		}
	})
}

func (r *owed) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s", what)
	}
}

// has says whether an optional member is there.
func (r *owed) has(name string) bool {
	r.know(name)
	return r.o.Get(ast.InternedTerm(name)) != nil
}

func (r *owed) know(name string) {
	for i, have := range r.read {
		if have == "" || have == name {
			r.read[i] = name
			return
		}
	}
}

func (r *owed) member(name string) ast.Value {
	r.know(name)
	t := r.o.Get(ast.InternedTerm(name))
	if t == nil {
		r.fail("lacks " + name)
		return ast.Null{}
	}
	r.n++
	return t.Value
}

func (r *owed) text(name string) string {
	v := r.member(name)
	if isOpen(v) {
		return wouldDo
	}
	s, ok := v.(ast.String)
	if !ok || s == "" {
		r.fail(name + " is no text")
	}
	return string(s)
}

func (r *owed) code(name string) string {
	s := r.text(name)
	if r.err == nil && s != wouldDo && !contract.IsCode(s) {
		r.fail(name + " is no code: lower-case words joined by underscores")
	}
	return s
}

func (r *owed) flag(name string) bool {
	if !r.has(name) {
		return false
	}
	v := r.member(name)
	b, ok := v.(ast.Boolean)
	if !ok && !isOpen(v) {
		r.fail(name + " is neither true nor false")
	}
	return bool(b)
}

func (r *owed) number(name string, most int) int {
	v := r.member(name)
	if isOpen(v) {
		return most
	}
	n, ok := v.(ast.Number)
	i, whole := n.Int()
	if !ok || !whole || i < 1 || i > most {
		r.fail(fmt.Sprintf("%s is no whole number from 1 to %d", name, most))
	}
	return i
}

func (r *owed) seconds() time.Duration {
	return time.Duration(r.number("seconds", maxSeconds)) * time.Second
}

func (r *owed) texts(name string) []string {
	v := r.member(name)
	if isOpen(v) {
		return []string{wouldDo}
	}
	var out []string
	err := elements(v, maxListed, func(t *ast.Term) error {
		if isOpen(t.Value) {
			out = append(out, wouldDo)
			return nil
		}
		s, ok := t.Value.(ast.String)
		if !ok || s == "" {
			return ErrShape
		}
		out = append(out, string(s))
		return nil
	})
	if err != nil || len(out) == 0 {
		r.fail(name + " is no list of texts")
	}
	return out
}

// pointers are JSON Pointers (RFC 6901) that name something: not the whole.
func (r *owed) pointers(name string) []string {
	list := r.texts(name)
	for _, p := range list {
		if !isPointer(p) {
			r.fail(fmt.Sprintf("%s holds %q, which is no JSON Pointer such as /customer/email", name, p))
		}
	}
	return list
}

// wouldDo stands for a text that is not known yet: a text and a pointer.
const wouldDo = "/open"

func isPointer(p string) bool {
	if !strings.HasPrefix(p, "/") {
		return false
	}
	for i := range len(p) {
		if p[i] == '~' && (i+1 == len(p) || p[i+1] != '0' && p[i+1] != '1') {
			return false
		}
	}
	return true
}

// elements walks a set or array of at most so many.
func elements(v ast.Value, most int, each func(*ast.Term) error) error {
	var err error
	n := 0
	stop := func(t *ast.Term) bool {
		if n++; n > most {
			err = fmt.Errorf("%w: more than %d elements", ErrShape, most)
		} else {
			err = each(t)
		}
		return err != nil
	}
	switch v := v.(type) {
	case ast.Set:
		v.Until(stop)
	case *ast.Array:
		v.Until(stop)
	default:
		err = fmt.Errorf("%w: neither a set nor an array", ErrShape)
	}
	return err
}
