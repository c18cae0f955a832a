package redact

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
				var c cleaner
				if out, changed := c.clean(buf, text); changed {
					buf = out
				}
			}
		})
	}
}

func BenchmarkPrefilter(b *testing.B) {
	p := newPrefilter(rules)
	text := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog 0123. ", 2000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if at, _ := p.next(text, 0); at >= 0 {
			b.Fatal("hit")
		}
	}
}
