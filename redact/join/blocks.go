package join

import (
	"bytes"
	"sort"

	"mcp-gateway/protocol"
	"mcp-gateway/redact/edit"
	"mcp-gateway/redact/secret"
)

// Blocks replaces secrets that stand partly in one text and partly in the next,
// over however many, since whoever reads them reads them as one. What stands
// between two texts and is none, such as an image, does not part them. raw is an
// object that was cleaned; key names its array of blocks, or of messages with a
// block each. It returns raw where there are none.
func Blocks(secrets *secret.Scanner, raw []byte, key string, count func(class string)) (out []byte, changed bool) {
	if bytes.Count(raw, []byte(`"text":`)) < 2 && bytes.Count(raw, []byte(`"text"`)) < 4 {
		return raw, false
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
	secrets.Spans(all, func(sp secret.Span) {
		if cut(pieces, sp) {
			count(sp.Class)
			changed = true
		}
	})
	if !changed {
		return raw, false
	}
	return edit.With(raw, []string{key}, appendPieces(nil, pieces)), true
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

func pieceOf(el []byte) piece {
	path, raw := edit.Text(el)
	text, _ := protocol.Text(raw)
	return piece{raw: el, path: path, text: []byte(text)}
}

// cut takes a secret out of the pieces that it spans, if it spans more than one.
// The placeholder stands where it begins.
func cut(pieces []piece, sp secret.Span) bool {
	first := -1
	begin := sort.Search(len(pieces), func(i int) bool { return pieces[i].to > sp.From })
	for i := begin; i < len(pieces); i++ {
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
		out = append(out, edit.With(p.raw, p.path, text)...)
	}
	return append(out, ']')
}
