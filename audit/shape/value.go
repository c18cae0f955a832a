package shape

import "bytes"

// CutValue splits a value of the events' subset of JSON off b: strings hold no escapes,
// arrays and objects no others.
func CutValue(b []byte) (value, rest []byte, ok bool) {
	if len(b) == 0 {
		return nil, nil, false
	}
	end := -1
	switch b[0] {
	case '"':
		end = bytes.IndexByte(b[1:], '"') + 2
	case '[':
		end = bytes.IndexByte(b, ']') + 1
	case '{':
		end = bytes.IndexByte(b, '}') + 1
	default:
		end = bytes.IndexAny(b, ",}")
	}
	if end <= 0 || b[0] == '"' && end < 2 {
		return nil, nil, false
	}
	return b[:end], b[end:], true
}

// Unquote returns what stands between the quotes of a string without escapes.
func Unquote(v []byte) ([]byte, bool) {
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return nil, false
	}
	return v[1 : len(v)-1], true
}
