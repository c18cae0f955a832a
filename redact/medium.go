package redact

import (
	"bytes"
	"mime"
	"strings"

	"mcp-gateway/protocol"
)

// Findings of what is not of the form that its member has, and what stands for a
// media type then: bytes that say nothing about themselves (RFC 2046, 4.5.1).
const (
	codeMediaType = "media_type_replaced"
	codeNotBase64 = "not_base64"
	unknownMedium = "application/octet-stream"
)

// medium handles a media type: one that has no form of any is replaced, since whoever
// takes it for a header or a name of a file would read something else.
func (w *walker) medium(i, end int) {
	token := w.in[i:end]
	if len(token) <= 2 {
		return
	}
	if isMediaType(w.unescaped(token)) {
		w.rewrite(i, end, false)
		return
	}
	w.replace(i, end, unknownMedium)
	w.sign(codeMediaType)
}

// replace puts a text in the place of the string at in[i:end].
func (w *walker) replace(i, end int, text string) {
	w.out = append(w.out, w.in[w.copied:i]...)
	w.out = protocol.AppendString(w.out, text)
	w.copied, w.changed = end, true
}

// maxName is how long each half of a media type may be (RFC 6838, 4.2).
const maxName = 127

// isMediaType tells a media type by its form: type/subtype, and parameters.
func isMediaType(s []byte) bool {
	name, parameters, more := bytes.Cut(s, []byte{';'})
	kind, sub, ok := bytes.Cut(bytes.TrimRight(name, " "), []byte{'/'})
	if !ok || !restricted(kind) || !restricted(sub) {
		return false
	}
	if !more || len(bytes.Trim(parameters, " ")) == 0 {
		return true
	}
	_, _, err := mime.ParseMediaType(string(s))
	return err == nil && plainToken(bytes.ReplaceAll(s, []byte{'\\'}, nil))
}

// restricted reports whether s is a restricted-name (RFC 6838, 4.2), or begins with
// another of its characters, as nobody registers but some write.
func restricted(s []byte) bool {
	for _, c := range s {
		if !word(c) && strings.IndexByte("!#$&-^.+*", c) < 0 {
			return false
		}
	}
	return len(s) > 0 && len(s) <= maxName
}

func word(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}
