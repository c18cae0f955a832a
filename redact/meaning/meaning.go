package meaning

import (
	"regexp"
	"strings"
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

// index finds anchors by a hash of their first four bytes, letters in any case.
type index struct {
	bits    [1 << (hashBits - 5)]uint32
	anchors map[uint32][]anchor
}

const hashBits = 15

func newIndex(anchors []anchor) *index {
	ix := &index{anchors: make(map[uint32][]anchor)}
	for _, a := range anchors {
		for _, first := range spaced(a.literal[:4]) {
			ix.add(first, a)
		}
	}
	return ix
}

func (ix *index) add(first string, a anchor) {
	k := uint32(0)
	for i := range 4 {
		k = k<<8 | uint32(first[i]|0x20)
	}
	ix.anchors[k] = append(ix.anchors[k], a)
	h := hash(k)
	ix.bits[h>>5] |= 1 << (h & 31)
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

func hash(k uint32) uint32 { return k * 0x9E3779B1 >> (32 - hashBits) }

// find returns the signs that stand in s as it is.
func find(s []byte) Sign {
	if len(s) < 4 {
		return 0
	}
	ix := table()
	var found Sign
	k := uint32(s[0]|0x20)<<16 | uint32(s[1]|0x20)<<8 | uint32(s[2]|0x20)
	for i, c := range s[3:] {
		k = k<<8 | uint32(c|0x20)
		h := hash(k)
		if ix.bits[h>>5]&(1<<(h&31)) == 0 {
			continue
		}
		for _, a := range ix.anchors[k] {
			if found&a.sign == 0 && a.at(s, i) {
				found |= a.sign
			}
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
