package skim

import "encoding/binary"

// ShortestCode is how long a run of base64 must be to say something.
const ShortestCode = 24

// Code returns the next run of at least ShortestCode bytes of base64 at or after i, in
// either alphabet and without its padding; -1 and len(s) if there is none. What stands
// at i is taken for the beginning of one.
//
// A run that long covers two neighbouring words of eight bytes whole, wherever words
// begin; most words of most texts hold a blank or a sign that is none of base64.
func Code(s []byte, i int) (from, to int) {
	const words = 16
	for j := i; j+words <= len(s); {
		if parted(binary.LittleEndian.Uint64(s[j+8:])) {
			j += words
			continue
		}
		if parted(binary.LittleEndian.Uint64(s[j:])) {
			j += 8
			continue
		}
		for to = j; to < len(s) && IsCode(s[to]); to++ {
		}
		if to < j+words {
			j = to + 1
			continue
		}
		for from = j; from > i && IsCode(s[from-1]); from-- {
		}
		if to-from >= ShortestCode {
			return from, to
		}
		j = to + 1
	}
	return -1, len(s)
}

// parted says that a byte below + stands among eight, or one beyond ASCII: none of
// either is of base64.
func parted(w uint64) bool {
	const highs = 0x80 * each
	return (w|(w-'+'*each))&highs != 0
}

// IsCode reports whether a byte is of base64, in either alphabet.
func IsCode(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}
