package rawjson_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol/rawjson"
)

func check(raw string) error { return rawjson.Check([]byte(raw), rawjson.DefaultLimits()) }

func codeOf(err error) gateway.Code {
	if e, ok := errors.AsType[*gateway.Error](err); ok {
		return e.Code
	}
	return ""
}

func TestCheckAccepts(t *testing.T) {
	for _, raw := range []string{
		`{}`, `[]`, `""`, `0`, `-0`, `true`, `false`, `null`, " \r\n\t{ } ", `1.5`, `1e3`, `1E+1000`, `1e-1000`,
		`9007199254740993`, `"\u0000"`, `"\ud83d\ude00"`, "\"\u2028 \U0001F600 \uFFFD\"", `{"a":{"a":{"a":1}}}`,
		`{"a":1,"A":2,"a ":3,"a\u0000":4,"":5}`, `[{"a":1},{"a":1}]`, `{"x":"1e99999999 and ` + strings.Repeat("9", 500) + `"}`,
		`{"\"}{[1e9999":"\\"}`, `"` + strings.Repeat(`\\`, 1000) + `"`, strings.Repeat("1", 128),
		strings.Repeat("[", 200) + strings.Repeat("]", 200),
	} {
		if err := check(raw); err != nil {
			t.Errorf("%.60q: %v", raw, err)
		}
	}
}

func TestCheckRefusesWhatIsNoJSON(t *testing.T) {
	for _, raw := range []string{
		"", " ", "{", "}", "[", `"`, `"\"`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `{,}`, `{a:1}`, `{'a':1}`, `nul`, `True`, `NaN`, `Infinity`,
		`+1`, `01`, `-`, `1.`, `.5`, `1e`, `1e+`, `0x1`, `--1`, `1 2`, `{}{}`, `{} {}`, `{}x`, `[]]`, `{"a":1}}`, "{}\x00", "\x00{}", "\xef\xbb\xbf{}",
		"\"\n\"", "\"\t\"", "\"\x00\"", `"\x"`, `"\u12"`, `"\u123g"`, "// c\n{}", "{/**/}",
		"\"\xff\"", "\"\xc0\xaf\"", "\"\xe0\x80\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xc3\"", "{\"\xff\":1}", "[{\"a\":\"\x80\"}]",
		`"\ud800"`, `"\udc00"`, `"\ud800x"`, `"\ud800\ud800"`, `"\udc00\ud800"`, `{"\ud800":1}`, `[[{"a":["\udfff"]}]]`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}{"jsonrpc":"2.0"}`,
	} {
		if err := check(raw); codeOf(err) != gateway.CodeMalformed || !errors.Is(err, rawjson.ErrSyntax) {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

func TestCheckRefusesDuplicateNamesAtEveryDepth(t *testing.T) {
	for _, duplicate := range []string{
		`{"a":1,"a":1}`, `{"a":1,"b":2,"a":3}`, `{"a":1,"\u0061":2}`, `{"":0,"":0}`, `{"é":1,"\u00e9":2}`, `{"\ud83d\ude00":1,"😀":2}`,
		`{"a":{},"a":[]}`, `{"/":1,"\/":2}`,
	} {
		for depth := range 199 {
			opening, closing := strings.Repeat(`[`, depth), strings.Repeat(`]`, depth)
			if depth%2 == 1 {
				opening, closing = strings.Repeat(`{"n":`, depth), strings.Repeat(`}`, depth)
			}
			if err := check(opening + duplicate + closing); codeOf(err) != gateway.CodeMalformed || !errors.Is(err, rawjson.ErrDuplicate) {
				t.Fatalf("%s at depth %d: %v", duplicate, depth, err)
			}
		}
	}
}

// A quadratic check would not come back from this one.
func TestCheckOfLargeObjects(t *testing.T) {
	const n = 50_000
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"member %d":%d,`, i, i)
	}
	big := b.Bytes()
	good := append(bytes.Clone(big), `"last":0}`...)
	if err := rawjson.Check(good, rawjson.DefaultLimits()); err != nil {
		t.Fatal(err)
	}
	bad := append(bytes.Clone(big), `"member 7":0}`...)
	if err := rawjson.Check(bad, rawjson.DefaultLimits()); !errors.Is(err, rawjson.ErrDuplicate) {
		t.Fatal(err)
	}
	if got, ok := rawjson.Member(good, "last"); !ok || string(got) != "0" {
		t.Fatalf("%q", got)
	}
	if rawjson.DigestOf(good) == rawjson.DigestOf(append(bytes.Clone(big), `"last":1}`...)) {
		t.Fatal("one digest for two objects")
	}
}

func TestCheckLimits(t *testing.T) {
	lim := rawjson.Limits{Bytes: 50, Depth: 3, NumberLen: 6, Exponent: 20}
	for _, c := range []struct {
		raw  string
		code gateway.Code
	}{
		{`[[[1]]]`, ""}, {`[[[[1]]]]`, gateway.CodeMalformed}, {`{"a":{"b":[{}]}}`, gateway.CodeMalformed},
		{`[[[]],[[]],{"a":[]}]`, ""}, {`"[[[[[[[["`, ""}, {`["\"[[[["]`, ""},
		{`123456`, ""}, {`1234567`, gateway.CodeMalformed}, {`[-12.345]`, gateway.CodeMalformed}, {`"1234567"`, ""},
		{`1e20`, ""}, {`1e21`, gateway.CodeMalformed}, {`1e-20`, ""}, {`1E-21`, gateway.CodeMalformed}, {`1e+021`, gateway.CodeMalformed}, {`1e020`, ""},
		{`"` + strings.Repeat("x", 48) + `"`, ""}, {`"` + strings.Repeat("x", 49) + `"`, gateway.CodeTooLarge},
	} {
		err := rawjson.Check([]byte(c.raw), lim)
		if codeOf(err) != c.code || (err != nil) != errors.Is(err, rawjson.ErrLimit) {
			t.Errorf("%s: %v", c.raw, err)
		}
	}
	for _, raw := range []string{`1e1001`, `1e-1001`, `1e1000001`, `1e99999999999999999999`, `{"a":[1E+9999]}`,
		strings.Repeat("1", 129), "0." + strings.Repeat("0", 200), "-" + strings.Repeat("9", 1<<20),
		strings.Repeat("[", 201) + strings.Repeat("]", 201), strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 100_000)} {
		if err := check(raw); codeOf(err) != gateway.CodeMalformed || !errors.Is(err, rawjson.ErrLimit) {
			t.Errorf("%.30q: %v", raw, err)
		}
	}
	if err := check(`"` + strings.Repeat("x", 4<<20) + `"`); codeOf(err) != gateway.CodeTooLarge {
		t.Errorf("over 4 MiB: %v", err)
	}
}

// A refusal must not carry what it refused into the operator's log.
func TestCheckErrorsQuoteNothing(t *testing.T) {
	for _, raw := range []string{`{"password":"hunter2","password":"hunter2"}`, `{"hunter2" "x"}`, `["hunter2",hunter2]`, "{\"hunter2\":\"\xff\"}", `{"hunter2":1e9999}`} {
		if err := check(raw); err == nil || bytes.Contains([]byte(err.Error()), []byte("hunter2")) {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

func TestCheckDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("allocations are not counted under the race detector")
	}
	raw := []byte(typicalCall)
	if n := testing.AllocsPerRun(100, func() {
		if err := rawjson.Check(raw, rawjson.Limits{}); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// typicalCall is a modern tools/call of some 500 bytes.
const typicalCall = `{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"incident__get_service_status",` +
	`"arguments":{"service":"payments","window_minutes":5,"labels":{"team":"payments-oncall","region":"eu-central-1"},"verbose":false},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"example-host","version":"1.4.2"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}`

func BenchmarkCheck(b *testing.B) {
	var many bytes.Buffer
	many.WriteString(`[`)
	for i := range 1500 {
		fmt.Fprintf(&many, `{"id":%d,"name":"item %d","tags":["a","b"],"price":%d.50,"note":"some text, quite long, to be read"},`, i, i, i)
	}
	many.WriteString(`null]`)
	var wide bytes.Buffer
	wide.WriteString(`{`)
	for i := range 10_000 {
		fmt.Fprintf(&wide, `"member %d":%d,`, i, i)
	}
	wide.WriteString(`"z":null}`)
	for name, raw := range map[string][]byte{"call": []byte(typicalCall), "result150K": many.Bytes(), "wide10k": wide.Bytes()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if err := rawjson.Check(raw, rawjson.DefaultLimits()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
