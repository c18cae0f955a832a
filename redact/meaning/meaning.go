package meaning

import (
	"regexp"
	"sync"
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

// table is what is looked for. Literals are in lower case and have four bytes or
// more.
var table = sync.OnceValue(func() *index {
	const told = `(?:all |any |the |your |these |those |my |of )*`
	return newIndex([]anchor{
		{"ignore", Directive, lazy(`^ignore ` + told + `(?:previous|prior|above|earlier|preceding|other|system|safety)\b`)},
		{"disregard", Directive, lazy(`^disregard ` + told + `(?:previous|prior|above|earlier|preceding|other|system|instructions?|rules|polic(?:y|ies))\b`)},
		{"forget", Directive, lazy(`^forget ` + told + `(?:previous|prior|instructions?|rules|everything)\b`)},
		{"override", Directive, lazy(`^override ` + told + `(?:instructions?|rules|safety|polic(?:y|ies)|restrictions)\b`)},
		{"new instructions", Directive, nil},
		{"system prompt", Directive, nil},
		{"system:", Directive, exactly(`^SYSTEM:\s*[A-Za-z]+ `)},
		{"assistant:", Directive, exactly(`^(?:ASSISTANT|Assistant):\s*[A-Za-z]+ `)},
		{"[system]", Directive, nil}, {"<system>", Directive, nil}, {"</system>", Directive, nil},
		{"<important>", Directive, nil}, {"<instructions>", Directive, nil}, {"<|im_start|>", Directive, nil}, {"[inst]", Directive, nil},
		{"instructions for the assistant", Directive, nil}, {"note to the assistant", Directive, nil}, {"note to ai", Directive, nil},
		{"as an ai", Directive, lazy(`^as an ai\b[^.\n]{0,40}\b(?:you|must|should)\b`)},
		{"you must", Directive, lazy(`^you must (?:now |first |always |never |immediately )*(?:call|invoke|use|run|execute|send|forward|read|reveal|not tell|not mention|ignore)\b`)},
		{"you are now", Directive, lazy(`^you are now (?:a|an|in|the|free|allowed)\b`)},
		{"do not tell", Directive, lazy(`^do not tell (?:the |your )?(?:user|human|operator|anyone)`)},
		{"do not mention", Directive, lazy(`^do not mention (?:this|it|these|that)\b`)},
		{"don't tell", Directive, lazy(`^don't tell (?:the |your )?(?:user|human|operator|anyone)`)},
		{"without telling", Directive, nil}, {"without informing the", Directive, nil},
		{"before using any", Directive, lazy(`^before using any (?:other )?tool`)},
		{"before calling any", Directive, lazy(`^before calling any (?:other )?tool`)},
		{"call the ", Directive, lazy(`^call the [\w.-]{1,64} tool\b`)},
		{"forward all", Directive, lazy(`^forward all [^.\n]{1,80}\bto\b`)},
		{"send the ", Directive, lazy(`^send the (?:contents?|keys?|tokens?|passwords?|files?|conversation|history|results?|full list)\b[^.\n]{0,80}\bto\b`)},
		{"to go on, call", Directive, nil}, {"to continue, call", Directive, nil},
		{"confirm=true", Directive, nil},
		{"](http", Address, nil}, {"](//", Address, nil}, {"<img", Address, lazy(`^<img\s[^>]{0,150}src`)}, {"<a href", Address, nil},
		{"<iframe", Address, nil}, {"<script", Address, nil}, {"<link ", Address, nil}, {"url(http", Address, nil},
	})
})

func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)` + expr) })
}

func exactly(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// index finds anchors by a hash of their first four bytes, letters in any case.
type index struct {
	bits    [1 << (hashBits - 5)]uint32
	anchors map[uint32][]anchor
}

const hashBits = 13

func newIndex(anchors []anchor) *index {
	ix := &index{anchors: make(map[uint32][]anchor)}
	for _, a := range anchors {
		k := uint32(0)
		for i := range 4 {
			k = k<<8 | uint32(a.literal[i]|0x20)
		}
		ix.anchors[k] = append(ix.anchors[k], a)
		h := hash(k)
		ix.bits[h>>5] |= 1 << (h & 31)
	}
	return ix
}

func hash(k uint32) uint32 { return k * 0x9E3779B1 >> (32 - hashBits) }

// Find returns the signs in s.
func Find(s []byte) Sign {
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
	if len(s)-i < len(a.literal) {
		return false
	}
	for j := range len(a.literal) {
		c := s[i+j]
		if c >= 'A' && c <= 'Z' {
			c += 0x20
		}
		if c != a.literal[j] {
			return false
		}
	}
	if c := a.literal[0]; c >= 'a' && c <= 'z' && i > 0 && s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z' {
		return false
	}
	return a.expr == nil || a.expr().Match(s[i:min(len(s), i+window)])
}
