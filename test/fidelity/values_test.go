package fidelity

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// values draws values of any kind, in the many ways in which JSON may spell them.
type values struct {
	*rand.Rand
	dirty bool // some texts hold what the shipped profile cleans
}

func pick[T any](v *values, from []T) T { return from[v.IntN(len(from))] }

func (v *values) chance(percent int) bool { return v.IntN(100) < percent }

// words are texts that nothing has to be cleaned from.
var words = []string{
	"", "a", "0", "null", "true", " ", "grüße", "日本語のテキスト", "Ελληνικά", "עברית", "नमस्ते", "١٢٣", "e\u0301", "😀 and 👩", "𝒳",
	"two\nlines", "a\ttab", `"quoted"`, `back\slash`, "<b>&amp;</b>", "a/b", "{\"json\":[1]}", "# heading\n- item", "https://example.test/a?b=c&d=e#f",
	strings.Repeat("long text. ", 40),
}

// dirty are texts that the shipped profile changes.
var dirty = []string{
	"zero\u200bwidth", "\u202etxt.exe", "\x1b[31mred\x1b[0m", "bell\a", "tag\U000e0041\U000e0042", "a\u00adb",
	"key AKIA" + "QWERTYUIOPASDFGH", "token ghp_" + strings.Repeat("a1B2c3", 6), "card 4111 1111 1111 1111",
}

// text is a string literal, some of it escaped though it need not be.
func (v *values) text(s string) string {
	if v.chance(60) {
		return quote(s)
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '/' && v.chance(50):
			b.WriteString(`\/`)
		case r >= 0x10000:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		case v.chance(50) || r < ' ' || r == '"' || r == '\\':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

func (v *values) anyText() string {
	if v.dirty && v.chance(40) {
		return v.text(pick(v, dirty))
	}
	return v.text(pick(v, words))
}

// tidy draws with no text in it that is cleaned.
func (v *values) tidy(draw func() object) object {
	was := v.dirty
	v.dirty = false
	defer func() { v.dirty = was }()
	return draw()
}

func (v *values) uri() string {
	if v.dirty && v.chance(30) {
		return `"https://elsewhere.invalid/collect?d=1"` // a link that is taken out
	}
	return quote(pick(v, []string{
		"https://example.test/a?b=c#d", "file:///srv/notes/%C3%A9.txt", "urn:example:a:b", "desk://notes/1", "https://EXAMPLE.test/%7Ea/./b", "data:text/plain,hello",
	}))
}

func (v *values) bytes() string {
	raw := make([]byte, v.IntN(40))
	for i := range raw {
		raw[i] = byte(v.IntN(256))
	}
	return quote(base64.StdEncoding.EncodeToString(raw))
}

func (v *values) number() string {
	return pick(v, []string{"0", "-0", "-0.0", "0.0", "1", "1.0", "1.10", "1e2", "1E+2", "-1.5", "0.1", "1e-7", "9007199254740993", "12345678901234567890123", "1e308", "0.30000000000000004"})
}

func (v *values) integer() string {
	return pick(v, []string{"0", "1", "-7", "42", "1.0", "9007199254740993", "-9007199254740993", "123456789012345678901234"})
}

// unit is a number from 0 to 1.
func (v *values) unit() string {
	return pick(v, []string{"0", "1", "0.5", "0.50", "1.0", "0.0", "5e-1"})
}

func (v *values) boolean() string { return pick(v, []string{"true", "false"}) }

// anything is a value of any kind, at most so deep; now and then one that is much
// deeper than what anybody writes.
func (v *values) anything(depth int) string {
	if v.chance(3) {
		return strings.Repeat(`[{"d":`, 40) + v.number() + strings.Repeat(`}]`, 40)
	}
	n := 7
	if depth <= 0 {
		n = 5
	}
	switch v.IntN(n) {
	case 0:
		return "null"
	case 1:
		return v.boolean()
	case 2:
		return v.number()
	case 3, 4:
		return v.anyText()
	case 5:
		var all []string
		for range v.IntN(4) {
			all = append(all, v.anything(depth-1))
		}
		return array(all)
	}
	return v.unknown(nil, v.IntN(4), depth).String()
}

// unknown adds members that no schema names.
func (v *values) unknown(o object, n, depth int) object {
	for range n {
		name := pick(v, []string{"vendor", "x-é", "日本", "", "a/b~c", "com.example/k", "n1", "n2", "Z", "😀"})
		if o.get(name) == "" {
			o = append(o, field{name, v.anything(depth - 1)})
		}
	}
	return o
}

func (v *values) shuffled(o object) object {
	v.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
	return o
}
