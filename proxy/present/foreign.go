package present

import (
	"bytes"
	"strings"

	"mcp-gateway/protocol"
)

// OwnPrefix begins the _meta keys by which this gateway speaks.
const OwnPrefix = "mcp-gateway/"

// carriers are the members under which things stand that have a _meta of their own:
// blocks of content, contents, messages, embedded resources.
var carriers = map[string]bool{"content": true, "contents": true, "messages": true, "resource": true}

// maxCarried is how far one stands in another. What lies deeper nobody defines.
const maxCarried = 8

// Foreign returns an upstream's result without the _meta members, of the result or of
// anything in it that has a _meta, that look like the gateway's own word: what is
// neither read, judged nor passed on need not be believed by anybody. It is the result
// itself where there are none.
func Foreign(result []byte) []byte {
	likely := bytes.Contains(result, []byte("mcp-gateway")) || bytes.Contains(result, []byte(`\u`))
	if !likely || !forged(result, maxCarried) {
		return result
	}
	return unforged(make([]byte, 0, len(result)), result, maxCarried)
}

// forged says whether anything is to be taken out.
func forged(raw []byte, levels int) bool {
	switch {
	case levels < 0:
	case protocol.Kind(raw) == '[':
		for element := range protocol.Elements(raw) {
			if forged(element, levels-1) {
				return true
			}
		}
	case protocol.Kind(raw) == '{':
		for name, value := range protocol.Members(raw) {
			if string(name) == "_meta" && claims(value) || carriers[string(name)] && forged(value, levels-1) {
				return true
			}
		}
	}
	return false
}

// claims says whether a _meta has members that look like the gateway's.
func claims(meta []byte) bool {
	if protocol.Kind(meta) != '{' {
		return false
	}
	for name := range protocol.Members(meta) {
		if strings.HasPrefix(string(name), OwnPrefix) {
			return true
		}
	}
	return false
}

// unforged appends a value without what forged sees. All else stays as it was written,
// but for white space and the spelling of names around it.
func unforged(dst, raw []byte, levels int) []byte {
	if !forged(raw, levels) {
		return append(dst, raw...)
	}
	if protocol.Kind(raw) == '[' {
		dst = append(dst, '[')
		for element := range protocol.Elements(raw) {
			dst = append(unforged(dst, element, levels-1), ',')
		}
		return closed(dst, ']')
	}
	dst = append(dst, '{')
	for name, value := range protocol.Members(raw) {
		dst = append(protocol.AppendString(dst, string(name)), ':')
		switch {
		case string(name) == "_meta":
			dst = foreignMeta(dst, value)
		case carriers[string(name)]:
			dst = unforged(dst, value, levels-1)
		default:
			dst = append(dst, value...)
		}
		dst = append(dst, ',')
	}
	return closed(dst, '}')
}

func foreignMeta(dst, meta []byte) []byte {
	if protocol.Kind(meta) != '{' {
		return append(dst, meta...)
	}
	dst = append(dst, '{')
	for name, value := range protocol.Members(meta) {
		if strings.HasPrefix(string(name), OwnPrefix) {
			continue
		}
		dst = append(protocol.AppendString(dst, string(name)), ':')
		dst = append(append(dst, value...), ',')
	}
	return closed(dst, '}')
}

// closed ends an array or object in place of a last comma.
func closed(dst []byte, end byte) []byte {
	if last := len(dst) - 1; dst[last] == ',' {
		dst[last] = end
		return dst
	}
	return append(dst, end)
}
