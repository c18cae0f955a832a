package rawjson_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/protocol/rawjson"
)

func TestKind(t *testing.T) {
	for raw, want := range map[string]byte{`{}`: '{', ` []`: '[', `"x"`: '"', `-1`: '0', `7`: '0', `true`: 't', `false`: 'f', "\n\tnull": 'n', "": 0, "  ": 0, "}": 0, "x": 0} {
		if got := rawjson.Kind([]byte(raw)); got != want {
			t.Errorf("%q: %q", raw, got)
		}
	}
}

func TestMembers(t *testing.T) {
	raw := []byte(` { "a" : 1 , "b\n\u0062" :[ 2 , { "x":3 } ], "":"}{\"," , "method\u0000" : null } `)
	var got []string
	for name, value := range rawjson.Members(raw) {
		got = append(got, string(name), string(value))
	}
	want := []string{"a", "1", "b\nb", `[ 2 , { "x":3 } ]`, "", `"}{\","`, "method\x00", "null"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for range rawjson.Members([]byte(`["a",1]`)) {
		t.Error("an array has a member")
	}
	for range rawjson.Members(raw) {
		break // must be allowed
	}
}

// Names and values alias raw: forwarding a member forwards the bytes that came.
func TestMembersAlias(t *testing.T) {
	raw := []byte(`{"name":"value"}`)
	for name, value := range rawjson.Members(raw) {
		if &name[0] != &raw[2] || &value[0] != &raw[8] {
			t.Error("a copy")
		}
	}
}

// To append to a part must not write over the whole.
func TestPartsHaveNoSpareCapacity(t *testing.T) {
	const text = `{"a":{"b":[1,2]},"c":"d"}`
	raw := []byte(text)
	part, _ := rawjson.Lookup(raw, "/a/b/0")
	_ = append(part, "XXXX"...)
	part, _ = rawjson.Member(raw, "a")
	_ = append(part, "XXXX"...)
	part, _ = rawjson.Lookup(raw, "")
	_ = append(part, "XXXX"...)
	for name, value := range rawjson.Members(raw) {
		_, _ = append(name, "XXXX"...), append(value, "XXXX"...)
	}
	for value := range rawjson.Elements([]byte(`[1,2]`)) {
		_ = append(value, "XXXX"...)
	}
	if string(raw) != text {
		t.Errorf("%s", raw)
	}
}

func TestElements(t *testing.T) {
	var got []string
	for value := range rawjson.Elements([]byte(` [ 1,"]" , [2 ,3], {"a":[]} ,null] `)) {
		got = append(got, string(value))
	}
	if want := []string{"1", `"]"`, `[2 ,3]`, `{"a":[]}`, "null"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for range rawjson.Elements([]byte(` [ ] `)) {
		t.Error("an empty array has an element")
	}
	for range rawjson.Elements([]byte(`{"a":1}`)) {
		t.Error("an object has an element")
	}
}

func TestMemberMatchesExactNamesOnly(t *testing.T) {
	raw := []byte(`{"Method":1,"method\u0000":2,"methoſ":3,"m\u0065thod":4," method":5}`)
	for name, want := range map[string]string{"Method": "1", "method\x00": "2", "methoſ": "3", "method": "4", " method": "5"} {
		if got, ok := rawjson.Member(raw, name); !ok || string(got) != want {
			t.Errorf("%q: %q %v", name, got, ok)
		}
	}
	for _, name := range []string{"METHOD", "methods", "", "method "} {
		if got, ok := rawjson.Member(raw, name); ok || got != nil {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// The document and pointers of RFC 6901 section 5, and what names nothing.
func TestLookup(t *testing.T) {
	raw := []byte(`{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"~1":9,"deep":{"x":[[],[{"y":"found"}]]}}`)
	for pointer, want := range map[string]string{"": string(raw), "/foo": `["bar","baz"]`, "/foo/0": `"bar"`, "/": "0", "/a~1b": "1", "/c%d": "2", "/e^f": "3",
		"/g|h": "4", "/i\\j": "5", "/k\"l": "6", "/ ": "7", "/m~0n": "8", "/~01": "9", "/deep/x/1/0/y": `"found"`} {
		if got, ok := rawjson.Lookup(raw, pointer); !ok || string(got) != want {
			t.Errorf("%q: %q %v", pointer, got, ok)
		}
	}
	for _, pointer := range []string{"foo", "#/foo", "/nope", "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/-1", "/foo/+1", "/foo/1e0", "/foo/", "/foo/99999999999999999999",
		"/m~n", "/m~2n", "/m~", "/foo/0/x", "/Foo", "//"} {
		if got, ok := rawjson.Lookup(raw, pointer); ok {
			t.Errorf("%q: %q", pointer, got)
		}
	}
	if _, ok := rawjson.Lookup(nil, ""); ok {
		t.Error("nothing has a value")
	}
}

func TestText(t *testing.T) {
	for raw, want := range map[string]string{`""`: "", `"a"`: "a", ` "a" `: "a", `"\u0061\n\ud83d\ude00\\"`: "a\n😀\\", `"\""`: `"`} {
		if got, ok := rawjson.Text([]byte(raw)); !ok || got != want {
			t.Errorf("%s: %q %v", raw, got, ok)
		}
		if !rawjson.IsText([]byte(raw), want) || rawjson.IsText([]byte(raw), want+"x") {
			t.Errorf("%s: IsText", raw)
		}
	}
	for _, raw := range []string{"", "1", "null", "{}", `["a"]`, `"`, `x"`} {
		if got, ok := rawjson.Text([]byte(raw)); ok {
			t.Errorf("%s: %q", raw, got)
		}
	}
}

func TestAppendString(t *testing.T) {
	for s, want := range map[string]string{"": `""`, "a/b<>&": `"a/b<>&"`, "\b\f\n\r\t\x00\x1f\"\\": `"\b\f\n\r\t\u0000\u001f\"\\"`, "é😀\u2028\x7f": "\"é😀\u2028\x7f\"", "\xff": "\"\uFFFD\""} {
		if got := string(rawjson.AppendString([]byte("x"), s)); got != "x"+want {
			t.Errorf("%q: %s", s, got)
		}
	}
}

// The walkers see what encoding/json sees.
func TestWalkersAgreeWithEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		raw := randomNode(r, 4).spell(r)
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if !agrees(raw, want) {
			t.Fatalf("%s is walked as another value", raw)
		}
	}
}

func agrees(raw []byte, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		n := 0
		for name, value := range rawjson.Members(raw) {
			sub, ok := want[string(name)]
			if !ok || !agrees(value, sub) {
				return false
			}
			n++
		}
		return n == len(want) && rawjson.Kind(raw) == '{'
	case []any:
		n := 0
		for value := range rawjson.Elements(raw) {
			if n >= len(want) || !agrees(value, want[n]) {
				return false
			}
			n++
		}
		return n == len(want) && rawjson.Kind(raw) == '['
	case string:
		s, ok := rawjson.Text(raw)
		return ok && s == want
	case json.Number:
		return strings.TrimSpace(string(raw)) == want.String()
	case bool:
		return rawjson.Kind(raw) == map[bool]byte{true: 't', false: 'f'}[want]
	default:
		return rawjson.Kind(raw) == 'n'
	}
}

func TestWalkersDoNotAllocate(t *testing.T) {
	raw := []byte(typicalCall)
	if n := testing.AllocsPerRun(100, func() {
		for _, value := range rawjson.Members(raw) {
			for range rawjson.Elements(value) {
				t.Error("no arrays in here")
			}
		}
		if _, ok := rawjson.Member(raw, "params"); !ok {
			t.Error("no params")
		}
		if _, ok := rawjson.Lookup(raw, "/params/arguments/labels/region"); !ok {
			t.Error("no region")
		}
		rawjson.IsText(raw, "x")
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSameNumber(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"42", "42", true}, {"42", "42.0", true}, {"42", "4.2e1", true}, {"42", "420E-1", true}, {"42", "0.42e+2", true}, {"42", "43", false}, {"42", "-42", false},
		{"0", "-0", true}, {"0", "0.000e55", true}, {"0", "0.1", false}, {"100", "1e2", true}, {"100", "10", false}, {"0.001", "1e-3", true}, {"0.10", "0.1", true},
		{"9007199254740993", "9007199254740992", false}, {"9007199254740993", "9007199254740993.0", true}, {"9007199254740993", "9.007199254740993e15", true},
		{"123456789012345678901234567890", "123456789012345678901234567891", false}, {"1e1000", "10e999", true}, {"1e1001", "1e1001", false},
		{"", "", false}, {"x", "x", false}, {"+1", "1", false}, {"01", "1", false}, {"1.", "1", false}, {".5", "0.5", false}, {"1 ", "1", false}, {"0x10", "16", false}, {"1_0", "10", false},
		{"NaN", "NaN", false}, {"-", "-", false}, {"1e", "1", false},
	} {
		if got := rawjson.SameNumber([]byte(c.a), []byte(c.b)); got != c.want || got != rawjson.SameNumber([]byte(c.b), []byte(c.a)) {
			t.Errorf("%s, %s: %v", c.a, c.b, got)
		}
	}
}

func TestIntegerText(t *testing.T) {
	for lexeme, want := range map[string]string{"42": "42", "-7": "-7", "9007199254740993": "9007199254740993", "42.0": "42", "1e3": "1000", "-1.5e1": "-15", "0.0": "0", "-0": "-0",
		"-0.0": "0", "1.5": "1.5", "1e-3": "1e-3", "1e500": "1e500", "12.340e2": "1234"} {
		if got := rawjson.IntegerText([]byte(lexeme)); got != want {
			t.Errorf("%s: %s", lexeme, got)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add("42", "4.2e1")
	f.Add("-0.0", "0")
	f.Add("1e-1000", "10e-1001")
	f.Fuzz(func(t *testing.T, a, b string) {
		same := rawjson.SameNumber([]byte(a), []byte(b))
		var x, y json.Number
		if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
			return
		}
		fx, errX := x.Float64()
		fy, errY := y.Float64()
		if same && errX == nil && errY == nil && fx != fy {
			t.Errorf("%s and %s are the same", a, b)
		}
		if text := rawjson.IntegerText([]byte(a)); same && a == b && !rawjson.SameNumber([]byte(text), []byte(a)) && len(text) <= 128 {
			t.Errorf("%s as an integer is %s", a, text)
		}
	})
}

func BenchmarkMembers(b *testing.B) {
	raw := []byte(typicalCall)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		for range rawjson.Members(raw) {
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	raw := []byte(typicalCall)
	b.ReportAllocs()
	for b.Loop() {
		rawjson.Lookup(raw, "/params/arguments/labels/region")
	}
}
