package hidden

import (
	"encoding/binary"
	"unicode/utf8"
)

// Class is a kind of thing that is removed from text. Its name is the code of
// findings and the key of counts.
type Class uint8

// The classes. What is not hidden has the zero value.
const (
	keep Class = iota
	Control
	Bidi
	Hidden
	Classes // how many there are, with the one that is kept
)

// Name returns the stable code of a class.
func (c Class) Name() string {
	switch c {
	case Control:
		return "control_chars"
	case Bidi:
		return "bidi"
	default:
		return "hidden_unicode"
	}
}

// Runes with rules of their own.
const (
	escape       = 0x1B
	zwj          = 0x200D
	textStyle    = 0xFE0E
	emojiStyle   = 0xFE0F
	keycap       = 0x20E3
	lineSep      = 0x2028
	paragraphSep = 0x2029
)

// classOf says what kind of hidden rune r is: C0 but for tab, line feed and
// carriage return, DEL, C1 (control); embeddings, overrides, isolates and marks
// (bidi); zero-width and invisible runes, fillers, tags, variation selectors,
// annotation marks, private use and noncharacters (hidden). The two presentation
// selectors and ZWJ are kept where they shape an emoji (see Cleaner).
func classOf(r rune) Class {
	switch {
	case r < 0x20:
		if r == '\t' || r == '\n' || r == '\r' {
			return keep
		}
		return Control
	case r < 0x7F:
		return keep
	case r < 0xA0:
		return Control
	case r < 0x34F:
		if r == 0xAD { // soft hyphen
			return Hidden
		}
		return keep
	case r < 0x2000:
		return classBelowPunctuation(r)
	case r < 0x2070:
		return classOfPunctuation(r)
	case r < 0xE000:
		if r == 0x3164 { // Hangul filler
			return Hidden
		}
		return keep
	}
	return classAbove(r)
}

func classBelowPunctuation(r rune) Class {
	switch r {
	case 0x61C: // Arabic letter mark
		return Bidi
	case 0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180E, 0x180F:
		return Hidden
	}
	return keep
}

func classOfPunctuation(r rune) Class {
	switch {
	case r >= 0x200B && r <= 0x200D, r == lineSep, r == paragraphSep:
		return Hidden
	case r == 0x200E, r == 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return Bidi
	case r >= 0x2060 && r <= 0x2065, r >= 0x206A && r <= 0x206F:
		return Hidden
	}
	return keep
}

func classAbove(r rune) Class {
	switch {
	case r <= 0xF8FF, // private use
		r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0,
		r >= 0xFFF0 && r <= 0xFFFB,
		r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE, // noncharacters
		r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A,
		r >= 0xE0000: // tags, more selectors, private planes
		return Hidden
	}
	return keep
}

// emoji reports whether r may stand on either side of a ZWJ in an emoji.
func emoji(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2190 && r <= 0x2BFF || r == 0xA9 || r == 0xAE
}

// PlainTo returns the index of the first byte that is neither printable ASCII
// nor, if spaces, one of tab, line feed and carriage return; stop is one more
// byte to stop at (0 for none). It looks at eight bytes a step.
func PlainTo(s []byte, spaces bool, stop byte) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		del := w ^ 0x7F*ones
		st := w ^ uint64(stop)*ones
		// A high bit in any lane: not ASCII, below 0x20, DEL, or stop. Borrows
		// may set lanes above a true one, never a lane where none is below.
		if (w|(w-0x20*ones)|(del-ones)|(st-ones))&highs == 0 {
			continue
		}
		for j := i; j < i+8; j++ {
			if odd(s[j], spaces, stop) {
				return j
			}
		}
	}
	for ; i < len(s); i++ {
		if odd(s[i], spaces, stop) {
			return i
		}
	}
	return i
}

func odd(c byte, spaces bool, stop byte) bool {
	if c == stop && stop != 0 {
		return true
	}
	return c >= 0x7F || c < 0x20 && (!spaces || c != '\n' && c != '\t' && c != '\r')
}

// firstHidden returns the index of the first rune that the cleaner must look
// at, or len(s).
func firstHidden(s []byte) int {
	for i := 0; ; {
		i += PlainTo(s[i:], true, 0)
		if i == len(s) {
			return i
		}
		r, size := utf8.DecodeRune(s[i:])
		if classOf(r) != keep || r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
}

// Cleaner removes hidden runes and escape sequences in one pass, and counts.
type Cleaner struct{ Removed [Classes]int }

// Clean returns s without what is hidden: s itself if nothing is, else the text
// appended to buf[:0]. Invalid UTF-8 becomes U+FFFD. Cleaning twice is the same
// as cleaning once.
func (c *Cleaner) Clean(buf, s []byte) (out []byte, changed bool) {
	i := firstHidden(s)
	if i == len(s) {
		return s, false
	}
	out = append(buf[:0], s[:i]...)
	shaped := endsShaped(out)
	for i < len(s) {
		if n := PlainTo(s[i:], true, 0); n > 0 {
			out, i = append(out, s[i:i+n]...), i+n
			shaped = endOf(rune(s[i-1]))
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		switch cl := classOf(r); {
		case cl == keep:
			out, shaped = utf8.AppendRune(out, r), endOf(r)
			changed = changed || r == utf8.RuneError && size == 1
		case shaped.keeps(r, s[i+size:]):
			out, shaped = append(out, s[i:i+size]...), shaped.after(r)
		default:
			changed = true
			c.Removed[cl]++
			if r == lineSep || r == paragraphSep {
				out, shaped = append(out, ' '), last{}
			}
			size = sequence(s[i:], r, size)
		}
		i += size
	}
	if !changed {
		return s, false
	}
	return out, true
}

// last is what the runes kept so far end in.
type last struct {
	emoji bool // an emoji, with or without a selector
	other bool // something that a selector may follow
	key   bool // what is on a key of a telephone, which a selector and U+20E3 draw as one
}

// endOf is what a text ends in whose last rune is r. Selectors follow symbols alone
// (emoji-variation-sequences of UTS #51): between letters one only parts them.
func endOf(r rune) last {
	return last{
		emoji: emoji(r),
		other: emoji(r) || r == 0x203C || r == 0x2049 || r >= 0x2100 && r < 0x2190 || r == 0x3030 || r == 0x303D || r == 0x3297 || r == 0x3299,
		key:   r >= '0' && r <= '9' || r == '#' || r == '*',
	}
}

func endsShaped(out []byte) last {
	r, size := utf8.DecodeLastRune(out)
	if r == textStyle || r == emojiStyle {
		r, _ = utf8.DecodeLastRune(out[:len(out)-size])
		return last{emoji: emoji(r)}
	}
	return endOf(r)
}

// keeps reports whether r, though hidden by itself, shapes what it follows: one
// presentation selector after a symbol, ZWJ between two emoji.
func (l last) keeps(r rune, rest []byte) bool {
	switch r {
	case textStyle, emojiStyle:
		next, _ := utf8.DecodeRune(rest)
		return l.other || l.key && next == keycap
	case zwj:
		next, _ := utf8.DecodeRune(rest)
		return l.emoji && emoji(next)
	}
	return false
}

func (l last) after(r rune) last {
	if r == zwj {
		return last{}
	}
	return last{emoji: l.emoji}
}
