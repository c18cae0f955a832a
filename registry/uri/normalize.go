package uri

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Why a URI is refused.
var (
	ErrNoScheme  = errors.New("uri: no scheme")
	ErrCharacter = errors.New("uri: a character that no URI holds")
	ErrSegment   = errors.New("uri: a dot segment, or a separator that is encoded")
	ErrTooLong   = errors.New("uri: too long")
	ErrEscape    = errors.New("uri: a percent sign that begins no escape")
)

// maxLength bounds a URI, in bytes.
const maxLength = 4096

// Normalize returns the one spelling of a URI (RFC 3986, 6.2.2): scheme and
// host in lower case, escapes in upper case, escapes of unreserved characters
// undone. What two readers could take for two resources is refused rather than
// repaired: dot segments, also with parameters (..;a), encoded separators and
// encoded dots, characters that look like or fold to those, backslashes, control
// characters, characters that nobody sees, and octets that are no UTF-8.
func Normalize(raw string) (string, error) {
	if len(raw) > maxLength {
		return "", ErrTooLong
	}
	scheme, rest, ok := strings.Cut(raw, ":")
	if !ok || !isScheme(scheme) {
		return "", ErrNoScheme
	}
	rest, err := escapes(rest)
	if err != nil {
		return "", err
	}
	path := rest
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	for segment := range strings.SplitSeq(path, "/") {
		segment = strings.ReplaceAll(segment, "%3B", ";")
		if segment, _, _ = strings.Cut(segment, ";"); segment == "." || segment == ".." {
			return "", ErrSegment
		}
	}
	return strings.ToLower(scheme) + ":" + lowerHost(rest), nil
}

func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if letter := 'a' <= c && c <= 'z'; !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(s[i]))) {
			return false
		}
	}
	return s != ""
}

// escapes brings percent escapes to one form and refuses those that hide a
// separator, a dot or a control character.
func escapes(s string) (string, error) {
	var b strings.Builder
	var octets []byte // s as a reader decodes it
	for i := 0; i < len(s); i++ {
		c := s[i]
		octets = append(octets, c)
		if c != '%' {
			if c <= ' ' || c == 0x7f || strings.IndexByte(`\"<>^`+"`{|}", c) >= 0 {
				return "", ErrCharacter
			}
			b.WriteByte(c)
			continue
		}
		if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
			return "", ErrEscape
		}
		d := unhex(s[i+1])<<4 | unhex(s[i+2])
		octets[len(octets)-1] = d
		switch {
		case d == '/', d == '\\', d == '.', d == '%':
			return "", ErrSegment
		case d < ' ', d == 0x7f:
			return "", ErrCharacter
		case unreserved(d):
			b.WriteByte(d)
		default:
			b.WriteString("%" + strings.ToUpper(s[i+1:i+3]))
		}
		i += 2
	}
	return b.String(), plain(octets)
}

// lookalikes are read as, or folded to, dots and separators by somebody
// (NFKC, best-fit tables of Windows).
const lookalikes = "\uFF0E\u2024\u2025\u2026\uFE52\u3002\uFF61\uFF0F\u2044\u2215\u29F8\uFF3C\uFE68\u29F5\u2216\uFF05\uFE6A"

// plain refuses decoded octets that are no UTF-8, overlong dots among them, and
// characters that are not what they look like.
func plain(octets []byte) error {
	for len(octets) > 0 {
		r, n := utf8.DecodeRune(octets)
		octets = octets[n:]
		switch {
		case r < utf8.RuneSelf:
		case r == utf8.RuneError && n == 1, unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return ErrCharacter
		case strings.ContainsRune(lookalikes, r):
			return ErrSegment
		}
	}
	return nil
}

// lowerHost puts the authority, if there is one, in lower case up to its end.
func lowerHost(rest string) string {
	if !strings.HasPrefix(rest, "//") {
		return rest
	}
	end := strings.IndexAny(rest[2:], "/?#")
	if end < 0 {
		end = len(rest) - 2
	}
	at := strings.LastIndexByte(rest[:end+2], '@') + 1
	host := max(at, 2)
	return rest[:host] + strings.ToLower(rest[host:end+2]) + rest[end+2:]
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '~'
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// unhex returns the value of a digit that isHex accepted.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
