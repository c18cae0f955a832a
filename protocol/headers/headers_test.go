package headers_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol/headers"
	"mcp-gateway/protocol/rawjson"
)

func isMismatch(err error) bool {
	e, ok := errors.AsType[*gateway.Error](err)
	return ok && e.Code == gateway.CodeHeaderMismatch && errors.Is(err, headers.ErrHeader)
}

// The encoding examples of the 2026-07-28 transport page, and the edges.
func TestEncodeHeader(t *testing.T) {
	for s, want := range map[string]string{
		"us-west1": "us-west1", "": "", "a b\tc": "a b\tc", "file:///projects/myapp/config.json": "file:///projects/myapp/config.json", "~!@#$%^&*()\"'": "~!@#$%^&*()\"'",
		"Hello, 世界":            "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":             "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":         "=?base64?bGluZTEKbGluZTI=?=",
		"=?base64?literal?=":   "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"=?base64?=":           "=?base64?PT9iYXNlNjQ/PQ==?=", // the markers overlap
		"=?base64??=":          "=?base64?PT9iYXNlNjQ/Pz0=?=",
		"=?BASE64?literal?=":   "=?BASE64?literal?=", // the markers are case-sensitive
		"=?base64?no end":      "=?base64?no end",
		"x\r\nMcp-Name: admin": "=?base64?eA0KTWNwLU5hbWU6IGFkbWlu?=",
		"\t":                   "=?base64?CQ==?=", "\x00": "=?base64?AA==?=", "\x7f": "=?base64?fw==?=", "é": "=?base64?w6k=?=",
	} {
		if got := headers.EncodeHeader(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
		if got, err := headers.DecodeHeader(want); err != nil || got != s {
			t.Errorf("%q back: %q %v", want, got, err)
		}
	}
}

func TestDecodeHeader(t *testing.T) {
	for value, want := range map[string]string{"=?base64?dXMtd2VzdDE=?=": "us-west1", "=?base64??=": "", "=?Base64?dXM=?=": "=?Base64?dXM=?=", "?=": "?="} {
		if got, err := headers.DecodeHeader(value); err != nil || got != want {
			t.Errorf("%q: %q %v", value, got, err)
		}
	}
	for _, value := range []string{"世界", "\xff", "a\x00", "a\r\nb", "a\nb", " a", "a ", "\ta", "\x7f",
		"=?base64?=", "=?base64?dXMtd2VzdDE?=", "=?base64?dXM=?==?=", "=?base64?!!!!?=", "=?base64?dX M=?=", "=?base64?dXN=?=", "=?base64?dXM_?=",
		"=?base64?//8=?=" /* not UTF-8 */, "=?base64?7aCA?=" /* a surrogate */} {
		if got, err := headers.DecodeHeader(value); !isMismatch(err) || got != "" {
			t.Errorf("%q: %q %v", value, got, err)
		}
	}
}

func mirrors(t *testing.T, schema string) []headers.Mirror {
	t.Helper()
	ms, err := headers.Mirrors([]byte(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return ms
}

func TestMirrors(t *testing.T) {
	ms := mirrors(t, `{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"x-mcp-header":{"type":"string"},
		"limits":{"type":"object","properties":{"max_tokens":{"type":["integer","null"],"x-mcp-header":"max-TOKENS"},"properties":{"type":"boolean","x-mcp-header":"Dry"}}},
		"query":{"type":"string","default":{"x-mcp-header":"no annotation"},"enum":[{"x-mcp-header":1}],"const":{"x-mcp-header":""},"examples":[{"x-mcp-header":"x y"}]}},
		"$defs":{"x-mcp-header":{"type":"string"}},"required":["region"],"additionalProperties":false}`)
	want := []headers.Mirror{
		{Header: "Mcp-Param-Region", Path: []string{"region"}, Type: "string"},
		{Header: "Mcp-Param-Max-Tokens", Path: []string{"limits", "max_tokens"}, Type: "integer"},
		{Header: "Mcp-Param-Dry", Path: []string{"limits", "properties"}, Type: "boolean"},
	}
	if !slices.EqualFunc(ms, want, func(a, b headers.Mirror) bool {
		return a.Header == b.Header && a.Type == b.Type && slices.Equal(a.Path, b.Path)
	}) {
		t.Errorf("%+v", ms)
	}
	for _, schema := range []string{`{}`, `true`, `null`, ``, `[]`, `{"type":"object"}`, `{"properties":{"a":true}}`, `{"properties":[]}`} {
		if ms := mirrors(t, schema); len(ms) > 0 {
			t.Errorf("%s: %+v", schema, ms)
		}
	}
}

func TestMirrorsRefusesWrongAnnotations(t *testing.T) {
	const good = `{"type":"string","x-mcp-header":"Region"}`
	for what, schema := range map[string]string{
		"empty":             `{"properties":{"r":{"type":"string","x-mcp-header":""}}}`,
		"space":             `{"properties":{"r":{"type":"string","x-mcp-header":"a b"}}}`,
		"CR LF":             `{"properties":{"r":{"type":"string","x-mcp-header":"Region\r\nX-Role: admin"}}}`,
		"colon":             `{"properties":{"r":{"type":"string","x-mcp-header":"a:b"}}}`,
		"not ASCII":         `{"properties":{"r":{"type":"string","x-mcp-header":"é"}}}`,
		"NUL":               `{"properties":{"r":{"type":"string","x-mcp-header":"a\u0000"}}}`,
		"not a string":      `{"properties":{"r":{"type":"string","x-mcp-header":true}}}`,
		"null":              `{"properties":{"r":{"type":"string","x-mcp-header":null}}}`,
		"duplicate":         `{"properties":{"a":` + good + `,"b":` + good + `}}`,
		"duplicate by case": `{"properties":{"a":` + good + `,"b":{"properties":{"c":{"type":"string","x-mcp-header":"rEGION"}}}}}`,
		"number":            `{"properties":{"r":{"type":"number","x-mcp-header":"R"}}}`,
		"object":            `{"properties":{"r":{"type":"object","x-mcp-header":"R"}}}`,
		"array":             `{"properties":{"r":{"type":"array","x-mcp-header":"R"}}}`,
		"null type":         `{"properties":{"r":{"type":"null","x-mcp-header":"R"}}}`,
		"no type":           `{"properties":{"r":{"x-mcp-header":"R"}}}`,
		"two types":         `{"properties":{"r":{"type":["string","integer"],"x-mcp-header":"R"}}}`,
		"three types":       `{"properties":{"r":{"type":["string","integer","null"],"x-mcp-header":"R"}}}`,
		"null twice":        `{"properties":{"r":{"type":["null","null"],"x-mcp-header":"R"}}}`,
		"type by list":      `{"properties":{"r":{"type":["number","null"],"x-mcp-header":"R"}}}`,
		"root":              `{"type":"string","x-mcp-header":"R"}`,
		"items":             `{"properties":{"a":{"type":"array","items":` + good + `}}}`,
		"below items":       `{"properties":{"a":{"items":{"properties":{"b":` + good + `}}}}}`,
		"prefixItems":       `{"properties":{"a":{"prefixItems":[` + good + `]}}}`,
		"oneOf":             `{"oneOf":[{"properties":{"a":` + good + `}}]}`,
		"anyOf":             `{"properties":{"a":{"anyOf":[` + good + `]}}}`,
		"allOf":             `{"allOf":[true,{"properties":{"a":` + good + `}}]}`,
		"not":               `{"not":{"properties":{"a":` + good + `}}}`,
		"if":                `{"if":{"properties":{"a":` + good + `}}}`,
		"then":              `{"then":{"properties":{"a":` + good + `}}}`,
		"else":              `{"else":{"properties":{"a":` + good + `}}}`,
		"$defs":             `{"$defs":{"d":` + good + `}}`,
		"definitions":       `{"definitions":{"d":{"properties":{"a":` + good + `}}}}`,
		"patternProperties": `{"patternProperties":{"^a":` + good + `}}`,
		"additional":        `{"additionalProperties":` + good + `}`,
		"unevaluated":       `{"unevaluatedProperties":` + good + `}`,
		"dependentSchemas":  `{"dependentSchemas":{"a":{"properties":{"b":` + good + `}}}}`,
		"dependencies":      `{"dependencies":{"a":{"properties":{"b":` + good + `}}}}`,
		"contains":          `{"properties":{"a":{"contains":` + good + `}}}`,
		"propertyNames":     `{"propertyNames":` + good + `}`,
		"unknown keyword":   `{"x-vendor":{"nested":[[` + good + `]]}}`,
		"escaped keyword":   `{"$defs":{"d":{"type":"string","x-mcp-\u0068eader":"R"}}}`,
		"writeOnly":         `{"properties":{"r":{"type":"string","writeOnly":true,"x-mcp-header":"R"}}}`,
		"format password":   `{"properties":{"r":{"type":"string","format":"password","x-mcp-header":"R"}}}`,
	} {
		ms, err := headers.Mirrors([]byte(schema))
		e, ok := errors.AsType[*gateway.Error](err)
		if !ok || !slices.Contains(e.Reasons, gateway.ReasonHeaderMirror) || ms != nil {
			t.Errorf("%s: %+v %v", what, ms, err)
		}
	}
}

func TestMirrorsRefusesSecrets(t *testing.T) {
	for _, name := range []string{"password", "userPassword", "api_token", "accessToken", "token", "client_secret", "apiKey", "api-key", "apikey", "key", "privateKey",
		"Authorization", "session_cookie", "SECRET", "pin", "credentials", "ssh_key",
		"creditCardNumber", "card_number", "verification_code", "one-time-code", "seed_phrase",
		"userEmail", "phone_number", "firstName", "date_of_birth", "home_address", "tax_id", "passportNumber"} {
		for _, schema := range []string{
			`{"properties":{"` + name + `":{"type":"string","x-mcp-header":"Region"}}}`,
			`{"properties":{"` + name + `":{"properties":{"value":{"type":"string","x-mcp-header":"Region"}}}}}`,
			`{"properties":{"r":{"type":"string","x-mcp-header":"` + name + `"}}}`,
		} {
			if _, err := headers.Mirrors([]byte(schema)); err == nil {
				t.Errorf("%s passed", schema)
			}
		}
	}
	for _, c := range [][2]string{{"region", "string"}, {"issue_key", "string"}, {"sortKey", "string"}, {"max_tokens", "integer"}, {"keyboard", "string"}, {"author", "string"},
		{"pinned", "string"}, {"use_token", "boolean"}, {"tokenizer", "string"}, {"secretary", "string"},
		{"card_id", "string"}, {"zip_code", "string"}, {"time_code", "string"}, {"name", "string"}, {"file_name", "string"}, {"ip_address", "string"}, {"user_id", "string"},
		{"send_email", "boolean"}} {
		mirrors(t, `{"properties":{"`+c[0]+`":{"type":"`+c[1]+`","x-mcp-header":"R"}}}`)
	}
}

const paramSchema = `{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"count":{"type":"integer","x-mcp-header":"Count"},
	"dry":{"type":"boolean","x-mcp-header":"Dry"},"at":{"properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}}}}`

func TestCheckParams(t *testing.T) {
	ms := mirrors(t, paramSchema)
	for _, c := range []struct {
		name, header, arguments string
		values                  []string
		ok                      bool
	}{
		{"equal", "Region", `{"region":"eu"}`, []string{"eu"}, true},
		{"different", "Region", `{"region":"us"}`, []string{"eu"}, false},
		{"case counts", "Region", `{"region":"EU"}`, []string{"eu"}, false},
		{"missing", "Region", `{"region":"eu"}`, nil, false},
		{"empty list", "Region", `{"region":"eu"}`, []string{}, false},
		{"repeated", "Region", `{"region":"eu"}`, []string{"eu", "eu"}, false},
		{"repeated without argument", "Region", `{}`, []string{"", ""}, false},
		{"null", "Region", `{"region":null}`, nil, true},
		{"header for null", "Region", `{"region":null}`, []string{"null"}, false},
		{"empty header for null", "Region", `{"region":null}`, []string{""}, false},
		{"absent", "Region", `{}`, nil, true},
		{"header for absent", "Region", `{}`, []string{"eu"}, false},
		{"header for case variant", "Region", `{"Region":"eu"}`, []string{"eu"}, false},
		{"header without arguments", "Region", ``, []string{"eu"}, false},
		{"no header, no arguments", "Region", ``, nil, true},
		{"empty string", "Region", `{"region":""}`, []string{""}, true},
		{"empty string encoded", "Region", `{"region":""}`, []string{"=?base64??="}, true},
		{"empty string, no header", "Region", `{"region":""}`, nil, false},
		{"encoded", "Region", `{"region":"世界"}`, []string{"=?base64?5LiW55WM?="}, true},
		{"encoded needlessly", "Region", `{"region":"us-west1"}`, []string{"=?base64?dXMtd2VzdDE=?="}, true},
		{"raw bytes", "Region", `{"region":"世界"}`, []string{"世界"}, false},
		{"encoded other", "Region", `{"region":"us-west2"}`, []string{"=?base64?dXMtd2VzdDE=?="}, false},
		{"literal marker unencoded", "Region", `{"region":"=?base64?literal?="}`, []string{"=?base64?literal?="}, false},
		{"escaped argument", "Region", `{"region":"\u0065u"}`, []string{"eu"}, true},
		{"escaped name", "Region", `{"\u0072egion":"eu"}`, []string{"eu"}, true},
		{"object, no header", "Region", `{"region":{"a":1}}`, nil, true},
		{"object, header", "Region", `{"region":{"a":1}}`, []string{`{"a":1}`}, false},
		{"array, header", "Region", `{"region":["eu"]}`, []string{`eu`}, false},

		{"integer", "Count", `{"count":42}`, []string{"42"}, true},
		{"integer as float", "Count", `{"count":42}`, []string{"42.0"}, true},
		{"integer as exponent", "Count", `{"count":4.2e1}`, []string{"42"}, true},
		{"negative", "Count", `{"count":-7}`, []string{"-7"}, true},
		{"other sign", "Count", `{"count":-7}`, []string{"7"}, false},
		{"2^53+1 is not 2^53", "Count", `{"count":9007199254740993}`, []string{"9007199254740992"}, false},
		{"2^53+1", "Count", `{"count":9007199254740993}`, []string{"9007199254740993"}, true},
		{"not a number", "Count", `{"count":42}`, []string{"42x"}, false},
		{"plus", "Count", `{"count":42}`, []string{"+42"}, false},
		{"hex", "Count", `{"count":42}`, []string{"0x2a"}, false},
		{"empty", "Count", `{"count":0}`, []string{""}, false},
		{"number in a string", "Count", `{"count":"42"}`, []string{"42"}, true},
		{"number in a string is text", "Count", `{"count":"42"}`, []string{"42.0"}, false},

		{"true", "Dry", `{"dry":true}`, []string{"true"}, true},
		{"false", "Dry", `{"dry":false}`, []string{"false"}, true},
		{"True", "Dry", `{"dry":true}`, []string{"True"}, false},
		{"1", "Dry", `{"dry":true}`, []string{"1"}, false},
		{"opposite", "Dry", `{"dry":true}`, []string{"false"}, false},

		{"nested", "Zone", `{"at":{"zone":"a"}}`, []string{"a"}, true},
		{"not nested", "Zone", `{"zone":"a"}`, []string{"a"}, false},
		{"below a scalar", "Zone", `{"at":"zone"}`, []string{"zone"}, false},
		{"below nothing", "Zone", `{"at":null}`, nil, true},
		{"not ours", "Other", `{"other":1}`, []string{"whatever", "this"}, true},
	} {
		h := http.Header{}
		if c.values != nil {
			h["Mcp-Param-"+c.header] = c.values
		}
		if err := headers.CheckParams(h, ms, []byte(c.arguments), true); (err == nil) != c.ok || err != nil && !isMismatch(err) {
			t.Errorf("%s: %v", c.name, err)
		}
		// Where headers are not demanded, one that is there is judged alike.
		if err := headers.CheckParams(h, ms, []byte(c.arguments), false); (err == nil) != (c.ok || len(c.values) == 0) {
			t.Errorf("%s, not demanded: %v", c.name, err)
		}
	}
}

func TestSetParams(t *testing.T) {
	ms := mirrors(t, paramSchema)
	h := http.Header{"Mcp-Param-Zone": {"from the host"}, "Mcp-Param-Dry": {"a", "b"}, "Accept": {"*/*"}}
	headers.SetParams(h, ms, []byte(`{"region":" Zürich ","count":9007199254740993,"dry":null}`))
	want := http.Header{"Mcp-Param-Region": {"=?base64?IFrDvHJpY2gg?="}, "Mcp-Param-Count": {"9007199254740993"}, "Accept": {"*/*"}}
	if len(h) != len(want) {
		t.Errorf("%v", h)
	}
	for name, values := range want {
		if !slices.Equal(h[name], values) {
			t.Errorf("%s: %q", name, h[name])
		}
	}
	headers.SetParams(h, ms, []byte(`{"region":"","count":4.20e1,"dry":false,"at":{"zone":"x\r\nInjected: 1"}}`))
	for name, value := range map[string]string{"Region": "", "Count": "42", "Dry": "false", "Zone": "=?base64?eA0KSW5qZWN0ZWQ6IDE=?="} {
		if got := h["Mcp-Param-"+name]; !slices.Equal(got, []string{value}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	headers.SetParams(h, ms, nil)
	if len(h) != 1 {
		t.Errorf("without arguments: %v", h)
	}
}

func FuzzHeaderCodec(f *testing.F) {
	for _, s := range []string{"", "us-west1", " x", "=?base64?=", "=?base64??=", "é", "\r\n", "\xff", "=?base64?dXM=?="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		encoded := headers.EncodeHeader(s)
		if !headers.IsSafe(encoded) {
			t.Fatalf("%q is sent as %q", s, encoded)
		}
		back, err := headers.DecodeHeader(encoded)
		if valid := strings.ToValidUTF8(s, "") == s; (err == nil) != valid || valid && back != s {
			t.Fatalf("%q comes back as %q, %v", s, back, err)
		}
		if plain, err := headers.DecodeHeader(s); err == nil {
			if again, err := headers.DecodeHeader(headers.EncodeHeader(plain)); err != nil || again != plain {
				t.Fatalf("%q means %q means %q", s, plain, again)
			}
		}
	})
}

// What SetParams sends, CheckParams accepts, whatever schema and arguments are.
func FuzzMirrors(f *testing.F) {
	f.Add(paramSchema, `{"region":"eu","count":42,"dry":true,"at":{"zone":" z"}}`)
	f.Add(`{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`, `{"a":1.50e1}`)
	f.Add(`{"properties":{"a":{"type":"integer","x-mcp-header":"A"}}}`, `{"a":-0}`)
	f.Add(`{"items":{"x-mcp-header":"A"}`, `{`)
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		ms, err := headers.Mirrors([]byte(schema)) // must not panic, whatever schema is
		if err != nil || rawjson.Check([]byte(schema), rawjson.Limits{}) != nil || rawjson.Check([]byte(arguments), rawjson.Limits{}) != nil {
			return
		}
		h := http.Header{}
		headers.SetParams(h, ms, []byte(arguments))
		if err := headers.CheckParams(h, ms, []byte(arguments), true); err != nil {
			t.Fatalf("%v: %v", h, err)
		}
		for name, values := range h {
			if len(values) != 1 || !headers.IsSafe(values[0]) || !strings.HasPrefix(name, headers.ParamPrefix) {
				t.Fatalf("%q: %q", name, values)
			}
		}
	})
}

func BenchmarkCheckParams(b *testing.B) {
	ms, err := headers.Mirrors([]byte(paramSchema))
	if err != nil {
		b.Fatal(err)
	}
	arguments := []byte(`{"region":"eu","count":42,"dry":true,"at":{"zone":"z"}}`)
	h := http.Header{}
	headers.SetParams(h, ms, arguments)
	b.ReportAllocs()
	for b.Loop() {
		if err := headers.CheckParams(h, ms, arguments, true); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAsksForSecret(t *testing.T) {
	for _, tc := range []struct {
		name, field string
		secret      bool
	}{
		{"password", `{"type":"string"}`, true},
		{"value", `{"type":"string","title":"API key"}`, true},
		{"apiToken", `{"type":"string"}`, true},
		{"pin", `{"type":"integer"}`, true},
		{"x", `{"type":"string","format":"password"}`, true},
		{"x", `{"type":"string","writeOnly":true}`, true},
		{"accessToken", `{"enum":["a"]}`, true},
		{"credit_card_number", `{"type":"string"}`, true},
		{"value", `{"type":"string","title":"One-time code"}`, true},
		{"email", `{"type":"string","format":"email"}`, false}, // a form may ask who somebody is
		{"P4ssword", `{"type":"string"}`, true},
		{"pa$$w0rd", `{"type":"string"}`, true},
		{"p1n", `{"type":"string"}`, true},
		{"t0ken", `{"type":"string"}`, true},
		{"value", `{"type":"string","title":"Your p@ssword"}`, true},
		{"address1", `{"type":"string"}`, false},
		{"line_3", `{"type":"string"}`, false},
		{"promo_code", `{"type":"string"}`, false},
		{"max_tokens", `{"type":"integer"}`, false},
		{"keep_password", `{"type":"boolean"}`, false},
		{"name", `{"type":"string","title":"Your name"}`, false},
		{"sort_key", `{"type":"string"}`, false},
	} {
		if got := headers.AsksForSecret([]byte(tc.field), tc.name); got != tc.secret {
			t.Errorf("%s %s: %t", tc.name, tc.field, got)
		}
	}
}
