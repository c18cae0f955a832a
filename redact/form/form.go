package form

import (
	"bytes"
	"encoding/base64"
	"mime"
	"strings"
	"unicode/utf8"
)

// maxName is how long each half of a media type may be (RFC 6838, 4.2).
const maxName = 127

// IsMediaType tells a media type by its form: type/subtype, and parameters.
func IsMediaType(s []byte) bool {
	name, parameters, more := bytes.Cut(s, []byte{';'})
	kind, sub, ok := bytes.Cut(bytes.TrimRight(name, " "), []byte{'/'})
	if !ok || !restricted(kind) || !restricted(sub) {
		return false
	}
	if !more || len(bytes.Trim(parameters, " ")) == 0 {
		return true
	}
	_, _, err := mime.ParseMediaType(string(s))
	return err == nil && !bytes.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// restricted reports whether s is a restricted-name (RFC 6838, 4.2), or begins with
// another of its characters, as nobody registers but some write.
func restricted(s []byte) bool {
	for _, c := range s {
		if !word(c) && strings.IndexByte("!#$&-^.+*", c) < 0 {
			return false
		}
	}
	return len(s) > 0 && len(s) <= maxName
}

func word(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// shortCode is the length up to which a string that should be the bytes of a medium
// may be something else with the letters of base64.
const shortCode = 512

// shortText is the least that is taken for text: fewer bytes of anything are often
// text by chance.
const shortText = 16

// IsText tells text, which may hold what a terminal obeys, from other bytes.
func IsText(plain []byte) bool {
	if len(plain) < shortText || !utf8.Valid(plain) {
		return false
	}
	for _, c := range plain {
		if c < ' ' && strings.IndexByte("\t\n\r\f\b\a\x1b", c) < 0 {
			return false
		}
	}
	return true
}

// Unbroken returns base64 without the line breaks that readers pass over.
func Unbroken(code []byte) []byte {
	if bytes.IndexByte(code, '\n') < 0 && bytes.IndexByte(code, '\r') < 0 {
		return code
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(code, []byte("\n"), nil), []byte("\r"), nil)
}

// Decode decodes base64 as the protocol has it, and in the alphabet of URLs, with and
// without padding. strange says that it may be read as something else.
func Decode(code []byte) (plain []byte, strange, ok bool) {
	for n, enc := range [...]*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if plain, err := enc.AppendDecode(nil, code); err == nil {
			return plain, n >= 2 || len(code) <= shortCode, true
		}
	}
	return nil, false, false
}
