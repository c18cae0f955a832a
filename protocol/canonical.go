package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-gateway/gateway"
)

// digestPrefix names the algorithm of DigestOf.
const digestPrefix = "sha256-jcs1:"

// maxCanonicalDepth stops the recursion on input that skipped Check.
const maxCanonicalDepth = 10_000

// AppendString appends s as a JSON string with the fewest escapes (RFC 8785
// section 3.2.2.2). Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // its error tells of the U+FFFD, no more
	return dst
}

// AppendCanonical appends checked JSON in one spelling: members ordered by
// their names' UTF-16 code units, the fewest escapes, no white space (RFC 8785),
// but every number as it was written. RFC 8785 would round numbers to doubles
// and so give one form to values that differ. The form is never longer than raw.
func AppendCanonical(dst, raw []byte) []byte {
	c := canonicalizer{dst: dst}
	c.value(raw, 0)
	return c.dst
}

// DigestOf returns "sha256-jcs1:" and the SHA-256 of raw's canonical form in hex.
func DigestOf(raw []byte) gateway.Digest {
	sum := sha256.Sum256(AppendCanonical(make([]byte, 0, len(raw)), raw))
	text := make([]byte, len(digestPrefix), len(digestPrefix)+2*len(sum))
	copy(text, digestPrefix)
	return gateway.Digest(hex.AppendEncode(text, sum[:]))
}

// Equal reports whether a and b have the same canonical form. So 1 and 1.0
// differ, which errs on the side of noticing a change.
func Equal(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(AppendCanonical(nil, a), AppendCanonical(nil, b))
}

type member struct{ name, quoted, value []byte }

type canonicalizer struct {
	dst   []byte
	stack []member // members of the objects that are open, innermost last
}

func (c *canonicalizer) value(raw []byte, depth int) {
	raw = trim(raw)
	switch kind := Kind(raw); {
	case kind == '"':
		c.text(raw)
	case kind == '{' && depth < maxCanonicalDepth:
		c.object(raw, depth)
	case kind == '[' && depth < maxCanonicalDepth:
		c.array(raw, depth)
	default:
		c.dst = append(c.dst, raw...)
	}
}

func (c *canonicalizer) object(raw []byte, depth int) {
	base, sorted := len(c.stack), true
	for cur := open(raw, '{'); cur.next(); {
		m := member{cur.unescapedName(), cur.name, cur.value}
		if n := len(c.stack); n > base && compareUTF16(c.stack[n-1].name, m.name) > 0 {
			sorted = false
		}
		c.stack = append(c.stack, m)
	}
	if !sorted {
		slices.SortFunc(c.stack[base:], func(a, b member) int { return compareUTF16(a.name, b.name) })
	}
	end := len(c.stack)
	c.dst = append(c.dst, '{')
	for i := base; i < end; i++ {
		if i > base {
			c.dst = append(c.dst, ',')
		}
		c.text(c.stack[i].quoted)
		c.dst = append(c.dst, ':')
		c.value(c.stack[i].value, depth+1)
	}
	c.dst = append(c.dst, '}')
	c.stack = c.stack[:base]
}

func (c *canonicalizer) array(raw []byte, depth int) {
	c.dst = append(c.dst, '[')
	first := true
	for cur := open(raw, '['); cur.next(); first = false {
		if !first {
			c.dst = append(c.dst, ',')
		}
		c.value(cur.value, depth+1)
	}
	c.dst = append(c.dst, ']')
}

// text appends a string; one without a backslash is already in its only form.
func (c *canonicalizer) text(quoted []byte) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		c.dst = append(c.dst, quoted...)
		return
	}
	plain, _ := jsontext.AppendUnquote(nil, quoted)
	c.dst, _ = jsontext.AppendQuote(c.dst, plain)
}

// compareUTF16 compares two UTF-8 strings as RFC 8785 section 3.2.3 asks: by
// UTF-16 code units. That is byte order, except that code points beyond U+FFFF
// (surrogates D800–DFFF, first byte F0–F4) come before U+E000–U+FFFF (EE, EF).
func compareUTF16(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := a[i], b[i]; x != y {
			return rankUTF16(x) - rankUTF16(y)
		}
	}
	return len(a) - len(b)
}

func rankUTF16(c byte) int {
	if c == 0xEE || c == 0xEF {
		return int(c) + 0x100
	}
	return int(c)
}
