package scan

import (
	"bytes"

	"mcp-gateway/protocol"
	"mcp-gateway/protocol/rawjson"
)

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
	i = rawjson.SkipSpace(b, i)
	if i < len(b) && b[i] == ',' {
		i = rawjson.SkipSpace(b, i+1)
	}
	return i, i < len(b) && b[i] != ']' && b[i] != '}'
}

// Member reads the name that starts at i and returns it with the start of its
// value.
func Member(b []byte, i int) (name []byte, value int) {
	end := rawjson.SkipString(b, i)
	name = Text(b[i:end])
	value = rawjson.SkipSpace(b, end)
	if value < len(b) && b[value] == ':' {
		value = rawjson.SkipSpace(b, value+1)
	}
	return name, value
}
