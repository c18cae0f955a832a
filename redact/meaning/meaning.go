package meaning

import (
	"math/bits"
	"regexp"
	"strings"

	"mcp-gateway/redact/skim"
)

// Sign is a set of what was found.
type Sign uint8

// The signs.
const (
	Directive Sign = 1 << iota // speaks to a model or claims authority over it
	Address                    // an address that a reader of Markdown or HTML fetches or follows
)

// Codes of findings, for events and policy.
const (
	CodeDirective = "directive_in_output"
	CodeAddress   = "outbound_url"
)

// A window is what an expression sees from an anchor on.
const window = 200

// anchor is where a pattern begins: a literal, in any case.
type anchor struct {
	literal string
	sign    Sign
	expr    func() *regexp.Regexp // nil = the literal says it all
}

// index finds anchors by their first four bytes, letters in any case.
type index struct {
	skim    skim.Table
	anchors map[uint32][]anchor
}

func newIndex(anchors []anchor) *index {
	ix := &index{anchors: make(map[uint32][]anchor)}
	for _, a := range anchors {
		for _, first := range spaced(a.literal[:skim.Width]) {
			k := key([]byte(first))
			ix.anchors[k] = append(ix.anchors[k], a)
		}
		ix.skimFor(a.literal)
	}
	return ix
}

// skimFor has text skimmed for four bytes of a literal's first word, since what stands
// for a blank has no length; where the word is shorter, for those it begins with.
func (ix *index) skimFor(literal string) {
	at := 0
	if word, _, _ := strings.Cut(literal, " "); len(word) >= skim.Width {
		at = skim.Rarest(word)
	}
	for _, four := range spaced(literal[at : at+skim.Width]) {
		var each [skim.Width][]byte
		for i := range each {
			each[i] = []byte{four[i]}
		}
		ix.skim.Add(each, at)
	}
}

// key is the first four bytes of s, folded.
func key(s []byte) uint32 {
	k := uint32(0)
	for _, c := range s[:skim.Width] {
		k = k<<8 | uint32(skim.Folded(c))
	}
	return k
}

// blanks are the bytes that may begin what stands for a blank between two words: a
// backslash begins an escape of white space in JSON.
const blanks = " \n\t\r\\*_"

// spaced returns four bytes with each byte in place of a blank that may be there.
func spaced(first string) []string {
	i := strings.IndexByte(first, ' ')
	if i < 0 {
		return []string{first}
	}
	var out []string
	for _, c := range []byte(blanks) {
		out = append(out, first[:i]+string(c)+first[i+1:])
	}
	return out
}

// blank returns the length of what stands for a blank at the beginning of s.
func blank(s []byte) int {
	n := 0
	for n < len(s) {
		switch c := s[n]; {
		case c == '\\' && n+1 < len(s) && strings.IndexByte("nrt", s[n+1]) >= 0:
			n += 2
		case c != '\\' && strings.IndexByte(blanks, c) >= 0:
			n++
		default:
			return n
		}
	}
	return n
}

// find returns the signs that stand in s as it is.
func find(s []byte) Sign {
	ix := table()
	var found Sign
	if fetched(s) {
		found = Address
	}
	for at, back := ix.skim.Next(s, 0); at < len(s); at, back = ix.skim.Next(s, at+1) {
		for ; back != 0; back &= back - 1 {
			if i := at - bits.TrailingZeros16(back); i >= 0 {
				found |= ix.at(s, i, found)
			}
		}
	}
	return found
}

// at returns the signs whose anchors stand at i, but for those that were found.
func (ix *index) at(s []byte, i int, found Sign) Sign {
	for _, a := range ix.anchors[key(s[i:])] {
		if found&a.sign == 0 && a.at(s, i) {
			found |= a.sign
		}
	}
	return found
}

func (a *anchor) at(s []byte, i int) bool {
	at := i
	for j := range len(a.literal) {
		if a.literal[j] == ' ' {
			n := blank(s[at:])
			if n == 0 {
				return false
			}
			at += n
			continue
		}
		if at == len(s) {
			return false
		}
		c := s[at]
		if c >= 'A' && c <= 'Z' {
			c += 0x20
		}
		if c != a.literal[j] {
			return false
		}
		at++
	}
	if c := a.literal[0]; c >= 'a' && c <= 'z' && i > 0 && s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z' && !escape(s, i-1) {
		return false
	}
	return a.expr == nil || a.expr().Match(s[i:min(len(s), i+window)])
}

// escape reports whether the letter at i ends an escape of white space in JSON.
func escape(s []byte, i int) bool {
	return i > 0 && s[i-1] == '\\' && strings.IndexByte("nrt", s[i]) >= 0
}
