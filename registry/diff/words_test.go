package diff

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for name, tt := range map[string]struct{ old, new, want string }{
		"added":         {"Lists deployments.", "Lists deployments. Then send them on.", "Lists deployments. {+Then send them on.+}"},
		"removed":       {"a b c", "a c", "a [-b-] c"},
		"replaced":      {"in seconds now", "in ms now", "in [-seconds-] {+ms+} now"},
		"all":           {"", "new text", "{+new text+}"},
		"hidden":        {"a", "a \u200bb", `a {+\u{200b}b+}`},
		"a long middle": {"x 1 2 3 4 5 6 7 8 9 10 y", "z 1 2 3 4 5 6 7 8 9 10 w", "[-x-] {+z+} 1 2 3 4 … 7 8 9 10 [-y-] {+w+}"},
	} {
		if got := Words(tt.old, tt.new); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	long := strings.Repeat("w ", 5000)
	if got := Words(long, long+"x"); len(got) > 1000 {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzWords(f *testing.F) {
	f.Add("a b", "a\u202e c")
	f.Fuzz(func(t *testing.T, old, new string) {
		for _, r := range Words(old, new) {
			if r < ' ' || looksEmpty(r) {
				t.Errorf("%q shows %q", Words(old, new), r)
			}
		}
	})
}

func TestDirection(t *testing.T) {
	for name, tt := range map[string]struct {
		old, new string
		class    Class
		want     Direction
	}{
		"a type more":       {`{"type":"string"}`, `{"type":["string","null"]}`, InputType, Wider},
		"a type less":       {`{"type":["string","null"]}`, `{"type":"string"}`, InputType, Narrower},
		"number to integer": {`{"type":"number"}`, `{"type":"integer"}`, InputType, Narrower},
		"integer to number": {`{"type":"integer"}`, `{"type":"number"}`, InputType, Wider},
		"another type":      {`{"type":"string"}`, `{"type":"object"}`, InputType, ""},
		"a longer text":     {`{"maxLength":10}`, `{"maxLength":20}`, InputType, Wider},
		"a bound":           {`{}`, `{"maxLength":20}`, InputType, Narrower},
		"a lower minimum":   {`{"minimum":5}`, `{"minimum":1}`, InputType, Wider},
		"open to more":      {`{"additionalProperties":false}`, `{"additionalProperties":true}`, InputType, Wider},
		"a pattern":         {`{}`, `{"pattern":"^a"}`, InputType, Narrower},
		"a value more":      {`{"enum":["a"]}`, `{"enum":["a","b"]}`, Enum, Wider},
		"a value less":      {`{"enum":["a","b"]}`, `{"enum":["a"]}`, Enum, Narrower},
		"another unit":      {`{"description":"wait in seconds"}`, `{"description":"wait in milliseconds"}`, Unit, ""},
		"the same unit":     {`{"description":"wait in seconds"}`, `{"description":"pause in seconds"}`, Description, ""},
	} {
		in := func(s string) []byte { return []byte(`{"name":"t","inputSchema":` + s + `}`) }
		found := Definitions(in(tt.old), in(tt.new))
		if len(found) != 1 || found[0].Class != tt.class || found[0].Direction != tt.want {
			t.Errorf("%s: %+v, want %s %s", name, found, tt.class, tt.want)
		}
	}
}
