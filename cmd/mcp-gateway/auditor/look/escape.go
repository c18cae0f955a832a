package look

import (
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// escape writes what does not print as JSON escapes: the same value, and nothing in
// it that a terminal would obey or hide.
func escape(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		switch {
		case r < utf8.RuneSelf || unicode.IsPrint(r) && r != utf8.RuneError:
			out = append(out, raw[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = unit(unit(out, high), low)
		default:
			out = unit(out, r)
		}
		raw = raw[n:]
	}
	return out
}

// unit appends \u and four digits.
func unit(dst []byte, r rune) []byte {
	digits := strconv.FormatUint(uint64(r)|0x10000, 16)
	return append(append(dst, '\\', 'u'), digits[1:]...)
}
