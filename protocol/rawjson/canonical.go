package rawjson

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

// maxDepth stops recursion on input that skipped Check: what is nested deeper
// is copied as it is.
const maxDepth = 10_000

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
	c := canonicalizer{raw: raw, dst: dst, members: make([]span, 0, 32)}
	c.value(SkipSpace(raw, 0), 0)
	return c.dst
}

// DigestOf returns "sha256-jcs1:" and the SHA-256 of raw's canonical form in hex.
func DigestOf(raw []byte) gateway.Digest {
	sum := sha256.Sum256(AppendCanonical(make([]byte, 0, len(raw)), raw))
	var text [len(digestPrefix) + 2*sha256.Size]byte
	copy(text[:], digestPrefix)
	hex.Encode(text[len(digestPrefix):], sum[:])
	return gateway.Digest(text[:])
}

// Equal reports whether a and b have the same canonical form. So 1 and 1.0
// differ, which errs on the side of noticing a change.
func Equal(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(AppendCanonical(nil, a), AppendCanonical(nil, b))
}

// canonicalizer writes in one pass: the members of an object go out in the
// order of the text, and are put in order, if they are not, once it ends.
type canonicalizer struct {
	raw, dst, scratch []byte
	members           []span // of the objects that are open, innermost last
}

// span is one member as written to dst, with its unescaped name.
type span struct {
	name       []byte
	start, end int
}

// value writes the value that begins at i and returns where it ends in raw.
func (c *canonicalizer) value(i, depth int) int {
	end := i
	switch {
	case i >= len(c.raw):
		return i
	case c.raw[i] == '"':
		end = SkipString(c.raw, i)
		c.text(c.raw[i:end])
		return end
	case c.raw[i] == '{' && depth < maxDepth:
		return c.object(i+1, depth+1)
	case c.raw[i] == '[' && depth < maxDepth:
		return c.array(i+1, depth+1)
	}
	end = SkipValue(c.raw, i)
	c.dst = append(c.dst, c.raw[i:end]...)
	return end
}

func (c *canonicalizer) object(i, depth int) int {
	c.dst = append(c.dst, '{')
	base, sorted := len(c.members), true
	for {
		i = skipSeparator(c.raw, i)
		nameEnd := skipName(c.raw, i)
		at := skipColon(c.raw, nameEnd)
		if nameEnd == i || at == nameEnd {
			break
		}
		m := span{name: unescape(c.raw[i:nameEnd])}
		if n := len(c.members); n > base {
			sorted = sorted && compareUTF16(c.members[n-1].name, m.name) < 0
			c.dst = append(c.dst, ',')
		}
		m.start = len(c.dst)
		c.text(c.raw[i:nameEnd])
		c.dst = append(c.dst, ':')
		i = c.value(at, depth)
		m.end = len(c.dst)
		c.members = append(c.members, m)
	}
	if !sorted {
		c.reorder(c.members[base:])
	}
	c.members = c.members[:base]
	c.dst = append(c.dst, '}')
	return skipClose(c.raw, i, '}')
}

// reorder sorts the members of one object that was just written.
func (c *canonicalizer) reorder(members []span) {
	start := members[0].start
	slices.SortFunc(members, func(a, b span) int { return compareUTF16(a.name, b.name) })
	c.scratch = slices.Grow(c.scratch[:0], len(c.raw)) // once, for every object
	for i, m := range members {
		if i > 0 {
			c.scratch = append(c.scratch, ',')
		}
		c.scratch = append(c.scratch, c.dst[m.start:m.end]...)
	}
	copy(c.dst[start:], c.scratch)
}

func (c *canonicalizer) array(i, depth int) int {
	c.dst = append(c.dst, '[')
	for first := true; ; first = false {
		i = skipSeparator(c.raw, i)
		if i >= len(c.raw) || c.raw[i] == ']' {
			break
		}
		if !first {
			c.dst = append(c.dst, ',')
		}
		end := c.value(i, depth)
		if end <= i {
			break
		}
		i = end
	}
	c.dst = append(c.dst, ']')
	return skipClose(c.raw, i, ']')
}

// text writes a string; one without a backslash is already in its only form.
func (c *canonicalizer) text(quoted []byte) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		c.dst = append(c.dst, quoted...)
		return
	}
	c.dst, _ = jsontext.AppendQuote(c.dst, unescape(quoted))
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
