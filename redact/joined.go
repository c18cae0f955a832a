package redact

import (
	"bytes"

	"mcp-gateway/protocol"
	"mcp-gateway/redact/secret"
)

// joined replaces secrets that stand partly in one text and partly in the next,
// over however many, since whoever reads them reads them as one. What stands
// between two texts and is none, such as an image, does not part them. raw is an
// object that was cleaned; key names its array of blocks, or of messages with a
// block each.
func (r *Redactor) joined(raw []byte, key string, count func(class string)) []byte {
	if bytes.Count(raw, []byte(`"text":`)) < 2 && bytes.Count(raw, []byte(`"text"`)) < 4 {
		return raw
	}
	list, _ := protocol.Member(raw, key)
	var pieces []piece
	var all []byte
	for el := range protocol.Elements(list) {
		p := pieceOf(el)
		p.from = len(all)
		all = append(all, p.text...)
		p.to = len(all)
		pieces = append(pieces, p)
	}
	changed := false
	r.secrets.Spans(all, func(sp secret.Span) {
		if cut(pieces, sp) {
			count(sp.Class)
			changed = true
		}
	})
	if !changed {
		return raw
	}
	return replaced(raw, key, appendPieces(nil, pieces))
}

// piece is an element of an array of content, with its text if it has one.
type piece struct {
	raw      []byte
	path     []string // where the text stands; nil = it has none
	text     []byte   // as it came
	from, to int      // where it stands among all texts
	left     []byte   // what is left of it, once something was taken out
	done     int      // bytes of text that left speaks of
}

// texts are the places of a text in a block, or in a message with a block.
var texts = [...][]string{{"text"}, {"resource", "text"}, {"content", "text"}, {"content", "resource", "text"}}

func pieceOf(el []byte) piece {
	p := piece{raw: el}
	for _, path := range texts {
		at := el
		for _, name := range path {
			if protocol.Kind(at) != '{' {
				at = nil
				break
			}
			at, _ = protocol.Member(at, name)
		}
		if text, ok := protocol.Text(at); ok {
			p.path, p.text = path, []byte(text)
			return p
		}
	}
	return p
}

// cut takes a secret out of the pieces that it spans, if it spans more than one.
// The placeholder stands where it begins.
func cut(pieces []piece, sp secret.Span) bool {
	first := -1
	for i := range pieces {
		p := &pieces[i]
		if p.to <= sp.From || p.from == p.to {
			continue
		}
		if p.from >= sp.To {
			return first >= 0
		}
		if first < 0 {
			if sp.To <= p.to {
				return false // it stands in this one alone
			}
			first = i
			p.left = append(p.left, p.text[p.done:sp.From-p.from]...)
			p.left = secret.AppendPlaceholder(p.left, sp.Class)
			p.done = len(p.text)
			continue
		}
		p.left, p.done = []byte{}, min(sp.To, p.to)-p.from
	}
	return first >= 0
}

func appendPieces(out []byte, pieces []piece) []byte {
	out = append(out, '[')
	for i, p := range pieces {
		if i > 0 {
			out = append(out, ',')
		}
		if p.left == nil {
			out = append(out, p.raw...)
			continue
		}
		text := protocol.AppendString(nil, string(append(p.left, p.text[p.done:]...)))
		out = append(out, within(p.raw, p.path, text)...)
	}
	return append(out, ']')
}

// within returns an object with the value at a path of names replaced.
func within(raw []byte, path []string, value []byte) []byte {
	if len(path) > 1 {
		inner, _ := protocol.Member(raw, path[0])
		value = within(inner, path[1:], value)
	}
	return replaced(raw, path[0], value)
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
