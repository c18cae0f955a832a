package bound

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcp-gateway/protocol"
	"mcp-gateway/redact/edit"
)

// shorten returns an item of a list within limit bytes, which are at least a few: its
// text cut, or a marker in its place where it has none or where its text is JSON,
// which a reader takes for whole. kept says that some of its text is there.
func shorten(list string, item []byte, limit int) (short []byte, kept bool) {
	path, token := edit.Text(item)
	size := strconv.Itoa(len(item))
	switch {
	case token == nil:
		return note(list, item, kind(item)+" of "+size+" bytes left out; ask for less at a time"), false
	case isJSON(token):
		return note(list, item, "JSON of "+size+" bytes left out; ask for less at a time"), false
	}
	keep := limit - (len(item) - len(token)) - len(marker(len(token))) - len(`""`)
	if keep < least/2 {
		return note(list, item, "item of "+size+" bytes left out; ask for less at a time"), false
	}
	head := head(token, keep)
	rest, _ := protocol.Text(append([]byte{'"'}, token[1+len(head):]...))
	text := append(append(append(make([]byte, 0, limit), '"'), head...), marker(len(rest))...)
	return edit.With(item, path, append(text, '"')), true
}

// head returns what a JSON string begins with, without its quotes: at most n bytes, in
// which no character, no escape and no placeholder of ours is cut.
func head(token []byte, n int) []byte {
	inner := token[1 : len(token)-1]
	n = min(n, len(inner))
	for n > 0 && n < len(inner) && !utf8.RuneStart(inner[n]) {
		n--
	}
	n = outsideEscape(inner, n)
	return inner[:boundary(string(inner[:n]), n)]
}

// outsideEscape returns n, or where the escape begins in which n stands.
func outsideEscape(inner []byte, n int) int {
	for at := 0; ; {
		i := bytes.IndexByte(inner[at:n], '\\')
		if i < 0 {
			return n
		}
		length := escapeLength(inner[at+i:])
		if at+i+length > n {
			return at + i
		}
		at += i + length
	}
}

// escapeLength is the length of the escape that s begins with; a high surrogate and
// the low one that must follow it are one.
func escapeLength(s []byte) int {
	const unit = len(`\ud83d`)
	switch {
	case len(s) < 2 || s[1] != 'u':
		return 2
	case len(s) >= 2*unit && s[2]|0x20 == 'd' && strings.IndexByte("89abAB", s[3]) >= 0:
		return 2 * unit
	}
	return unit
}

// boundary returns where at most n bytes of a text end so that no character is cut, and
// no placeholder such as [redacted:jwt].
func boundary(s string, n int) int {
	if n >= len(s) {
		n = len(s)
	}
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	const placeholder, longest = "[redacted:", 64
	if at := strings.LastIndexByte(s[max(0, n-longest):n], '['); at >= 0 {
		at += max(0, n-longest)
		if tail := s[at:n]; !strings.Contains(tail, "]") && (strings.HasPrefix(tail, placeholder) || strings.HasPrefix(placeholder, tail)) {
			return at
		}
	}
	return n
}

// isJSON reports whether a text is an object or an array of JSON.
func isJSON(token []byte) bool {
	text, _ := protocol.Text(token)
	if k := protocol.Kind([]byte(text[:min(len(text), 1<<10)])); k != '{' && k != '[' {
		return false
	}
	return protocol.Check([]byte(text), protocol.Limits{Bytes: len(text), Depth: 1000}) == nil
}

// kind names what an item is of.
func kind(item []byte) string {
	for _, name := range [...]string{"", "content"} {
		at := item
		if name != "" {
			at, _ = protocol.Member(item, name)
		}
		if protocol.Kind(at) != '{' {
			continue
		}
		raw, _ := protocol.Member(at, "type")
		switch kind, _ := protocol.Text(raw); kind {
		case "image", "audio", "resource", "resource_link":
			return kind
		}
	}
	return "item"
}

// note returns an item of a list that says something in place of another, whose URI or
// role it keeps.
func note(list string, instead []byte, what string) []byte {
	text := append(protocol.AppendString([]byte(`"type":"text","text":`), "["+what+"]"), '}')
	keep := func(name, begin string) []byte {
		value, _ := protocol.Member(instead, name)
		if protocol.Kind(value) != '"' {
			value = []byte(`""`)
		}
		return append(append([]byte(begin), value...), ',')
	}
	switch list {
	case "contents":
		head := keep("uri", `{"uri":`)
		return append(append(head, `"mimeType":"text/plain",`...), text[len(`"type":"text",`):]...)
	case "messages":
		head := keep("role", `{"role":`)
		return append(append(append(head, `"content":{`...), text...), '}')
	}
	return append([]byte{'{'}, text...)
}
