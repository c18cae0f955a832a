package input

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Keywords of violations of a reviewer's bounds. The first is JSON Schema's own.
const (
	keywordLength   = "maxLength"
	keywordNonEmpty = "nonEmpty" // no keyword of JSON Schema
)

// overBounds holds arguments against what the reviewer allows beyond the schema. An
// argument that is absent breaks no bound: whether it must be there the schema says.
func overBounds(bounds map[string]gateway.Bound, args []byte) []gateway.Violation {
	var out []gateway.Violation
	for _, pointer := range slices.Sorted(maps.Keys(bounds)) {
		value, ok := protocol.Lookup(args, pointer)
		if !ok {
			continue
		}
		bound := bounds[pointer]
		length := lengthOf(value, bound.MaxLength)
		switch {
		case bound.NonEmpty && (length == 0 || blank(value)):
			out = append(out, gateway.Violation{Pointer: pointer, Keyword: keywordNonEmpty})
		case bound.MaxLength > 0 && length > bound.MaxLength:
			out = append(out, gateway.Violation{Pointer: pointer, Keyword: keywordLength})
		}
	}
	return out
}

// lengthOf counts no further than one beyond the bound that it is held against, if
// there is one. What has no length, such as a number, has the length 1.
func lengthOf(value []byte, most int) int {
	n := 0
	switch protocol.Kind(value) {
	case '"':
		text, _ := protocol.Text(value)
		return utf8.RuneCountInString(text)
	case '[':
		for range protocol.Elements(value) {
			if n++; most > 0 && n > most {
				return n
			}
		}
	case '{':
		for range protocol.Members(value) {
			if n++; most > 0 && n > most {
				return n
			}
		}
	case 'n':
		return 0
	default:
		return 1
	}
	return n
}

// blank says whether a value is a text of nothing but white space.
func blank(value []byte) bool {
	text, ok := protocol.Text(value)
	return ok && strings.TrimSpace(text) == ""
}
