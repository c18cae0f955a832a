package edit

import "mcp-gateway/protocol"

// places are those of a text in a block, or in a message with a block.
func places() [][]string {
	return [][]string{{"text"}, {"resource", "text"}, {"content", "text"}, {"content", "resource", "text"}}
}

// Text returns the text of an element of an array of content, as its JSON string, and
// the names that lead to it; nil where it has none.
func Text(element []byte) (path []string, text []byte) {
	for _, path := range places() {
		at := element
		for _, name := range path {
			if protocol.Kind(at) != '{' {
				at = nil
				break
			}
			at, _ = protocol.Member(at, name)
		}
		if protocol.Kind(at) == '"' {
			return path, at
		}
	}
	return nil, nil
}

// With returns an object with the value at a path of names replaced.
func With(object []byte, path []string, value []byte) []byte {
	if len(path) > 1 {
		inner, _ := protocol.Member(object, path[0])
		value = With(inner, path[1:], value)
	}
	out := append(make([]byte, 0, len(object)+len(value)), '{')
	for name, old := range protocol.Members(object) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(protocol.AppendString(out, string(name)), ':')
		if string(name) == path[0] {
			old = value
		}
		out = append(out, old...)
	}
	return append(out, '}')
}
