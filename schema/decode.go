package schema

import (
	"encoding/json"

	"mcp-gateway/protocol"
)

// decode returns checked JSON in the library's value model, numbers as the
// lexemes that were sent, so that no digit is lost.
func decode(raw []byte) any {
	switch protocol.Kind(raw) {
	case '{':
		obj := map[string]any{}
		for name, value := range protocol.Members(raw) {
			obj[string(name)] = decode(value)
		}
		return obj
	case '[':
		arr := []any{}
		for value := range protocol.Elements(raw) {
			arr = append(arr, decode(value))
		}
		return arr
	case '"':
		s, _ := protocol.Text(raw)
		return s
	case 't':
		return true
	case 'f':
		return false
	case '0':
		return json.Number(raw)
	}
	return nil
}
