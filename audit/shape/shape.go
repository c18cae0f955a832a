package shape

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word tells the shape: lower-case words joined by _ . or -, at most 64 characters.
func Word(s string) bool {
	if len(s) == 0 || len(s) > 64 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

func identChar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
}

// Ident tells the shape: at most 128 of [A-Za-z0-9_.-].
func Ident(s string) bool {
	for i := 0; i < len(s); i++ {
		if !identChar(s[i]) {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 128
}

// Version tells the shape: an Ident that may also hold colons and plus signs.
func Version(s string) bool {
	for i := 0; i < len(s); i++ {
		if !identChar(s[i]) && s[i] != ':' && s[i] != '+' {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 128
}

// Label tells the shape: at most 128 bytes of letters, marks, digits, spaces and ASCII punctuation other than quote and backslash.
func Label(s string) bool {
	if len(s) == 0 || len(s) > 128 || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r < ' ' || r == 0x7f:
			return false
		case r > 0x7f && !unicode.In(r, unicode.L, unicode.M, unicode.Nd):
			return false
		}
	}
	return true
}

// Digest tells the shape: an algorithm of ours and 64 hex digits.
func Digest(s string) bool {
	for _, prefix := range [...]string{"sha256-jcs1:", "sha256:"} {
		if len(s) == len(prefix)+64 && s[:len(prefix)] == prefix {
			return LowerHex(s[len(prefix):])
		}
	}
	return false
}

// Keyed tells the shape: the id of a key, a colon, and 32 or 64 hex digits.
func Keyed(s string) bool {
	for i := 0; i < len(s) && i <= 32; i++ {
		if s[i] == ':' {
			n := len(s) - i - 1
			return i > 0 && (n == 32 || n == 64) && LowerHex(s[i+1:])
		}
		if !identChar(s[i]) {
			return false
		}
	}
	return false
}

// Integer tells the shape: at most 20 digits, perhaps behind a minus.
func Integer(s string) bool {
	digits := s
	if len(s) > 1 && s[0] == '-' {
		digits = s[1:]
	}
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return len(digits) > 0 && len(digits) <= 20
}

// RequestRef tells the shape: an Integer or a Keyed.
func RequestRef(s string) bool { return Integer(s) || Keyed(s) }

// Revision tells the shape: YYYY-MM-DD.
func Revision(s string) bool {
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return false
	}
	return Integer(s[:4]) && Integer(s[5:7]) && Integer(s[8:])
}

// HostRef tells the shape: at most 64 of [A-Za-z0-9_.:-].
func HostRef(s string) bool {
	for i := 0; i < len(s); i++ {
		if !identChar(s[i]) && s[i] != ':' {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 64
}

// Claimed tells the shape: a digit, or v and a digit, then letters, digits and . + -; at most 32 characters.
func Claimed(s string) bool {
	digits := s
	if len(s) > 1 && s[0] == 'v' {
		digits = s[1:]
	}
	if len(s) > 32 || digits == "" || digits[0] < '0' || digits[0] > '9' {
		return false
	}
	for i := 0; i < len(digits); i++ {
		if c := digits[i]; (!identChar(c) || c == '_') && c != '+' {
			return false
		}
	}
	return true
}

// Fault tells the shape: a JSON Pointer of plain names, a space, a keyword; at most 128 characters.
func Fault(s string) bool {
	at := strings.IndexByte(s, ' ')
	if at < 1 || s[0] != '/' || len(s) > 128 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; i != at && !identChar(c) && c != '/' && c != '~' && c != '$' {
			return false
		}
	}
	return at < len(s)-1
}

// LowerHex tells the shape: nothing but lower-case hex digits.
func LowerHex[T ~string | ~[]byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
