package hidden_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"mcp-gateway/redact/hidden"
)

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\x1b]0;t\a", "\x1bP\x1b\\", "\u009d\u009c", "👩‍💻\ufe0f", "\xff\x9b1m", "a\ufe0e\u200d", "\u2028"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		var c hidden.Cleaner
		once, changed := c.Clean(nil, s)
		if !utf8.Valid(once) || changed == bytes.Equal(once, s) {
			t.Fatalf("%q becomes %q, changed %v", s, once, changed)
		}
		var again hidden.Cleaner
		if twice, changed := again.Clean(nil, once); changed || again != (hidden.Cleaner{}) {
			t.Fatalf("%q becomes %q, and then %q", s, once, twice)
		}
	})
}
