package rawjson_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-gateway/protocol/rawjson"
)

func canonical(raw string) string { return string(rawjson.AppendCanonical(nil, []byte(raw))) }

func TestCanonicalForm(t *testing.T) {
	for _, c := range [][2]string{
		{` { } `, `{}`}, {"[ ]", `[]`}, {" null ", `null`}, {`[ 1 , "a" ,true ]`, `[1,"a",true]`},
		{`{"b":1,"a":2}`, `{"a":2,"b":1}`}, {`{"b":{"d":[{"z":1,"y":2}],"c":0},"a":2}`, `{"a":2,"b":{"c":0,"d":[{"y":2,"z":1}]}}`},
		{`{"aa":1,"a":2,"":3}`, `{"":3,"a":2,"aa":1}`},
		{`[1.0,1e2,-0,9007199254740993,1E400]`, `[1.0,1e2,-0,9007199254740993,1E400]`}, // lexemes kept
		{`"\u0041\/\u000a\u001F\u007f\"\\"`, `"A/\n\u001f` + "\x7f" + `\"\\"`},
		{`"\u20ac\ud83d\ude00\u2028<&>"`, `"` + "€😀\u2028" + `<&>"`},
		{`{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
		// RFC 8785 section 3.2.3: the order of UTF-16 code units
		{`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
	} {
		if got := canonical(c[0]); got != c[1] {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, c[1])
		}
	}
}

func TestDigestOfIsPinned(t *testing.T) {
	// printf '{"a":2,"b":[1.0,"€"]}' | sha256sum
	const want = "sha256-jcs1:44d2576425295d4933e15ae0910e5a784fdecac8baa3cd1a475814485243e8ac"
	if got := rawjson.DigestOf([]byte(" {\"b\" : [1.0, \"\\u20AC\"], \"a\":2}\n")); got != want {
		t.Errorf("%s", got)
	}
}

// 5,000 values: every spelling has one digest, every change another.
func TestDigestSensitivity(t *testing.T) {
	r := rand.New(rand.NewPCG(20260728, 1))
	rounds, changes := 5000, 0
	if raceEnabled {
		rounds = 500 // it looks for races, of which there are none to find by more
	}
	for range rounds {
		n := randomNode(r, 4)
		raw := n.spell(r)
		if err := rawjson.Check(raw, rawjson.DefaultLimits()); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		digest := rawjson.DigestOf(raw)
		for range 3 {
			if other := n.spell(r); rawjson.DigestOf(other) != digest || !rawjson.Equal(raw, other) {
				t.Fatalf("two digests of one value:\n%s\n%s", raw, other)
			}
		}
		changed := n.clone()
		changed.mutate(r)
		if changed.same(n) {
			continue
		}
		changes++
		if other := changed.spell(r); rawjson.DigestOf(other) == digest || rawjson.Equal(raw, other) {
			t.Fatalf("one digest of two values:\n%s\n%s", raw, other)
		}
	}
	if changes < rounds*6/10 {
		t.Errorf("only %d changes were tried", changes)
	}
}

// Where no number could be rounded, the form is RFC 8785's as jsontext has it.
func TestCanonicalAgreesWithJSONText(t *testing.T) {
	r := rand.New(rand.NewPCG(8785, 1))
	for range 3000 {
		n := randomNode(r, 4)
		for _, m := range n.all() {
			if m.kind == '0' {
				m.lexeme = "7"
			}
		}
		raw := n.spell(r)
		want := jsontext.Value(bytes.Clone(raw))
		if err := want.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if got := rawjson.AppendCanonical(nil, raw); string(got) != string(want) {
			t.Fatalf("%s\n got %s\nwant %s", raw, got, want)
		}
	}
}

func TestCanonicalAppendsAndIsNeverLonger(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 1000 {
		raw := randomNode(r, 3).spell(r)
		got := rawjson.AppendCanonical([]byte("head:"), raw)
		body, ok := bytes.CutPrefix(got, []byte("head:"))
		if !ok || len(body) > len(raw) {
			t.Fatalf("%s: %s", raw, got)
		}
		if again := rawjson.AppendCanonical(nil, body); !bytes.Equal(again, body) {
			t.Fatalf("not idempotent: %s, %s", body, again)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":2}`, `{"b":2, "a":1}`, true}, {`[1,2]`, `[2,1]`, false}, {`1`, `1.0`, false},
		{`9007199254740993`, `9007199254740992`, false}, {`"\u0061"`, `"a"`, true}, {`"a"`, `"A"`, false}, {`null`, `{}`, false},
	} {
		if got := rawjson.Equal([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s, %s: %v", c.a, c.b, got)
		}
	}
}

// The definitions of real servers: checked, and every one keeps its meaning.
func TestRealDefinitions(t *testing.T) {
	files := sharedFiles(t, "corpus", "*.json")
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := rawjson.Check(raw, rawjson.DefaultLimits()); err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		form := rawjson.AppendCanonical(nil, raw)
		var before, after any
		if json.Unmarshal(raw, &before) != nil || json.Unmarshal(form, &after) != nil {
			t.Fatalf("%s: not JSON", filepath.Base(path))
		}
		x, _ := json.Marshal(before)
		y, _ := json.Marshal(after)
		if !bytes.Equal(x, y) || !rawjson.Equal(raw, form) {
			t.Errorf("%s: changed its meaning", filepath.Base(path))
		}
	}
}

// sharedFiles finds test material that lies beside the module, where it does.
func sharedFiles(t *testing.T, dir, pattern string) []string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; here != filepath.Dir(here); here = filepath.Dir(here) {
		if _, err := os.Stat(filepath.Join(here, "go.mod")); err == nil {
			break
		}
	}
	files, err := filepath.Glob(filepath.Join(here, "..", "shared", dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Log("not run: no shared material beside the module")
	}
	return files
}

func FuzzCheckWalkCanonical(f *testing.F) {
	for _, seed := range []string{typicalCall, `{"b":[1,{"c":"\u0061"}],"a":null}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `[1e999]`, `{"a`, `{"a":1}{}`,
		`{"\ufb33":1,"\ud83d\ude00":2}`, strings.Repeat("[", 300), `{"a" :[ ] , "" : {"" :{}}}`, `{]`, `[}`, `{"":`, `{"a":}`, `\`, `"\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		walked := walk(raw, 0) // must not panic, whatever raw is
		form := rawjson.AppendCanonical(nil, raw)
		rawjson.Lookup(raw, "/0/a/~1")
		if rawjson.Check(raw, rawjson.DefaultLimits()) != nil {
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%q passed", raw)
		}
		if err := rawjson.Check(form, rawjson.DefaultLimits()); err != nil {
			t.Fatalf("the form %q of %q: %v", form, raw, err)
		}
		if again := rawjson.AppendCanonical(nil, form); !bytes.Equal(again, form) || len(form) > len(raw) {
			t.Fatalf("%q becomes %q becomes %q", raw, form, again)
		}
		dec := jsontext.NewDecoder(bytes.NewReader(raw))
		values := 0
		for {
			token, err := dec.ReadToken()
			if err != nil {
				break
			}
			if k := token.Kind(); k != '}' && k != ']' {
				values++
			}
		}
		if walked != values {
			t.Fatalf("%q: walked %d of %d values and names", raw, walked, values)
		}
	})
}

// walk counts values and names by the walkers.
func walk(raw []byte, depth int) int {
	if depth > 1000 || rawjson.Kind(raw) == 0 {
		return 0
	}
	n := 1
	rawjson.Text(raw)
	for name, value := range rawjson.Members(raw) {
		_ = append([]byte(nil), name...)
		n += 1 + walk(value, depth+1)
	}
	for value := range rawjson.Elements(raw) {
		n += walk(value, depth+1)
	}
	return n
}

func BenchmarkDigestOf(b *testing.B) {
	sorted := rawjson.AppendCanonical(nil, []byte(typicalCall))
	for name, raw := range map[string][]byte{"sent": []byte(typicalCall), "sorted": sorted} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				rawjson.DigestOf(raw)
			}
		})
	}
}
