package diff

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-gateway/protocol"
)

const (
	most    = 400 // runes that are shown of one value
	context = 40  // runes that are shown before the first difference
)

// Visible returns s with everything that does not show, or changes how other
// text shows, written as \u{hex}: controls, escape sequences, bidirectional
// marks, tags, zero-width and variation characters, unusual spaces; and letters of other
// scripts in words that are Latin otherwise. A backslash
// is doubled, so that the escapes can't be imitated.
func Visible(s string) string {
	var b strings.Builder
	strange := strangers(s)
	for i, r := range s {
		switch {
		case strange[i]:
			fmt.Fprintf(&b, `\u{%x}`, r)
		case r == '\\':
			b.WriteString(`\\`)
		case unicode.IsPrint(r) && !looksEmpty(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// strangers are the places of letters of other scripts within words that have Latin
// letters too: they look like these, and are not. nil where there are none.
func strangers(s string) map[int]bool {
	var found map[int]bool
	var word []int
	latin := false
	end := func() {
		if latin {
			for _, at := range word {
				if found == nil {
					found = map[int]bool{}
				}
				found[at] = true
			}
		}
		word, latin = word[:0], false
	}
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf && unicode.IsLetter(r):
			latin = true
		case r < utf8.RuneSelf && !unicode.IsDigit(r):
			end()
		case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee) && r != 'µ' && r != 'μ' && r != 'Ω':
			word = append(word, i)
		}
	}
	end()
	return found
}

// looksEmpty says whether a character that Unicode counts as printable shows
// nothing by itself.
func looksEmpty(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0:
		return true
	default:
		return unicode.Is(unicode.Variation_Selector, r)
	}
}

// shown returns a value as text: a string's own text, else the JSON as sent.
func shown(raw []byte) []rune {
	if text, ok := protocol.Text(raw); ok {
		return []rune(text)
	}
	return []rune(string(raw))
}

// window cuts two texts to the same stretch around their first difference.
func window(old, new []rune) (string, string) {
	start := 0
	for start < len(old) && start < len(new) && old[start] == new[start] {
		start++
	}
	start = max(0, start-context)
	if len(old) <= most && len(new) <= most {
		start = 0
	}
	return cut(old, start), cut(new, start)
}

// cut shows a text from start on. Of what is too long it shows both ends: a
// hidden order often stands last.
func cut(text []rune, start int) string {
	if len(text) == 0 {
		return ""
	}
	start = min(start, len(text))
	lead, rest := "", text[start:]
	if start > 0 {
		lead = "…"
	}
	if len(rest) <= most {
		return lead + Visible(string(rest))
	}
	half := most / 2
	return fmt.Sprintf("%s%s … %d more characters … %s", lead,
		Visible(string(rest[:half])), len(rest)-most, Visible(string(rest[len(rest)-half:])))
}
