package promise

import (
	"fmt"
	"strconv"
	"strings"

	"mcp-gateway/protocol"
)

// Gap says where a schema stops promising something. At is a JSON Pointer into
// the value; its tokens are those that were asked about.
type Gap struct {
	At   string
	Want string // what is not promised there
}

// Error implements error.
func (g *Gap) Error() string {
	at := g.At
	if at == "" {
		at = "the value itself"
	}
	return fmt.Sprintf("the schema does not promise %s at %s", g.Want, at)
}

// Guaranteed returns nil if every value that the schema accepts holds, at the
// JSON Pointer (RFC 6901), a string or a number; else a *Gap with the first place
// where it need not. The schema must be strictly checked JSON.
func Guaranteed(schema []byte, pointer string) error {
	w := newWalk(schema)
	if gap := w.holds(w.conjuncts(schema), "", tokens(pointer)); gap != nil {
		return gap
	}
	return nil
}

// Declared says whether the schema names each step of the JSON Pointer as a
// property or an item, in whatever branch.
func Declared(schema []byte, pointer string) bool {
	w := newWalk(schema)
	at := [][]byte{schema}
	for _, token := range tokens(pointer) {
		var next [][]byte
		for _, s := range w.branches(at) {
			if sub, ok := w.step(s, token); ok {
				next = append(next, sub)
			}
		}
		if at = next; len(at) == 0 {
			return false
		}
	}
	return true
}

// holds says what is missing for the value to which all of these apply.
func (w *walk) holds(all [][]byte, at string, rest []string) *Gap {
	if w.spent() {
		return &Gap{at, "anything that can be followed"}
	}
	gap := w.directly(all, at, rest)
	if gap == nil {
		return nil
	}
	for _, s := range all {
		for _, keyword := range [...]string{"anyOf", "oneOf"} {
			if alternatives, ok := protocol.Member(s, keyword); ok && w.each(all, alternatives, at, rest) {
				return nil
			}
		}
	}
	return gap
}

// each says whether every alternative, with what applies anyway, leaves nothing
// missing.
func (w *walk) each(all [][]byte, alternatives []byte, at string, rest []string) bool {
	if protocol.Kind(alternatives) != '[' {
		return false
	}
	n := 0
	for branch := range protocol.Elements(alternatives) {
		n++
		if w.directly(append(w.conjuncts(branch), all...), at, rest) != nil {
			return false
		}
	}
	return n > 0
}

// directly is holds without a look at alternatives at this place.
func (w *walk) directly(all [][]byte, at string, rest []string) *Gap {
	if len(rest) == 0 {
		return evidence(all, at)
	}
	token, below := rest[0], at+"/"+escape(rest[0])
	var next [][]byte
	for _, s := range all {
		if sub, ok := w.step(s, token); ok {
			next = append(next, w.conjuncts(sub)...)
		}
	}
	switch _, index := number(token); {
	case some(all, "object") && demands(all, token):
	case index && some(all, "array") && long(all, token):
	case some(all, "object"):
		return &Gap{below, "a required member"}
	default:
		return &Gap{at, "an object"}
	}
	if len(next) == 0 {
		return &Gap{below, "a described member"}
	}
	return w.holds(next, below, rest[1:])
}

// evidence asks for a string or a number: nothing else can be looked up.
func evidence(all [][]byte, at string) *Gap {
	if some(all, "string") || some(all, "number") || some(all, "integer") {
		return nil
	}
	for _, s := range all {
		if types, _ := protocol.Member(s, "type"); protocol.Kind(types) == '[' && onlyScalars(types) {
			return nil
		}
		if value, ok := protocol.Member(s, "const"); ok && scalar(value) {
			return nil
		}
		if values, ok := protocol.Member(s, "enum"); ok && allScalars(values) {
			return nil
		}
	}
	return &Gap{at, "a string or a number, and no null"}
}

// some says whether one of them allows that type alone.
func some(all [][]byte, name string) bool {
	for _, s := range all {
		types, _ := protocol.Member(s, "type")
		if protocol.Kind(types) == '[' {
			var only [][]byte
			for t := range protocol.Elements(types) {
				only = append(only, t)
			}
			if len(only) != 1 {
				continue
			}
			types = only[0]
		}
		if text, ok := protocol.Text(types); ok && text == name {
			return true
		}
	}
	return false
}

func onlyScalars(types []byte) bool {
	n := 0
	for t := range protocol.Elements(types) {
		n++
		if text, _ := protocol.Text(t); text != "string" && text != "number" && text != "integer" {
			return false
		}
	}
	return n > 0
}

func allScalars(values []byte) bool {
	if protocol.Kind(values) != '[' {
		return false
	}
	n := 0
	for v := range protocol.Elements(values) {
		n++
		if !scalar(v) {
			return false
		}
	}
	return n > 0
}

func scalar(value []byte) bool {
	switch protocol.Kind(value) {
	case '"', '0':
		return true
	}
	return false
}

// demands says whether one of them requires the member.
func demands(all [][]byte, name string) bool {
	for _, s := range all {
		required, _ := protocol.Member(s, "required")
		if protocol.Kind(required) != '[' {
			continue
		}
		for r := range protocol.Elements(required) {
			if text, ok := protocol.Text(r); ok && text == name {
				return true
			}
		}
	}
	return false
}

// long says whether one of them wants so many items that the one at token exists.
func long(all [][]byte, token string) bool {
	index, _ := number(token)
	for _, s := range all {
		least, _ := protocol.Member(s, "minItems")
		if n, err := strconv.Atoi(string(least)); err == nil && n > index {
			return true
		}
	}
	return false
}

// tokens splits a pointer.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	parts := strings.Split(pointer[1:], "/")
	for i := range parts {
		parts[i] = unescape.Replace(parts[i])
	}
	return parts
}

func escape(token string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(token) }

// number reads an array index: no sign, no leading zero.
func number(token string) (int, bool) {
	n, err := strconv.Atoi(token)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == token
}
