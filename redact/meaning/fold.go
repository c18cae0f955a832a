package meaning

import (
	"bytes"
	"encoding/base64"
	"html"
	"net/url"
	"strings"
	"unicode/utf8"

	"mcp-gateway/redact/hidden"
)

// Find returns the signs in a text: as it is, with letters that look like others
// read as those, and after one step of decoding, since a model reads all of these.
func Find(s []byte) Sign {
	found := folded(s)
	if decoded, ok := unescape(s); ok {
		found |= folded(decoded)
	}
	for from, to := run(s, 0); from >= 0; from, to = run(s, to) {
		found |= folded(decode(s[from:to]))
	}
	return found
}

func folded(s []byte) Sign {
	found := find(s)
	if like, ok := fold(s); ok {
		found |= find(like)
	}
	return found
}

// fold reads letters of other scripts as the Latin ones that they look like. It
// reports whether there were any.
func fold(s []byte) ([]byte, bool) {
	i := hidden.PlainTo(s, true, 0)
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
		i += hidden.PlainTo(s[i:], true, 0)
	}
	if i == len(s) {
		return nil, false
	}
	out, changed := make([]byte, 0, len(s)), false
	for _, r := range string(s) {
		like := lookalike(r)
		changed = changed || like != r
		out = utf8.AppendRune(out, like)
	}
	return out, changed
}

// Letters and what they look like, place by place.
const (
	others = "аеорсухіјѕԁԛԝһАВЕКМНОРСТУХІЈЅοαινερτυκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɡ"
	latin  = "aeopcyxijsdqwhABEKMHOPCTYXIJSoaivepTukxABEZHIKMNOPTYXig"
)

func lookalike(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case r >= 0xFF01 && r <= 0xFF5E: // full width
		return r - 0xFEE0
	case r == 0xA0 || r >= 0x2000 && r <= 0x200A || r == 0x202F || r == 0x205F || r == 0x3000:
		return ' '
	case r >= 0x1D400 && r <= 0x1D6A3: // mathematical letters, 26 capitals and 26 small ones
		n := (r - 0x1D400) % 52
		if n < 26 {
			return 'A' + n
		}
		return 'a' + n - 26
	case r >= 0x24B6 && r <= 0x24E9: // in circles
		if r < 0x24D0 {
			return 'A' + r - 0x24B6
		}
		return 'a' + r - 0x24D0
	case r >= 0xC0 && r <= 0xFF: // with accents
		return rune("AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty"[r-0xC0])
	}
	if n := strings.IndexRune(others, r); n >= 0 {
		return rune(latin[utf8.RuneCountInString(others[:n])])
	}
	return r
}

// unescape decodes percent escapes and HTML's. It reports whether there were any.
func unescape(s []byte) ([]byte, bool) {
	percent, entity := bytes.IndexByte(s, '%') >= 0, bytes.IndexByte(s, '&') >= 0
	if !percent && !entity {
		return nil, false
	}
	text := string(s)
	if entity {
		text = html.UnescapeString(text)
	}
	if percent {
		text = percents(text)
	}
	return []byte(text), text != string(s)
}

// percents decodes the percent escapes that are whole, and leaves all else.
func percents(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+3 <= len(text) {
			if c, err := url.PathUnescape(text[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// Runs of base64 that may say something, and what of them is looked at.
const (
	shortestRun = 24
	longestRun  = 4 << 10
)

// run returns the next run of base64 at or after i that is long enough to say
// something. One that long covers two bytes that are half its length apart, so that
// most bytes need no look.
func run(s []byte, i int) (from, to int) {
	const stride = shortestRun / 2
	for j := i + stride - 1; j < len(s); j += stride {
		if !base64Byte(s[j]) {
			continue
		}
		for from = j; from > i && base64Byte(s[from-1]); from-- {
		}
		for to = j + 1; to < len(s) && base64Byte(s[to]); to++ {
		}
		if to-from >= shortestRun {
			return from, to
		}
		j = max(j, to-stride)
	}
	return -1, len(s)
}

func base64Byte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// decode returns what a run of base64 says; nil if that is no text.
func decode(code []byte) []byte {
	code = code[:min(len(code), longestRun)]
	enc := base64.RawStdEncoding
	if bytes.ContainsAny(code, "-_") {
		enc = base64.RawURLEncoding
	}
	plain, err := enc.AppendDecode(nil, code[:len(code)&^3])
	if err != nil || !utf8.Valid(plain[:len(plain)&^3]) {
		return nil
	}
	return plain
}
