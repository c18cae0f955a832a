package promise

import (
	"slices"
	"strings"

	"mcp-gateway/protocol"
)

// maxSteps bounds the work on one schema, however its references fan out.
const maxSteps = 10_000

// walk is one question put to one schema.
type walk struct {
	root  []byte
	draft bool // of the drafts in which a reference's siblings mean nothing
	steps int
}

func newWalk(root []byte) *walk {
	w := &walk{root: root}
	if protocol.Kind(root) == '{' {
		dialect, _ := protocol.Member(root, "$schema")
		name, _ := protocol.Text(dialect)
		w.draft = strings.Contains(name, "draft-0")
	}
	return w
}

func (w *walk) spent() bool {
	w.steps++
	return w.steps > maxSteps
}

// conjuncts returns the objects that all apply where the schema does: itself, what
// it refers to, the parts of its allOf.
func (w *walk) conjuncts(schema []byte) [][]byte {
	if w.spent() || protocol.Kind(schema) != '{' {
		return nil
	}
	var all [][]byte
	if ref, ok := protocol.Member(schema, "$ref"); ok {
		if target, ok := w.resolve(ref); ok {
			all = append(all, w.conjuncts(target)...)
		}
		if w.draft {
			return all
		}
	}
	all = append(all, schema)
	for _, part := range elements(schema, "allOf") {
		all = append(all, w.conjuncts(part)...)
	}
	return all
}

// branches is conjuncts with every alternative.
func (w *walk) branches(schemas [][]byte) [][]byte {
	var all [][]byte
	for queue := schemas; len(queue) > 0 && !w.spent(); queue = queue[1:] {
		for _, s := range w.conjuncts(queue[0]) {
			all = append(all, s)
			queue = slices.Concat(queue, elements(s, "anyOf"), elements(s, "oneOf"))
		}
	}
	return all
}

// elements returns what a keyword lists.
func elements(schema []byte, keyword string) [][]byte {
	list, ok := protocol.Member(schema, keyword)
	if !ok || protocol.Kind(list) != '[' {
		return nil
	}
	return slices.Collect(protocol.Elements(list))
}

// step returns the subschema of the member or item that the token names.
func (w *walk) step(schema []byte, token string) ([]byte, bool) {
	if properties, ok := protocol.Member(schema, "properties"); ok && protocol.Kind(properties) == '{' {
		if sub, ok := protocol.Member(properties, token); ok {
			return sub, true
		}
	}
	index, ok := number(token)
	if !ok {
		return nil, false
	}
	items, _ := protocol.Member(schema, "items")
	first, _ := protocol.Member(schema, "prefixItems")
	if w.draft && protocol.Kind(items) == '[' {
		first, items = items, nil
	}
	if protocol.Kind(first) == '[' {
		for sub := range protocol.Elements(first) {
			if index == 0 {
				return sub, true
			}
			index--
		}
	}
	return items, protocol.Kind(items) == '{'
}

// resolve follows a reference within the document. One that a base of its own
// ($id, anchors) would lead elsewhere is not followed.
func (w *walk) resolve(ref []byte) ([]byte, bool) {
	text, _ := protocol.Text(ref)
	if text == "#" {
		return w.root, true
	}
	if !strings.HasPrefix(text, "#/") || strings.Contains(text, "%") {
		return nil, false
	}
	at := w.root
	for _, token := range tokens(text[1:]) {
		next, ok := child(at, token)
		if !ok {
			return nil, false
		}
		if protocol.Kind(next) == '{' {
			if _, rebased := protocol.Member(next, "$id"); rebased {
				return nil, false
			}
		}
		at = next
	}
	return at, true
}

func child(at []byte, token string) ([]byte, bool) {
	switch protocol.Kind(at) {
	case '{':
		return protocol.Member(at, token)
	case '[':
		index, ok := number(token)
		if !ok {
			return nil, false
		}
		for element := range protocol.Elements(at) {
			if index == 0 {
				return element, true
			}
			index--
		}
	}
	return nil, false
}
