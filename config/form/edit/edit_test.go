package edit

import (
	"errors"
	"testing"
	"unicode/utf8"

	"mcp-gateway/config/form"
)

func TestSetRefuses(t *testing.T) {
	for text, want := range map[string]error{
		"a: {b: {c: 1}}\n":                   ErrFlow,
		"a:\n  b: {c: 1, # why\n    d: 2}\n": ErrFlow,
		"a: [1]\n":                           ErrShape,
		"a: 1\n":                             ErrShape,
		"{a: {b: {}}}\n":                     ErrFlow,
	} {
		if out, err := Set("f", []byte(text), []string{"a", "b"}, []Pair{{Key: "x", Value: "1"}}); !errors.Is(err, want) {
			t.Errorf("%q became %q, err = %v, want %v", text, out, err, want)
		}
	}
}

func TestSet(t *testing.T) {
	path := []string{"a", "b"}
	for text, want := range map[string]string{
		"":                            "a:\n  b:\n    x: 1\n",
		"# only a comment":            "# only a comment\na:\n  b:\n    x: 1\n",
		"a:":                          "a:\n  b:\n    x: 1\n",
		"a:\n  b:\n    x: 2":          "a:\n  b:\n    x: 1\n",
		"a:\n    c: 1\nz: 1\n":        "a:\n    c: 1\n    b:\n        x: 1\nz: 1\n",
		"a:\n  b:\n\n  # c\n  c: 1\n": "a:\n  b:\n    x: 1\n\n  # c\n  c: 1\n",
		"a: {\n}\nz: 1\n":             "a:\n  b:\n    x: 1\nz: 1\n",
		"a:\n  b:\n    x:\n    - 1\n    - 2 # two\n    y: 3\n": "a:\n  b:\n    x: 1\n    y: 3\n",
		"a:\n  \"b\":\n    \"x\": 2\n":                         "a:\n  \"b\":\n    \"x\": 1\n",
		"a:\n  b: {x: 2,\n    w: 3} # c\n":                     "a:\n  b: # c\n    x: 1\n    w: 3\n",
	} {
		got, err := Set("f", []byte(text), path, []Pair{{Key: "x", Value: "1"}})
		if err != nil || string(got) != want {
			t.Errorf("%q became %q, err = %v, want %q", text, got, err, want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "yes", "NULL", "a b", "a: b", "a #b", "- a", "1e3", "\x00", "é\u202e", "a\n b", "~", "~a", "<<", "'", "\\", "2026-09-01", "0x1f", ".inf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		var got string
		d := form.Parse("f", []byte("k: "+Quote(s)+"\n"), 1<<20)
		d.Read(form.Object{Fields: []form.Field{{Key: "k", Value: form.Parsed(&got, "text", func(s string) (string, *form.Fault) { return s, nil })}}})
		if problems := d.Problems(); len(problems) > 0 {
			return // bytes that no such file holds
		}
		if got != s {
			t.Fatalf("%q read back as %q", s, got)
		}
	})
}
