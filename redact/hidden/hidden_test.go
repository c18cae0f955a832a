package hidden

import (
	"strings"
	"testing"
)

func BenchmarkCleaner(b *testing.B) {
	for _, bm := range []struct{ name, text string }{
		{"ascii-1KB", strings.Repeat("The quick brown fox jumps over the lazy dog 0123. ", 20)},
		{"ascii-100KB", strings.Repeat("The quick brown fox jumps over the lazy dog 0123. ", 2000)},
		{"lines-100KB", strings.Repeat("The quick brown fox jumps over the lazy dog 0123.\n", 2000)},
		{"german-100KB", strings.Repeat("Größe und Maß über alles, schön für Öl und Käse. ", 2000)},
		{"hostile-100KB", strings.Repeat("\x1b[31mred\x1b[0m \u202e\u200b text \U000e0041", 2600)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			text, buf := []byte(bm.text), []byte(nil)
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var c Cleaner
				if out, changed := c.Clean(buf, text); changed {
					buf = out
				}
			}
		})
	}
}

// The classes of a rune are exclusive ranges that were typed by hand; these are
// the ones that documents need.
func TestCommonScriptsAreKept(t *testing.T) {
	for _, s := range []string{"é ñ ß ø", "Ελληνικά", "Русский", "العربية", "עברית", "हिन्दी", "ไทย", "한국어", "日本語", "简体字", "┌─┐ ✓ → • … “q” — €", "a\u00a0b", "𝒜𝔅", "🏳️‍🌈", "1️⃣ #️⃣", "❤️ ☎︎ ™️ ‼️ ㊙️"} {
		var c Cleaner
		if out, changed := c.Clean(nil, []byte(s)); changed {
			t.Errorf("%q becomes %q", s, out)
		}
	}
}

// A selector that shapes nothing parts what it stands in.
func TestSelectorsBetweenLettersGo(t *testing.T) {
	for in, want := range map[string]string{"g\ufe0fhp_\ufe0e1\ufe0f2": "ghp_12", "ä\ufe0fö": "äö", "1\ufe0f\ufe0f\u20e3": "1\ufe0f\u20e3", "\ufe0fa": "a"} {
		var c Cleaner
		if out, _ := c.Clean(nil, []byte(in)); string(out) != want {
			t.Errorf("%q becomes %q", in, out)
		}
	}
}
