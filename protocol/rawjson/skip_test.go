package rawjson_test

import (
	"testing"

	"mcp-gateway/protocol/rawjson"
)

// A checked value ends where its text ends, but for white space; others end within.
func FuzzSkip(f *testing.F) {
	for _, s := range []string{`{"a":["\\\"",{},[]],"b":-1e2}`, ` true `, `"\\"`, `[1 , 2]`, `{"`, `[[`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		end := rawjson.SkipSpace(raw, rawjson.SkipValue(raw, rawjson.SkipSpace(raw, 0)))
		if end > len(raw) || rawjson.Check(raw, rawjson.Limits{}) == nil && end != len(raw) {
			t.Fatalf("%q ends at %d of %d", raw, end, len(raw))
		}
	})
}
