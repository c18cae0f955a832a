package plan

import (
	"bytes"

	"mcp-gateway/protocol"
)

// The scanner walks JSON that was checked before. On other input it stays
// within the slice and the answer means nothing.

// space returns the index of the first byte at or after i that is not JSON
// white space, or len(b).
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that starts at i: after the
// first quote that an even number of backslashes precedes.
func skipString(b []byte, i int) int {
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

// skipScalar returns the index after the number or literal that starts at i.
func skipScalar(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ',', ']', '}', ' ', '\n', '\t', '\r', ':':
			return i
		}
		i++
	}
	return i
}

// skip returns the index after the value that starts at i.
func skip(b []byte, i int) int {
	depth := 0
	for i = space(b, i); i < len(b); i = space(b, i) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
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
			i = max(skipScalar(b, i), i+1)
		}
		if depth <= 0 {
			return i
		}
	}
	return i
}

// text returns the content of the string token; it aliases the token where
// that has no escapes.
func text(token []byte) []byte {
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

// next returns the start of the next element or member in a container whose
// previous token ended at i, and false at its end.
func next(b []byte, i int) (int, bool) {
	i = space(b, i)
	if i < len(b) && b[i] == ',' {
		i = space(b, i+1)
	}
	return i, i < len(b) && b[i] != ']' && b[i] != '}'
}

// member reads the name that starts at i and returns it with the start of its
// value.
func member(b []byte, i int) (name []byte, value int) {
	end := skipString(b, i)
	name = text(b[i:end])
	value = space(b, end)
	if value < len(b) && b[value] == ':' {
		value = space(b, value+1)
	}
	return name, value
}
