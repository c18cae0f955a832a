package redact

import (
	"bytes"

	"mcp-gateway/protocol"
	"mcp-gateway/redact/secret"
)

// joined replaces secrets that stand partly in one text block and partly in the
// next, since whoever reads them reads them as one. raw is an object that was
// cleaned; key names its array of blocks, or of messages with a block each.
func (r *Redactor) joined(raw []byte, key string, count func(class string)) []byte {
	if bytes.Count(raw, []byte(`"text":`)) < 2 && bytes.Count(raw, []byte(`"text"`)) < 4 {
		return raw
	}
	list, _ := protocol.Member(raw, key)
	var blocks []textBlock
	changed := false
	for el := range protocol.Elements(list) {
		now := textOf(el)
		if n := len(blocks); n > 0 && blocks[n-1].ok && now.ok {
			before := &blocks[n-1]
			if sp, found := r.secrets.Across(before.text, now.text); found {
				count(sp.Class)
				cut := len(before.text) + sp.From
				before.text = secret.AppendPlaceholder(before.text[:cut:cut], sp.Class)
				now.text = now.text[sp.To:]
				before.changed, now.changed, changed = true, true, true
			}
		}
		blocks = append(blocks, now)
	}
	if !changed {
		return raw
	}
	return replaced(raw, key, appendBlocks(nil, blocks))
}

// textBlock is an element of an array of content, with its text if it has one.
type textBlock struct {
	raw     []byte
	ok      bool
	message bool // the block is the content of a message
	text    []byte
	changed bool
}

func textOf(el []byte) textBlock {
	b := textBlock{raw: el}
	if content, ok := protocol.Member(el, "content"); ok && protocol.Kind(content) == '{' {
		b.message, el = true, content
	}
	token, _ := protocol.Member(el, "text")
	text, ok := protocol.Text(token)
	b.ok, b.text = ok, []byte(text)
	return b
}

func appendBlocks(out []byte, blocks []textBlock) []byte {
	out = append(out, '[')
	for i, b := range blocks {
		if i > 0 {
			out = append(out, ',')
		}
		switch text := protocol.AppendString(nil, string(b.text)); {
		case !b.changed:
			out = append(out, b.raw...)
		case b.message:
			content, _ := protocol.Member(b.raw, "content")
			out = append(out, replaced(b.raw, "content", replaced(content, "text", text))...)
		default:
			out = append(out, replaced(b.raw, "text", text)...)
		}
	}
	return append(out, ']')
}

// replaced returns an object with the value of one member replaced.
func replaced(raw []byte, key string, value []byte) []byte {
	out := []byte{'{'}
	for name, old := range protocol.Members(raw) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(protocol.AppendString(out, string(name)), ':')
		if string(name) == key {
			old = value
		}
		out = append(out, old...)
	}
	return append(out, '}')
}
