package code

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// NextEscape returns where the next escape stands that says a character by its number,
// -1 if nowhere. Other escapes hide nothing.
func NextEscape(s []byte, i int) int {
	marks := [...]byte{'%', '\\', '&'}
	at := [len(marks)]int{-2, -2, -2} // the next of each; -1 is none, -2 not known
	for {
		next := -1
		for n, mark := range marks {
			if at[n] < i && at[n] != -1 {
				at[n] = index(s, i, mark)
			}
			if at[n] >= 0 && (next < 0 || at[n] < next) {
				next = at[n]
			}
		}
		if next < 0 {
			return -1
		}
		if _, n := unescape(s[next:]); n > 2 {
			return next
		}
		i = next + 1
	}
}

func index(s []byte, i int, c byte) int {
	if at := bytes.IndexByte(s[i:], c); at >= 0 {
		return i + at
	}
	return -1
}

// Unescaped returns s with its escapes decoded, and where in s each byte of that comes
// from; at has one element more, for the end.
func Unescaped(s []byte) (plain []byte, at []int) {
	plain, at = make([]byte, 0, len(s)), make([]int, 0, len(s)+1)
	for i := 0; i < len(s); {
		from := i
		r, n := unescape(s[i:])
		if n == 0 {
			plain, at = append(plain, s[i]), append(at, i)
			i++
			continue
		}
		i += n
		before := len(plain)
		if s[from] == '%' || s[from] == '\\' && s[from+1] == 'x' { // a byte, which may be part of a character
			plain = append(plain, byte(r))
		} else {
			plain = utf8.AppendRune(plain, r)
		}
		for range len(plain) - before {
			at = append(at, from)
		}
	}
	return plain, append(at, len(s))
}

// unescape reads an escape at the beginning of s, n bytes long; 0 = none.
func unescape(s []byte) (r rune, n int) {
	switch {
	case s[0] == '%':
		return number(s, 1, 2, 16)
	case s[0] == '&' && len(s) > 3 && s[1] == '#':
		if s[2]|0x20 == 'x' {
			return until(s, 3, ';', 16)
		}
		return until(s, 2, ';', 10)
	case s[0] != '\\' || len(s) < 2:
		return 0, 0
	}
	switch s[1] {
	case 'u':
		if len(s) > 2 && s[2] == '{' {
			return until(s, 3, '}', 16)
		}
		return number(s, 2, 4, 16)
	case 'U':
		return number(s, 2, 8, 16)
	case 'x':
		return number(s, 2, 2, 16)
	case '0', '1':
		return number(s, 1, 3, 8)
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case '"', '\'', '\\', '/':
		return rune(s[1]), 2
	}
	return 0, 0
}

// number reads so many digits of a base that stand at from.
func number(s []byte, from, digits, base int) (rune, int) {
	if len(s) < from+digits {
		return 0, 0
	}
	v := rune(0)
	for _, c := range s[from : from+digits] {
		d := digit(c)
		if d >= base {
			return 0, 0
		}
		v = v*rune(base) + rune(d)
	}
	return v, from + digits
}

// until reads a number that a mark ends.
func until(s []byte, from int, mark byte, base int) (rune, int) {
	const longest = 9
	n := bytes.IndexByte(s[from:min(len(s), from+longest)], mark)
	if n <= 0 {
		return 0, 0
	}
	v, err := strconv.ParseUint(string(s[from:from+n]), base, 21)
	if err != nil {
		return 0, 0
	}
	return rune(v), from + n + 1
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}
