package rawjson_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf16"
)

// node is a JSON value as a model, from which texts of many spellings are made.
type node struct {
	kind    byte // as rawjson.Kind
	text    string
	lexeme  string
	names   []string
	members []*node // of an object, by names; or the elements of an array
}

// sampleTexts reach every escape, both ends of the UTF-16 order and plain ASCII.
func sampleTexts() []string {
	return []string{"", "a", "A", "name", "method", "a\x00", "\b\f\n\r\t", "\"\\/", "é", "\u0080", "\u20ac", "\ue000", "\ufb33", "\uffff", "😀", "\U00010000",
		"\U0010ffff", "<script>&", "\u2028", "\x7f", "value of some length, to be copied"}
}

func sampleNumbers() []string {
	return []string{"0", "-0", "1", "1.0", "1e0", "10e-1", "-1", "42", "9007199254740992", "9007199254740993", "0.1", "1e400", "1E400", "1e+400", "123456789012345678901234567890"}
}

func randomNode(r *rand.Rand, depth int) *node {
	kinds := "0\"tfn"
	if depth > 0 {
		kinds = "0\"tfn{{{[["
	}
	n := &node{kind: kinds[r.IntN(len(kinds))]}
	switch n.kind {
	case '0':
		n.lexeme = sampleNumbers()[r.IntN(len(sampleNumbers()))]
	case '"':
		n.text = randomText(r)
	case '{', '[':
		for range r.IntN(6) {
			n.add(r, randomNode(r, depth-1))
		}
	}
	return n
}

func randomText(r *rand.Rand) string {
	s := sampleTexts()[r.IntN(len(sampleTexts()))]
	if r.IntN(3) == 0 {
		s += sampleTexts()[r.IntN(len(sampleTexts()))]
	}
	return s
}

func (n *node) add(r *rand.Rand, member *node) {
	if n.kind == '{' {
		name := randomText(r)
		for slices.Contains(n.names, name) {
			name += "x"
		}
		n.names = append(n.names, name)
	}
	n.members = append(n.members, member)
}

// write spells n; each random choice is one that must not matter: the order of
// members, white space, and the form of escapes.
func (n *node) write(b *strings.Builder, r *rand.Rand) {
	space(b, r)
	defer space(b, r)
	switch n.kind {
	case '0':
		b.WriteString(n.lexeme)
	case '"':
		writeText(b, r, n.text)
	case 't':
		b.WriteString("true")
	case 'f':
		b.WriteString("false")
	case 'n':
		b.WriteString("null")
	case '[':
		b.WriteByte('[')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			m.write(b, r)
		}
		space(b, r)
		b.WriteByte(']')
	case '{':
		b.WriteByte('{')
		for i, at := range r.Perm(len(n.members)) {
			if i > 0 {
				b.WriteByte(',')
			}
			space(b, r)
			writeText(b, r, n.names[at])
			space(b, r)
			b.WriteByte(':')
			n.members[at].write(b, r)
		}
		space(b, r)
		b.WriteByte('}')
	}
}

func (n *node) spell(r *rand.Rand) []byte {
	var b strings.Builder
	n.write(&b, r)
	return []byte(b.String())
}

func space(b *strings.Builder, r *rand.Rand) {
	for range r.IntN(3) {
		b.WriteByte(" \t\r\n"[r.IntN(4)])
	}
}

func writeText(b *strings.Builder, r *rand.Rand, s string) {
	b.WriteByte('"')
	for _, c := range s {
		short := shortEscape(c)
		must := c < ' ' || c == '"' || c == '\\'
		switch {
		case short != "" && (r.IntN(2) == 0 || must && r.IntN(2) == 0):
			b.WriteString(short)
		case must || r.IntN(4) == 0:
			for _, unit := range utf16.Encode([]rune{c}) {
				fmt.Fprintf(b, []string{`\u%04x`, `\u%04X`}[r.IntN(2)], unit)
			}
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
}

func shortEscape(c rune) string {
	if i := strings.IndexRune("\"\\/\b\f\n\r\t", c); i >= 0 {
		return "\\" + `"\/bfnrt`[i:i+1]
	}
	return ""
}

func (n *node) clone() *node {
	c := *n
	c.names = slices.Clone(n.names)
	c.members = make([]*node, len(n.members))
	for i, m := range n.members {
		c.members[i] = m.clone()
	}
	return &c
}

func (n *node) all() []*node {
	list := []*node{n}
	for _, m := range n.members {
		list = append(list, m.all()...)
	}
	return list
}

// same compares two models; members of objects have no order.
func (n *node) same(o *node) bool {
	if n.kind != o.kind || n.text != o.text || n.lexeme != o.lexeme || len(n.members) != len(o.members) {
		return false
	}
	for i, m := range n.members {
		at := i
		if n.kind == '{' {
			if at = slices.Index(o.names, n.names[i]); at < 0 {
				return false
			}
		}
		if !m.same(o.members[at]) {
			return false
		}
	}
	return true
}

// mutate changes one place of n in one way that matters, in place.
func (n *node) mutate(r *rand.Rand) {
	list := n.all()
	at := list[r.IntN(len(list))]
	if len(at.members) == 0 || r.IntN(3) == 0 {
		*at = *randomNode(r, 1)
		return
	}
	i := r.IntN(len(at.members))
	switch r.IntN(4) {
	case 0:
		at.add(r, randomNode(r, 0))
	case 1:
		at.members = slices.Delete(at.members, i, i+1)
		if at.kind == '{' {
			at.names = slices.Delete(at.names, i, i+1)
		}
	case 2:
		j := r.IntN(len(at.members))
		at.members[i], at.members[j] = at.members[j], at.members[i]
	case 3:
		if at.kind == '{' && !slices.Contains(at.names, at.names[i]+"y") {
			at.names[i] += "y"
		}
	}
}
