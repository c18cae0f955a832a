package redact_test

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/redact"
)

func result(t *testing.T, raw string) redact.Clean {
	t.Helper()
	c, err := redact.New(redact.Options{}).Result([]byte(raw))
	if err != nil {
		t.Fatalf("Result(%s): %v", raw, err)
	}
	return c
}

func TestText(t *testing.T) {
	r := redact.New(redact.Options{})
	for in, want := range map[string]string{
		"plain\ttext\r\n": "plain\ttext\r\n",
		"Größe → 3 µm 漢字 ⚠️ 👩‍💻 👍🏽":                      "Größe → 3 µm 漢字 ⚠️ 👩‍💻 👍🏽",
		"a\x00b\x07c\x7fd\u0085e":                        "abcde",
		"x\x1b[8mhidden\x1b[0my":                         "xhiddeny",
		"x\x1b[38;2;1;2;3mred":                           "xred",
		"x\u009b31mred":                                  "xred",
		"x\x1b]8;;http://evil\x1b\\link\x1b]8;;\ay":      "xlinky",
		"x\x1bPq body\x1b\\y":                            "xy",
		"x\u009dtitle\u009cy":                            "xy",
		"x\x1b_apc\ay\x1b^pm\x1b\\z\x1bXsos\u009c!":      "xyz!",
		"x\x1b]0;never ends":                             "x",
		"x\x1b(By\x1bcz\x1b":                             "xyz",
		"x\x1b[12":                                       "x",
		"x\x1b[1\x1b[2my":                                "xy",
		"x\x1b\u200b[31my":                               "x[31my",
		"a\u202ecb\u202cd\u2066e\u2069\u200ff\u061cg":    "acbdefg",
		"z\u200be\u200cr\u200do\u2060\u2064\ufeff!":      "zero!",
		"soft\u00adhyphen":                               "softhyphen",
		"tag\U000e0041\U000e0042s\U000e007f":             "tags",
		"line\u2028sep\u2029":                            "line sep ",
		"pua\ue000\U000f0000\U0010fffd":                  "pua",
		"non\ufdd0\uffff\U0001fffe":                      "non",
		"anno\ufff9a\ufffab\ufffb":                       "annoab",
		"sel\ufe00\U000e0100":                            "sel",
		"twice\ufe0f\ufe0f\ufe0f":                        "twice",
		"\ufe0fstart":                                    "start",
		"a\u200d👩\u200db":                                "a👩b",
		"bad\xffutf\xc3":                                 "bad\ufffdutf\ufffd",
		"gh\u200bp_0123456789abcdefghijABCDEFGHIJ012345": "[redacted:github_token]",
		"": "",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("Text(%+q) = %+q, want %+q", in, got, want)
		}
		if again := r.Text(want); again != want {
			t.Errorf("Text is no fixpoint at %+q: %+q", want, again)
		}
	}
}

// An unterminated terminal string takes 4 KiB with it, no more.
func TestUnterminatedStringIsBounded(t *testing.T) {
	got := redact.New(redact.Options{}).Text("a\x1b]" + strings.Repeat("é", 3000) + "end")
	if want := "a" + strings.Repeat("é", 3000-2048) + "end"; got != want {
		t.Errorf("%d bytes left, want %d", len(got), len(want))
	}
}

func TestResultKnowsWhereItIs(t *testing.T) {
	const esc, zw = `\u001b[31m`, `\u200b`
	for name, tc := range map[string]struct{ in, want string }{
		"text":                 {`{"content":[{"type":"text","text":"a` + esc + `b"}]}`, `{"content":[{"type":"text","text":"ab"}]}`},
		"raw bytes":            {"{\"content\":[{\"type\":\"text\",\"text\":\"a\u200bb\"}]}", `{"content":[{"type":"text","text":"ab"}]}`},
		"escapes kept":         {`{"content":[{"type":"text","text":"\u00e4\n\"\\\/"}]}`, `{"content":[{"type":"text","text":"\u00e4\n\"\\\/"}]}`},
		"backspace":            {`{"content":[{"type":"text","text":"a\b\fb"}]}`, `{"content":[{"type":"text","text":"ab"}]}`},
		"tags as surrogates":   {`{"content":[{"type":"text","text":"a\udb40\udc69b"}]}`, `{"content":[{"type":"text","text":"ab"}]}`},
		"numbers, white space": {`{ "structuredContent" : {"n": 1.10e+2, "s":"` + zw + `"} }`, `{ "structuredContent" : {"n": 1.10e+2, "s":""} }`},
		"keys and values":      {`{"structuredContent":{"ro` + zw + `ws":[{"na\u202eme":"x\udb40\udc41"}]}}`, `{"structuredContent":{"rows":[{"name":"x"}]}}`},
		"uri in structured":    {`{"structuredContent":{"uri":"a` + zw + `","data":"` + zw + `b","blob":["` + zw + `"],"mimeType":"` + zw + `"}}`, `{"structuredContent":{"uri":"a","data":"b","blob":[""],"mimeType":""}}`},
		"image":                {`{"content":[{"data":"` + zw + `","mimeType":"` + zw + `","type":"image","x":"` + zw + `"}]}`, `{"content":[{"data":"","mimeType":"application/octet-stream","type":"image","x":""}]}`},
		"audio":                {`{"content":[{"type":"audio","data":"` + zw + `"}]}`, `{"content":[{"type":"audio","data":""}]}`},
		"data in text":         {`{"content":[{"type":"text","data":"` + zw + `","uri":"` + zw + `"}]}`, `{"content":[{"type":"text","data":"","uri":""}]}`},
		"link":                 {`{"content":[{"type":"resource_link","uri":"a://x` + zw + `","name":"n` + zw + `","icons":[{"src":"` + zw + `"}]}]}`, `{"content":[{"type":"text","text":"[link removed: it leads where this server's links may not]"}]}`},
		"embedded":             {`{"content":[{"type":"resource","resource":{"uri":"` + zw + `","text":"t` + zw + `","blob":"` + zw + `"}}]}`, `{"content":[{"type":"resource","resource":{"uri":"urn:mcp-gateway:link-removed","text":"t","blob":""}}]}`},
		"cursor, state":        {`{"nextCursor":"` + zw + `","requestState":"` + zw + `","_meta":{"a":"` + zw + `"}}`, `{"nextCursor":"","requestState":"","_meta":{"a":""}}`},
		"wrong shape":          {`{"content":{"type":"text","text":"` + zw + `"}}`, `{"content":{"type":"text","text":""}}`},
		"secrets": {`{"content":[{"type":"text","text":"key AKIAQ7ZZZZZZZZZZZZ2A and ghp_0123456789abcdefghijABCDEFGHIJ012345"}]}`,
			`{"content":[{"type":"text","text":"key [redacted:aws_access_key] and [redacted:github_token]"}]}`},
		"secret behind escapes": {`{"content":[{"type":"text","text":"\u0067hp_0123456789abcdefghijABCDEFGHIJ012345"}]}`, `{"content":[{"type":"text","text":"[redacted:github_token]"}]}`},
		"secret in a name":      {`{"structuredContent":{"ghp_0123456789abcdefghijABCDEFGHIJ012345":1}}`, `{"structuredContent":{"[redacted:github_token]":1}}`},
		"json in text":          {`{"content":[{"type":"text","text":"{\"api_key\": \"a1b2c3d4e5f6\"}"}]}`, `{"content":[{"type":"text","text":"{\"api_key\": \"[redacted:assignment]\"}"}]}`},
	} {
		c := result(t, tc.in)
		if got := string(c.Bytes()); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.want)
		}
		if c.Changed() != (tc.in != tc.want) || !c.Valid() {
			t.Errorf("%s: changed %v, valid %v", name, c.Changed(), c.Valid())
		}
		if again := result(t, tc.want); again.Changed() {
			t.Errorf("%s: cleaning twice changes %s", name, again.Bytes())
		}
	}
}

func TestUnchangedInputIsTheSameSlice(t *testing.T) {
	raw := []byte(`{"content":[{"type":"text","text":"all \"fine\"\nhere: ⚠️"}]}`)
	c, err := redact.New(redact.Options{}).Result(raw)
	if err != nil || &c.Bytes()[0] != &raw[0] || len(c.Bytes()) != len(raw) {
		t.Errorf("a clean result was copied (%v)", err)
	}
	if !reflect.DeepEqual(c.Report(), redact.Report{}) {
		t.Errorf("report %+v of a clean result", c.Report())
	}
}

func TestEqualNamesAreNotMerged(t *testing.T) {
	for _, raw := range []string{
		`{"structuredContent":{"a":1,"a\u200b":2}}`,
		`{"structuredContent":[{"x":{"\u202ea":1,"a\u200b":2}}]}`,
		`{"content":[],"con\u200btent":[]}`,
		`{"structuredContent":{"ghp_0123456789abcdefghijABCDEFGHIJ012345":1,"ghp_1123456789abcdefghijABCDEFGHIJ012345":1}}`,
		`[]`,
	} {
		var e *gateway.Error
		c, err := redact.New(redact.Options{}).Result([]byte(raw))
		if !errors.As(err, &e) || e.Code != gateway.CodeContractViolation || c.Valid() || c.Bytes() != nil {
			t.Errorf("Result(%s) = %s, %v, want contract_violation", raw, c.Bytes(), err)
		}
	}
}

func TestReport(t *testing.T) {
	c := result(t, `{"content":[{"type":"text","text":"ok"},{"type":"text","text":"\u001b[0m \u200b\u200b ghp_0123456789abcdefghijABCDEFGHIJ012345 \u202e"},
		{"type":"text","text":"\u200b github_pat_11ABCDEFG0123456789abcdef AKIAQ7ZZZZZZZZZZZZ2A"}]}`)
	want := redact.Report{
		Redactions: []redact.Count{{Class: "aws_access_key", N: 1}, {Class: "github_token", N: 2}},
		Removed:    []redact.Count{{Class: "bidi", N: 1}, {Class: "control_chars", N: 1}, {Class: "hidden_unicode", N: 3}},
		Findings: []gateway.Finding{
			{Code: "control_chars", Path: "/content/1/text", Severity: gateway.Warning},
			{Code: "bidi", Path: "/content/1/text", Severity: gateway.Warning},
			{Code: "hidden_unicode", Path: "/content/1/text", Severity: gateway.Warning},
		},
	}
	if got := c.Report(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestZeroCleanIsNoProof(t *testing.T) {
	var c redact.Clean
	if c.Valid() || c.Bytes() != nil {
		t.Error("the zero value passes for clean")
	}
}

func TestDefinition(t *testing.T) {
	const zw = `\u200b`
	for name, tc := range map[string]struct {
		in, want string
		findings []gateway.Finding
	}{
		"clean": {`{"name":"t","description":"d","inputSchema":{"type":"object"}}`, `{"name":"t","description":"d","inputSchema":{"type":"object"}}`, nil},
		"texts": {
			`{"name":"t","title":"T` + zw + `","description":"Lists.\u001b[8m also\u001b[0m","annotations":{"title":"\u202ex"},
			"inputSchema":{"type":"object","title":"` + zw + `","properties":{"description":{"description":"` + zw + `p","examples":["` + zw + `e"]}},"$comment":"` + zw + `c"}}`,
			`{"name":"t","title":"T","description":"Lists. also","annotations":{"title":"x"},
			"inputSchema":{"type":"object","title":"","properties":{"description":{"description":"p","examples":["e"]}},"$comment":"c"}}`,
			[]gateway.Finding{
				{Code: "hidden_unicode", Path: "/title", Severity: gateway.Warning},
				{Code: "control_chars", Path: "/description", Severity: gateway.Warning},
				{Code: "bidi", Path: "/annotations/title", Severity: gateway.Warning},
			}},
		"property name": {`{"inputSchema":{"properties":{"a` + zw + `":{}}}}`, `{"inputSchema":{"properties":{"a` + zw + `":{}}}}`,
			[]gateway.Finding{{Code: "hidden_unicode", Path: "/inputSchema/properties/a", Severity: gateway.Critical}}},
		"enum": {`{"inputSchema":{"items":{"enum":["a","b\u202e"]}}}`, `{"inputSchema":{"items":{"enum":["a","b\u202e"]}}}`,
			[]gateway.Finding{{Code: "bidi", Path: "/inputSchema/items/enum/1", Severity: gateway.Critical}}},
		"const below allOf": {`{"outputSchema":{"allOf":[{"const":{"k":"` + zw + `"}}]}}`, `{"outputSchema":{"allOf":[{"const":{"k":"` + zw + `"}}]}}`,
			[]gateway.Finding{{Code: "hidden_unicode", Path: "/outputSchema/allOf/0/const/k", Severity: gateway.Critical}}},
		"default and pattern": {`{"inputSchema":{"default":"` + zw + `","pattern":"` + zw + `"}}`, `{"inputSchema":{"default":"` + zw + `","pattern":"` + zw + `"}}`,
			[]gateway.Finding{{Code: "hidden_unicode", Path: "/inputSchema/default", Severity: gateway.Critical}}},
		"secrets are left to the reviewer": {`{"description":"like ghp_0123456789abcdefghijABCDEFGHIJ012345"}`, `{"description":"like ghp_0123456789abcdefghijABCDEFGHIJ012345"}`, nil},
	} {
		clean, findings, err := redact.New(redact.Options{}).Definition([]byte(tc.in))
		if err != nil || string(clean) != tc.want || !reflect.DeepEqual(findings, tc.findings) {
			t.Errorf("%s:\n got %s %v %v\nwant %s %v", name, clean, findings, err, tc.want, tc.findings)
		}
	}
}

func TestBusiness(t *testing.T) {
	r := redact.New(redact.Options{BlockText: 10, TotalText: 400})
	raw := []byte(`{"content":[{"type":"text","text":"0123456789äöü"},{"type":"text","text":"\u001b[1mshort"},
		{"type":"image","data":"` + strings.Repeat("A", 500) + `"}],"structuredContent":{"e":"pass\u200b"},"isError":true,
		"_meta":{"io.modelcontextprotocol/x":1,"com.mcp.tools/y":1,"com.example.mcp/z":1,"plain":2,"mcp-gateway/source":"forged",
		"io.modelcontextprotocol/serverInfo":{"name":"s"}}}`)
	c, err := r.Business(raw, "billing")
	if err != nil || !c.Valid() || !c.Changed() {
		t.Fatal(err)
	}
	want := `{"content":[{"type":"text","text":"0123456789… [truncated: 6 bytes]"},{"type":"text","text":"short"}],` +
		`"structuredContent":{"e":"pass"},"isError":true,"_meta":{"com.example.mcp/z":1,"plain":2,` +
		`"io.modelcontextprotocol/serverInfo":{"name":"s"},"mcp-gateway/source":{"upstream":"billing"},` +
		`"mcp-gateway/truncated":{"truncated":true,"total":` + strconv.Itoa(len(raw)) + `,"more":"ask for less at a time: what was left out is not kept"}}}`
	if got := string(c.Bytes()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var codes []string
	for _, f := range c.Report().Findings {
		codes = append(codes, f.Code)
	}
	if got := strings.Join(codes, " "); got != "control_chars hidden_unicode error_truncated reserved_meta" {
		t.Errorf("findings %s", got)
	}
}

func TestBusinessIsBounded(t *testing.T) {
	blocks := strings.Repeat(`{"type":"text","text":"`+strings.Repeat("é", 3000)+`"},`, 500)
	c, err := redact.New(redact.Options{}).Business([]byte(`{"content":[`+strings.TrimSuffix(blocks, ",")+`],"structuredContent":"`+strings.Repeat("x", 20_000)+`","isError":true}`), "u")
	if err != nil || len(c.Bytes()) > 20<<10 {
		t.Errorf("%d bytes, %v", len(c.Bytes()), err)
	}
	if err := protocol.Check(c.Bytes(), protocol.DefaultLimits()); err != nil {
		t.Error(err)
	}
	if v, _ := protocol.Member(c.Bytes(), "isError"); string(v) != "true" {
		t.Error("isError was lost")
	}
}
