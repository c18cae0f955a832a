package look

import (
	"encoding/json"
	"testing"
	"unicode"
)

func TestEscape(t *testing.T) {
	for name, c := range map[string]struct{ raw, want string }{
		"plain":      {`{"a":"b ü 日"}`, `{"a":"b ü 日"}`},
		"control":    {"{\"a\":\"\u009b2J\"}", `{"a":"\u009b2J"}`},
		"hidden":     {"{\"a\":\"x\u202ey\u200b\"}", `{"a":"x\u202ey\u200b"}`},
		"beyond BMP": {"{\"a\":\"\U000e0041\U0001f600\"}", "{\"a\":\"\\udb40\\udc41\U0001f600\"}"},
		"not a text": {"{\"a\":\"\xff\"}", `{"a":"\ufffd"}`},
		"nothing":    {"", ""},
	} {
		if got := string(escape([]byte(c.raw))); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// FuzzEscape holds that JSON stays the same value, and that all of it prints.
func FuzzEscape(f *testing.F) {
	f.Add("a\u009b\U000e0041")
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		out := escape(raw)
		if json.Unmarshal(raw, &want) != nil || json.Unmarshal(out, &got) != nil || got != want {
			t.Errorf("%q became %q", want, got)
		}
		for _, r := range string(out) {
			if !unicode.IsPrint(r) {
				t.Errorf("%q is in it", r)
			}
		}
	})
}
