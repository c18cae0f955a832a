package scan

import (
	"bytes"

	"mcp-gateway/protocol"
)

// Space returns the index of the first byte at or after i that is not JSON
// white space, or len(b).
func Space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// String returns the index after the string that starts at i: after the
// first quote that an even number of backslashes precedes.
func String(b []byte, i int) int {
	for j := i + 1; j < len(b); j++ {
		n := bytes.IndexByte(b[j:], '"')
		if n < 0 {
			break
		}
		j += n
		k := j
		for k-1 > i && b[k-1] == '\\' {
			k--
		}
		if (j-k)%2 == 0 {
			return j + 1
		}
	}
	return len(b)
}

// Scalar returns the index after the number or literal that starts at i.
func Scalar(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ',', ']', '}', ' ', '\n', '\t', '\r', ':':
			return i
		}
		i++
	}
	return i
}

// Value returns the index after the value that starts at i.
func Value(b []byte, i int) int {
	depth := 0
	for i = Space(b, i); i < len(b); i = Space(b, i) {
		switch b[i] {
		case '"':
			i = String(b, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':':
			i++
			continue
		default:
			i = max(Scalar(b, i), i+1)
		}
		if depth <= 0 {
			return i
		}
	}
	return i
}

// Text returns the content of the string token; it aliases the token where
// that has no escapes.
func Text(token []byte) []byte {
	if len(token) < 2 {
		return nil
	}
	inner := token[1 : len(token)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	s, _ := protocol.Text(token)
	return []byte(s)
}

// Next returns the start of the next element or member in a container whose
// previous token ended at i, and false at its end.
func Next(b []byte, i int) (int, bool) {
	i = Space(b, i)
	if i < len(b) && b[i] == ',' {
		i = Space(b, i+1)
	}
	return i, i < len(b) && b[i] != ']' && b[i] != '}'
}

// Member reads the name that starts at i and returns it with the start of its
// value.
func Member(b []byte, i int) (name []byte, value int) {
	end := String(b, i)
	name = Text(b[i:end])
	value = Space(b, end)
	if value < len(b) && b[value] == ':' {
		value = Space(b, value+1)
	}
	return name, value
}
