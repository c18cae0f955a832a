package join

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-gateway/protocol"
	"mcp-gateway/protocol/rawjson"
	"mcp-gateway/redact/secret"
)

// shortestSpread is how many bytes data has at least in which a token is spread.
const shortestSpread = 24

// Data replaces secrets that stand partly in one value of data and partly in the next,
// since whoever is told to put them together does: the strings of an array, and those
// of an object, in their order. It is used again, by one goroutine at a time.
type Data struct {
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

// NewData returns what calls count for each secret that it replaces.
func NewData(secrets *secret.Scanner, count func(class string)) *Data {
	s := &Data{secrets: secrets, count: count}
	s.hit = s.take
	return s
}

// maxScratch is what is kept for the next use.
const maxScratch = 256 << 10

// Replace goes once through a value that protocol.Check has passed, and returns it as it
// is then: in itself where nothing was found.
func (s *Data) Replace(in []byte) (out []byte, changed bool) {
	if len(in) < shortestSpread {
		return in, false
	}
	defer s.forget()
	s.in = in
	s.walk()
	if len(s.edits) == 0 {
		return in, false
	}
	return s.edited(), true
}

// forget drops all references to the value.
func (s *Data) forget() {
	s.in, s.strings, s.pieces, s.edits = nil, nil, nil, nil
	s.found, s.open = s.found[:0], s.open[:0]
	if cap(s.all) > maxScratch {
		s.all = nil
	}
}

func (s *Data) walk() {
	in := s.in
	for i := 0; i < len(in); i++ {
		switch in[i] {
		case '{', '[':
			s.open = append(s.open, len(s.found))
		case '}', ']':
			first := s.open[len(s.open)-1]
			s.judge(s.found[first:])
			s.found, s.open = s.found[:first], s.open[:len(s.open)-1]
		case '"':
			end := rawjson.SkipString(in, i)
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
func (s *Data) judge(strings []part) {
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
func (s *Data) take(sp secret.Span) {
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
func (s *Data) edited() []byte {
	slices.SortFunc(s.edits, func(a, b rewritten) int { return a.from - b.from })
	out, done := make([]byte, 0, len(s.in)), 0
	for _, e := range s.edits {
		out = append(out, s.in[done:e.from]...)
		out = protocol.AppendString(out, e.text)
		done = e.to
	}
	return append(out, s.in[done:]...)
}
