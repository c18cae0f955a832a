package effect

import (
	"strings"

	"mcp-gateway/protocol"
)

// pointerTokens are the tokens of a JSON Pointer (RFC 6901), unescaped; none for what is
// no pointer.
func pointerTokens(pointer string) []string {
	if pointer == "" || pointer[0] != '/' {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens
}

// put returns an object with a value at the place that the tokens name, and whether
// objects were made on the way. nil where something is at the place already, or where
// the way leads through anything but objects.
func put(object []byte, tokens []string, value []byte) (out []byte, made bool) {
	if object == nil {
		object = []byte("{}")
	}
	if len(tokens) == 0 || protocol.Kind(object) != '{' {
		return nil, false
	}
	name := tokens[0]
	inner, there := protocol.Member(object, name)
	if len(tokens) > 1 {
		if value, made = put(inner, tokens[1:], value); value == nil {
			return nil, false
		}
		made = made || !there
	} else if there {
		return nil, false
	}
	return with(object, name, value), made
}

// with returns an object with one member replaced or, where it is missing, added. All
// else stays as it was spelled.
func with(object []byte, name string, value []byte) []byte {
	out, replaced := []byte{'{'}, false
	for n, v := range protocol.Members(object) {
		if string(n) == name {
			v, replaced = value, true
		}
		out = append(protocol.AppendString(out, string(n)), ':')
		out = append(append(out, v...), ',')
	}
	if replaced {
		out[len(out)-1] = '}'
		return out
	}
	out = append(protocol.AppendString(out, name), ':')
	return append(append(out, value...), '}')
}

// nested is the object that holds a value where a pointer says, and nothing else; nil
// for what is no pointer.
func nested(pointer string, value []byte) []byte {
	out, _ := put(nil, pointerTokens(pointer), value)
	return out
}
