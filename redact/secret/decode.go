package secret

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"unicode/utf8"

	"mcp-gateway/redact/skim"
)

// What is encoded is looked at once: what a reader decodes in one step is a secret
// as much as one in the clear.

// longestCode is how much base64 is decoded; what is longer is looked at in part.
const longestCode = 64 << 10

// mayEncode reports whether s holds an escape or a run of base64.
func mayEncode(s []byte) bool {
	if nextEscape(s, 0) >= 0 {
		return true
	}
	from, _ := base64Run(s, 0)
	return from >= 0
}

// nextEscape returns where the next %XX, \xXX or \uXXXX stands, -1 if nowhere.
// Other escapes hide nothing.
func nextEscape(s []byte, i int) int {
	percent, back := -2, -2
	for {
		if percent < i && percent != -1 {
			percent = index(s, i, '%')
		}
		if back < i && back != -1 {
			back = index(s, i, '\\')
		}
		next := percent
		if next < 0 || back >= 0 && back < next {
			next = back
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

// encoded returns the secrets that show when s is decoded, in order. A secret in
// base64 takes the whole run with it.
func (sc *Scanner) encoded(s []byte) []Span {
	var out []Span
	for at := nextEscape(s, 0); at >= 0; {
		from, to := line(s, at)
		for _, sp := range sc.escaped(s[from:to]) {
			out = append(out, Span{from + sp.From, from + sp.To, sp.Class})
		}
		at = nextEscape(s, to)
	}
	for from, to := base64Run(s, 0); from >= 0; from, to = base64Run(s, to) {
		if class, ok := sc.inBase64(s[from:to]); ok {
			out = insert(out, Span{from, to, class})
		}
	}
	return out
}

// line returns the bounds of the line that i is in.
func line(s []byte, i int) (from, to int) {
	from, to = bytes.LastIndexByte(s[:i], '\n')+1, len(s)
	if n := bytes.IndexByte(s[i:], '\n'); n >= 0 {
		to = i + n
	}
	return from, to
}

// insert keeps spans in order, and lets the earlier of two that overlap be.
func insert(spans []Span, sp Span) []Span {
	for i, other := range spans {
		if sp.From < other.To && other.From < sp.To {
			return spans
		}
		if sp.To <= other.From {
			return append(spans[:i], append([]Span{sp}, spans[i:]...)...)
		}
	}
	return append(spans, sp)
}

// escaped finds secrets in s with %XX, \uXXXX, \xXX and \c decoded.
func (sc *Scanner) escaped(s []byte) []Span {
	plain := make([]byte, 0, len(s))
	at := make([]int, 0, len(s)+1) // where each byte of plain comes from
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
		if r < utf8.RuneSelf || s[from] == '\\' && s[from+1] == 'u' {
			plain = utf8.AppendRune(plain, r)
		} else {
			plain = append(plain, byte(r))
		}
		for range len(plain) - before {
			at = append(at, from)
		}
	}
	at = append(at, len(s))
	var out []Span
	for i := 0; ; {
		sp, ok := sc.next(plain, i)
		if !ok {
			return out
		}
		i = sp.To
		out = append(out, Span{at[sp.From], at[sp.To], sp.Class})
	}
}

// unescape reads an escape at the beginning of s, n bytes long; 0 = none.
func unescape(s []byte) (r rune, n int) {
	hex := func(from, digits int) (rune, int) {
		if len(s) < from+digits {
			return 0, 0
		}
		v, err := strconv.ParseUint(string(s[from:from+digits]), 16, 32)
		if err != nil {
			return 0, 0
		}
		return rune(v), from + digits
	}
	if s[0] == '%' {
		return hex(1, 2)
	}
	if s[0] != '\\' || len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case 'u':
		return hex(2, 4)
	case 'x':
		return hex(2, 2)
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case '"', '\'', '\\', '/':
		return rune(s[1]), 2
	}
	return 0, 0
}

// base64Run returns the next run of base64 that is not one word of letters, with its
// padding.
func base64Run(s []byte, i int) (from, to int) {
	for from, to = skim.Code(s, i); from >= 0; from, to = skim.Code(s, to) {
		if !bothCases(s[from:min(to, from+64)]) {
			continue
		}
		for to < len(s) && s[to] == '=' {
			to++
		}
		break
	}
	return from, to
}

// inBase64 returns the class of a secret that a run of base64 encodes.
func (sc *Scanner) inBase64(code []byte) (string, bool) {
	code = bytes.TrimRight(code[:min(len(code), longestCode)], "=")
	enc := base64.RawStdEncoding
	if bytes.ContainsAny(code, "-_") {
		enc = base64.RawURLEncoding
	}
	if len(code)%4 == 1 { // no length of base64: what was cut off ends within four
		code = code[:len(code)-1]
	}
	plain := make([]byte, enc.DecodedLen(len(code)))
	n, err := enc.Decode(plain, code)
	if err != nil || !readable(plain[:n]) {
		return "", false
	}
	sp, ok := sc.next(plain[:n], 0)
	return sp.Class, ok
}

// readable tells text from what merely has the letters of base64.
func readable(s []byte) bool {
	for _, c := range s[:min(len(s), 64)] {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return len(s) > 0
}

// wanted reports whether s may hold what the options ask for.
func (o Options) wanted(s []byte) bool {
	return o.Email && bytes.IndexByte(s, '@') >= 0 || o.Phone && bytes.IndexByte(s, '+') >= 0
}
