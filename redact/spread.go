package redact

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-gateway/protocol"
	"mcp-gateway/redact/edit"
	"mcp-gateway/redact/place"
	"mcp-gateway/redact/secret"
)

// shortestSpread is how many bytes data has at least in which a token is spread.
const shortestSpread = 24

// spread replaces secrets that stand partly in one value of data and partly in the
// next, since whoever is told to put them together does: the strings of an array, and
// those of an object, in their order. raw was cleaned, and comes back where there are
// none.
func (w *walker) spread(raw []byte, root place.Place) []byte {
	data := raw
	if root != place.Free {
		data, _ = protocol.Member(raw, "structuredContent")
	}
	if len(data) < shortestSpread {
		return raw
	}
	s := &w.spreader
	s.run(w.r, data)
	if len(s.edits) == 0 {
		return raw
	}
	w.changed = true
	data = s.edited()
	if root != place.Free {
		return edit.With(raw, []string{"structuredContent"}, data)
	}
	return data
}

// spreader goes once through data, which protocol.Check has passed. It is reused.
type spreader struct {
	secrets *secret.Scanner
	count   func(class string)
	hit     func(secret.Span)
	in      []byte
	edits   []rewritten

	found []part // strings that are values, of all that is open
	open  []int  // where in found those of each open array or object begin

	strings []part // those that are judged
	all     []byte // their texts, one after the other
	begins  []int  // where in all each begins
	pieces  []piece
}

// part is a string token of the data, and rewritten one that becomes another text.
type part struct{ from, to int }

type rewritten struct {
	part
	text string
}

func (s *spreader) run(r *Redactor, in []byte) {
	s.secrets, s.in, s.edits = r.secrets, in, nil
	s.found, s.open = s.found[:0], s.open[:0]
	for i := 0; i < len(in); i++ {
		switch in[i] {
		case '{', '[':
			s.open = append(s.open, len(s.found))
		case '}', ']':
			first := s.open[len(s.open)-1]
			s.judge(s.found[first:])
			s.found, s.open = s.found[:first], s.open[:len(s.open)-1]
		case '"':
			end := stringEnd(in, i)
			if !isName(in[end:]) {
				s.found = append(s.found, part{i, end})
			}
			i = end - 1
		}
	}
}

// isName says whether what came before rest is the name of a member.
func isName(rest []byte) bool {
	for _, c := range rest {
		if c > ' ' {
			return c == ':'
		}
	}
	return false
}

// judge looks for secrets of which several of the strings have a part.
func (s *spreader) judge(strings []part) {
	if len(strings) < 2 {
		return
	}
	s.strings, s.all, s.begins = strings, s.all[:0], s.begins[:0]
	for _, p := range strings {
		s.begins = append(s.begins, len(s.all))
		if token := s.in[p.from:p.to]; bytes.IndexByte(token, '\\') < 0 {
			s.all = append(s.all, token[1:len(token)-1]...)
		} else {
			s.all, _ = jsontext.AppendUnquote(s.all, token)
		}
	}
	if len(s.all) < shortestSpread/2 {
		return
	}
	s.pieces = nil
	s.secrets.Spans(s.all, s.hit)
	for i, p := range s.pieces {
		if p.left != nil {
			s.edits = append(s.edits, rewritten{strings[i], string(append(p.left, p.text[p.done:]...))})
		}
	}
}

// take takes a secret out of the strings that it stands in, if these are several.
// Two numbers in a row look like a longer one, which is a card's or an account's as
// often as not by chance.
func (s *spreader) take(sp secret.Span) {
	next, _ := slices.BinarySearch(s.begins, sp.From+1) // the first string that begins behind it
	if next == len(s.begins) || s.begins[next] >= sp.To || sp.Class == "card" || sp.Class == "iban" {
		return
	}
	if s.pieces == nil {
		s.pieces = make([]piece, len(s.begins))
		for i, from := range s.begins {
			to := len(s.all)
			if i+1 < len(s.begins) {
				to = s.begins[i+1]
			}
			s.pieces[i] = piece{text: s.all[from:to], from: from, to: to}
		}
	}
	if cut(s.pieces, sp) {
		s.count(sp.Class)
	}
}

// edited returns the data with what became of its strings.
func (s *spreader) edited() []byte {
	slices.SortFunc(s.edits, func(a, b rewritten) int { return a.from - b.from })
	out, done := make([]byte, 0, len(s.in)), 0
	for _, e := range s.edits {
		out = append(out, s.in[done:e.from]...)
		out = protocol.AppendString(out, e.text)
		done = e.to
	}
	return append(out, s.in[done:]...)
}
