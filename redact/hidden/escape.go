package hidden

import "unicode/utf8"

// maxSequence bounds the body of a terminal string that nothing ends. What is
// beyond stays, and so becomes visible.
const maxSequence = 4096

// sequence returns the length of what begins with the control rune r, of size
// bytes, and goes with it (ECMA-48): a CSI sequence with its parameters; an
// OSC, DCS, APC, PM or SOS string with its body, to its terminator, or if there
// is none within maxSequence bytes, to there or the end; another escape
// sequence; else the rune alone.
func sequence(s []byte, r rune, size int) int {
	if r == escape && size < len(s) {
		switch c := s[size]; {
		case c == '[':
			return csi(s, size+1)
		case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
			return terminalString(s, size+1)
		case c >= 0x20 && c < 0x7F:
			return nF(s, size)
		}
		return size
	}
	switch r {
	case 0x9B:
		return csi(s, size)
	case 0x90, 0x98, 0x9D, 0x9E, 0x9F:
		return terminalString(s, size)
	}
	return size
}

// run returns the index of the first byte at or after i that is outside lo..hi.
func run(s []byte, i int, lo, hi byte) int {
	for i < len(s) && s[i] >= lo && s[i] <= hi {
		i++
	}
	return i
}

// csi ends after the final byte, or before what cannot be part of a sequence.
func csi(s []byte, i int) int {
	i = run(s, run(s, i, 0x30, 0x3F), 0x20, 0x2F)
	if i < len(s) && s[i] >= 0x40 && s[i] < 0x7F {
		i++
	}
	return i
}

// nF is ESC, intermediates and one final byte, such as ESC ( B.
func nF(s []byte, i int) int {
	i = run(s, i, 0x20, 0x2F)
	if i < len(s) && s[i] >= 0x30 && s[i] < 0x7F {
		i++
	}
	return i
}

// terminalString ends after BEL, ST (ESC \ or U+009C), or at the bound.
func terminalString(s []byte, i int) int {
	end := min(len(s), i+maxSequence)
	for ; i < end; i++ {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == escape && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case s[i] == 0xC2 && i+1 < len(s) && s[i+1] == 0x9C:
			return i + 2
		}
	}
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}
