package form

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcp-gateway/gateway"
)

// sample is a struct with one value of each kind, and its description.
type sample struct {
	text, word, match string
	yes, no, flag     bool
	count, size       int
	wait, kept        time.Duration
	list              []string
	table             map[string]int
}

func (s *sample) form() Value {
	return Object{Fields: []Field{
		{Key: "text", Value: Text(&s.text)},
		{Key: "word", Value: Word(&s.word, "alpha", "beta")},
		{Key: "match", Value: Matching(&s.match, regexp.MustCompile(`^[a-z]+$`), "bad_match", "lower-case word")},
		{Key: "yes", Value: YesNo(&s.yes)},
		{Key: "no", Value: No(&s.no)},
		{Key: "flag", Value: Bool(&s.flag)},
		{Key: "count", Value: Int(&s.count, 1, 9)},
		{Key: "size", Value: Size(&s.size, 1<<30)},
		{Key: "wait", Value: Duration(&s.wait, time.Millisecond, time.Hour)},
		{Key: "kept", Value: Age(&s.kept, 24*time.Hour, 1000*24*time.Hour)},
		{Key: "list", Value: List(&s.list, Text)},
		{Key: "table", Value: Map(&s.table, Keys{}, func(_ Entry, n *int) Value { return Int(n, 0, 9) })},
	}}
}

func read(text string) (*sample, gateway.Problems) {
	var s sample
	d := Parse("f", []byte(text), 1<<20)
	d.Read(s.form())
	return &s, d.Problems()
}

func TestRead(t *testing.T) {
	s, problems := read("text: a b\nword: beta\nmatch: \"abc\"\nyes: yes\nno: no\nflag: True\ncount: 3\nsize: 3KiB\nwait: 1m30s\nkept: 90d\nlist:\n- x\n- 'y'\ntable: {a: 1, b: 2}\n")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if s.text != "a b" || s.word != "beta" || s.match != "abc" || !s.yes || !s.no || !s.flag || s.count != 3 || s.size != 3<<10 || s.wait != 90*time.Second || s.kept != 90*24*time.Hour || strings.Join(s.list, "") != "xy" || s.table["b"] != 2 {
		t.Errorf("%+v", s)
	}
}

// TestCodes holds one fault to one code and place.
func TestCodes(t *testing.T) {
	for text, want := range map[string]string{
		"text: 1":                            "wrong_type 1:7",
		"text: [a]":                          "wrong_type 1:7",
		"text:":                              "wrong_type 1:7",
		"word: gamma":                        "unknown_value 1:7",
		"match: Abc":                         "bad_match 1:8",
		"yes: on":                            "unknown_value 1:6",
		"yes: Yes":                           "unknown_value 1:6",
		"flag: yes":                          "wrong_type 1:7",
		"count: 10":                          "out_of_range 1:8",
		"count: 0x1":                         "out_of_range 1:8",
		"count: 1.0":                         "wrong_type 1:8",
		"size: 0":                            "out_of_range 1:7",
		"size: 2GiB":                         "out_of_range 1:7",
		"size: -1":                           "bad_size 1:7",
		"size: 4mb":                          "bad_size 1:7",
		"size: 99999999999999999999":         "bad_size 1:7",
		"size: 2147483647GiB":                "out_of_range 1:7",
		"kept: 90":                           "wrong_type 1:7",
		"kept: 90m":                          "bad_age 1:7",
		"kept: 0d":                           "bad_age 1:7",
		"kept: 12h":                          "out_of_range 1:7",
		"kept: 9999999999d":                  "bad_age 1:7",
		"wait: 5":                            "bad_duration 1:7",
		"wait: 2h":                           "out_of_range 1:7",
		"wait: -1s":                          "out_of_range 1:7",
		"list: a":                            "wrong_type 1:7",
		"table: [a]":                         "wrong_type 1:8",
		"table: {a: 1, a: 2}":                "duplicate_key 1:15",
		"txet: a":                            "unknown_key 1:1",
		"text: a\ntext: b":                   "duplicate_key 2:1",
		"- a":                                "wrong_type 1:1",
		"text: a\n---\ntext: b\n":            "many_documents 3:1",
		"text: &a b":                         "alias 1:7",
		"text: !!str b":                      "tag 1:7",
		"? text\n: b":                        "syntax 1:1",
		"%YAML 1.2\n---\ntext: a":            "syntax 1:1",
		"text: \"a":                          "syntax 1:7",
		"text: a\x00":                        "control_character 1:8",
		"text: \u202eabc":                    "control_character 1:7",
		"\ufefftext: a":                      "control_character 1:1",
		"text: \xff":                         "not_utf8 1",
		"list: " + strings.Repeat("[", 40):   "too_deep 1:39",
		"list:\n" + strings.Repeat("- ", 40): "too_deep 2:65",
	} {
		_, problems := read(text)
		if len(problems) != 1 {
			t.Errorf("%q: %v, want %s", text, problems, want)
			continue
		}
		p := problems[0]
		if got := p.Code + " " + strings.TrimPrefix(p.Pos.String(), "f:"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	d := Parse("f", []byte("text: abc"), 8)
	if ps := d.Problems(); len(ps) != 1 || ps[0].Code != "file_too_large" || d.Readable() {
		t.Errorf("%v", ps)
	}
}

// TestAliasBomb holds that a file which would grow is refused before it does.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for _, pair := range []string{"01", "12", "23", "34", "45", "56", "67"} {
		b.WriteString("a" + pair[1:] + ": &a" + pair[1:] + " [" + strings.TrimSuffix(strings.Repeat("*a"+pair[:1]+", ", 9), ", ") + "]\n")
	}
	_, problems := read(b.String())
	if len(problems) != 8+7*9 || problems[0].Code != "alias" {
		t.Errorf("%d problems", len(problems))
	}
}

// TestPlainColon holds the reading of plain scalars with colons in a flow
// mapping, where the lexer would split them.
func TestPlainColon(t *testing.T) {
	s, problems := read("{text: https://a.example:8/x, list: [a:b:c, d, 12:30, \"e:f\"], table: {\"a\":1}}")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if s.text != "https://a.example:8/x" || strings.Join(s.list, " ") != "a:b:c d 12:30 e:f" || s.table["a"] != 1 {
		t.Errorf("%+v", s)
	}
}

func TestDidYouMean(t *testing.T) {
	words := []string{"timeout", "refresh", "http"}
	for word, want := range map[string]string{
		"timeuot": "timeout", "time_out": "timeout", "TIMEOUT": "timeout", "refresj": "refresh", "htpp": "http", "stdio": "",
	} {
		got := didYouMean(word, words)
		if (want == "") != strings.HasPrefix(got, "; known:") || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", word, got, want)
		}
	}
}

func TestSchemaIsJSON(t *testing.T) {
	text, err := json.Marshal(Schema(new(sample).form()))
	if err != nil || !strings.Contains(string(text), `"additionalProperties":false`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestOpenNotFound(t *testing.T) {
	d := Open(t.TempDir()+"/absent", 10)
	var err error = d.Problems()
	var ps gateway.Problems
	if !errors.As(err, &ps) || ps[0].Code != "not_found" {
		t.Errorf("%v", err)
	}
}

// FuzzRead holds that no text makes the reader panic, hang or hide a position
// outside the text.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "text: a", "{text: a:b, list: [c:d]}", "list:\n - a\n - b", "text: |\n a\n b\n", "text: 'a\n  b'", "a: &x [*x]", "? a\n: b", "table: {a: 1, a: 2}", "text: \"\\u0000\"", "- - - a", "{[", "text: >-\n\n\n", "a: b: c", ":", "\t", "!!binary x", "--- |\n x\n...\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s sample
		d := Parse("f", text, 1<<16)
		d.Read(s.form())
		lines := strings.Count(string(text), "\n") + 1
		for _, p := range d.Problems() {
			if p.Code == "" || p.Message == "" || p.Pos.Line > lines+1 {
				t.Fatalf("%+v of %d lines", p, lines)
			}
		}
	})
}
