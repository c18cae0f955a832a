package rawjson

import (
	"bytes"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The walkers run over JSON that passed Check. The sub-slices that they return
// have no spare capacity: to append to one copies it. On other input they stop
// early and never panic, but what they then say means nothing.

// Kind returns the kind of the value: '{', '[', '"', 't', 'f', 'n', '0' for
// every number, or 0 if there is none.
func Kind(raw []byte) byte {
	i := SkipSpace(raw, 0)
	if i >= len(raw) {
		return 0
	}
	switch c := raw[i]; {
	case c == '{', c == '[', c == '"', c == 't', c == 'f', c == 'n':
		return c
	case c == '-' || isDigit(c):
		return '0'
	default:
		return 0
	}
}

// Members yields name and value of each member of an object, in the order of
// the text; nothing for another value. The name is unescaped and aliases raw
// where it has no escapes; the value is its exact sub-slice of raw.
func Members(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for c := open(raw, '{'); c.next(); {
			if !yield(unescape(c.name), c.value) {
				return
			}
		}
	}
}

// Elements yields each element of an array as its exact sub-slice of raw;
// nothing for another value.
func Elements(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for c := open(raw, '['); c.next(); {
			if !yield(c.value) {
				return
			}
		}
	}
}

// Member returns the value of the object's member of exactly that name.
func Member(raw []byte, name string) (value []byte, ok bool) {
	for c := open(raw, '{'); c.next(); {
		if IsText(c.name, name) {
			return c.value, true
		}
	}
	return nil, false
}

// Lookup returns the value that an RFC 6901 JSON Pointer names within raw. A
// pointer that is no pointer names nothing.
func Lookup(raw []byte, pointer string) ([]byte, bool) {
	if pointer == "" {
		return trim(raw), Kind(raw) != 0
	}
	if pointer[0] != '/' {
		return nil, false
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		var ok bool
		if raw, ok = step(raw, token); !ok {
			return nil, false
		}
	}
	return raw, true
}

func step(raw []byte, token string) ([]byte, bool) {
	if Kind(raw) == '[' {
		return element(raw, token)
	}
	if strings.Contains(token, "~") {
		rest := strings.ReplaceAll(strings.ReplaceAll(token, "~0", ""), "~1", "")
		if strings.Contains(rest, "~") {
			return nil, false
		}
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return Member(raw, token)
}

func element(raw []byte, index string) ([]byte, bool) {
	if index == "" || len(index) > 9 || (len(index) > 1 && index[0] == '0') {
		return nil, false
	}
	n := 0
	for i := range len(index) {
		if !isDigit(index[i]) {
			return nil, false
		}
		n = n*10 + int(index[i]-'0')
	}
	for c := open(raw, '['); c.next(); n-- {
		if n == 0 {
			return c.value, true
		}
	}
	return nil, false
}

// Text returns the value of a JSON string; false for another value.
func Text(raw []byte) (string, bool) {
	raw = trim(raw)
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	return string(text), err == nil
}

// IsText reports whether raw is a JSON string of exactly that value. It does not
// allocate where raw has no escapes.
func IsText(raw []byte, want string) bool {
	raw = trim(raw)
	return len(raw) >= 2 && raw[0] == '"' && string(unescape(raw)) == want
}

// IsInteger reports whether raw is a number written as an integer: digits and
// no point, no exponent, at most a minus before them.
func IsInteger(raw []byte) bool {
	raw = bytes.TrimPrefix(raw, []byte("-"))
	return len(raw) > 0 && digits(raw) == len(raw)
}

// cursor runs over the members of one object or the elements of one array.
type cursor struct {
	raw   []byte
	at    int // where the next member or element, or the end, is looked for
	close byte
	name  []byte // the quoted name as written; nil in an array
	value []byte
}

// open returns a cursor over raw, at its end if raw is not of that kind.
func open(raw []byte, kind byte) cursor {
	i := SkipSpace(raw, 0)
	if i >= len(raw) || raw[i] != kind {
		return cursor{at: 1}
	}
	return cursor{raw: raw, at: i + 1, close: kind + 2} // '[' and ']', '{' and '}' are two apart
}

// next moves to the next member or element and reports whether there is one.
func (c *cursor) next() bool {
	i := skipSeparator(c.raw, c.at)
	if i >= len(c.raw) || c.raw[i] == c.close {
		return false
	}
	if c.close == '}' {
		end := skipName(c.raw, i)
		c.name = c.raw[i:end]
		if i = skipColon(c.raw, end); i == end || len(c.name) == 0 {
			return false
		}
	}
	end := SkipValue(c.raw, i)
	if end <= i {
		return false
	}
	c.value, c.at = c.raw[i:end:end], end
	return true
}

// trim returns the value within raw without the white space around it.
func trim(raw []byte) []byte {
	i := SkipSpace(raw, 0)
	end := SkipValue(raw, i)
	return raw[i:end:end]
}

// unescape returns the value of a quoted string, aliasing it where it has no
// escapes.
func unescape(quoted []byte) []byte {
	if len(quoted) >= 2 && bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return text
}
