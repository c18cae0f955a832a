package meaning

import (
	"bytes"
	"encoding/base64"
	"html"
	"net/url"
	"strings"
	"unicode/utf8"

	"mcp-gateway/redact/hidden"
	"mcp-gateway/redact/skim"
)

// Find returns the signs in a text: as it is, with letters that look like others
// read as those, and after one step of decoding, since a model reads all of these.
func Find(s []byte) Sign {
	found := folded(s)
	if decoded, ok := unescape(s); ok {
		found |= folded(decoded)
	}
	for from, to := skim.Code(s, 0); from >= 0; from, to = skim.Code(s, to) {
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
	percent, entity := begins(s, '%', isHex), begins(s, '&', isEntity)
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

// begins reports whether c stands in s before a byte that is so.
func begins(s []byte, c byte, so func(byte) bool) bool {
	for {
		i := bytes.IndexByte(s, c)
		if i < 0 || i+1 == len(s) {
			return false
		}
		if so(s[i+1]) {
			return true
		}
		s = s[i+1:]
	}
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isEntity(c byte) bool { return c == '#' || c|0x20 >= 'a' && c|0x20 <= 'z' }

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

// longestRun is how much of a run of base64 is looked at.
const longestRun = 4 << 10

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
