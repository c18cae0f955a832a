package redact

import (
	"mcp-gateway/protocol"
	"mcp-gateway/redact/form"
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
	if form.IsMediaType(w.unescaped(token)) {
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
