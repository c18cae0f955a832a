package redact_test

import (
	"testing"
	"unicode/utf8"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/redact"
)

func FuzzText(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\x1b]0;t\a", "\u202e\u200b", "👩‍💻\ufe0f", "\xff\x9b1m", "password=a1b2c3d4e5", "://u:p4ssword@h",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN", "-----BEGIN PRIVATE KEY-----"} {
		f.Add(s)
	}
	r := redact.New(redact.Options{})
	f.Fuzz(func(t *testing.T, s string) {
		once := r.Text(s)
		if !utf8.ValidString(once) {
			t.Fatalf("Text(%q) = %q is not UTF-8", s, once)
		}
		if twice := r.Text(once); twice != once {
			t.Fatalf("Text(%q) = %q, and then %q", s, once, twice)
		}
	})
}

func FuzzResult(f *testing.F) {
	for _, s := range []string{
		`{"content":[{"type":"text","text":"a\u001b[31mb"}],"structuredContent":{"a\u200b":["\u202e",1.10,null]}}`,
		`{"content":[{"type":"image","data":"AA","mimeType":"x"},{"type":"resource","resource":{"uri":"u","text":"\ud83d\ude00"}}]}`,
		` { "_meta" : { } , "isError" : true } `, `{"":"","\"":{"\\":[]}}`, `[]`,
		`{"a":"ghp_0123456789abcdefghijABCDEFGHIJ012345","b":["password=\"a1b2c3d4e5\""]}`,
		`{"contents":[{"uri":"u","text":"\u200b"}],"messages":[{"role":"user","content":{"type":"text","text":"\u200b"}}]}`,
		`{"inputRequests":{"k\u200b":{"method":"elicitation/create","params":{"message":"\u200b","requestedSchema":{"properties":{"p":{}}},"tools":[{"name":"\u200b"}]}}}}`,
		`{"name":"p","uri":"u","arguments":[{"name":"a\u200b","description":"\u200b"}]}`,
		`{"content":[{"type":"resource_\u200blink","uri":"http://a.example"},{"type":"resource_link","ur\u200bi":"http://a.example"}],"is\u200bError":true}`,
		`{"structuredContent":{"a":["ghp_0123456789abcd","efghijABCDEFGHIJ012345"],"b":{"c":"ghp_0123456789ab","d":{},"e":"cdefghijABCDEFGHIJ012345"}}}`,
		`{"content":[{"type":"text","text":"WjJod1h6QXhNak0wTlRZM09EbGhZbU5rWldabmFHbHFRVUpEUkVWR1IwaEpTakF4TWpNME5R"},{"type":"text","text":"%2567%2568p_&#48;\\u{31}"}]}`,
		`{"content":[{"type":"resource","resource":{"uri":"https://a.example/","blob":"ZwBoAHAAXwAwADEAMgAzADQANQA2ADcAOAA5AGEAYgBjAGQAZQBmAGcAaABpAGoAQQBCAEMARABFAEYARwBIAEkASgAwADEAMgAzADQANQA="}}],"nextCursor":{"a":"\u200b"}}`,
		`{"content":[{"type":"resource","resource":{"uri":"urn:b:1","blob":"` + b64(oddWide) + `"}},{"type":"image","data":"` + b64(oddWide) + `","mimeType":"image/png"}]}`,
		`{"content":[{"type":"ghp_0123456789abcdefghijABCDEFGHIJ012345","text":"a"}]}`,
		`{"inputSchema":{"properties":{"a\u200b":{"description":"\u200b","enum":["\u200b"]}}}}`,
	} {
		f.Add([]byte(s))
	}
	r := redact.New(redact.Options{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if protocol.Check(raw, protocol.Limits{}) != nil {
			return
		}
		if c, err := r.Result(raw); err == nil {
			sameShape(t, raw, c.Bytes())
			if again, err := r.Result(c.Bytes()); err != nil || again.Changed() {
				t.Fatalf("cleaning %s again gives %s, %v", c.Bytes(), again.Bytes(), err)
			}
			if c.Changed() == (&raw[0] == &c.Bytes()[0]) {
				t.Fatalf("Changed is %v, and the slice says otherwise", c.Changed())
			}
		}
		for _, clean := range []func([]byte) (redact.Clean, error){r.Contents, r.Prompt, r.Any, r.Asking, r.Asked} {
			if c, err := clean(raw); err == nil {
				sameShape(t, raw, c.Bytes())
			}
		}
		for _, kind := range gateway.Kinds() {
			if clean, _, err := r.Item(kind, raw); err == nil {
				sameShape(t, raw, clean)
			}
		}
		if c, err := r.Business(raw, "u"); err == nil {
			valid(t, c.Bytes())
		}
	})
}

func valid(t *testing.T, raw []byte) {
	if err := protocol.Check(raw, protocol.Limits{Bytes: 64 << 20, Depth: 300}); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}

// sameShape fails unless out differs from in by the content of strings only.
func sameShape(t *testing.T, in, out []byte) {
	t.Helper()
	valid(t, out)
	if a, b := shape(nil, in), shape(nil, out); string(a) != string(b) {
		t.Fatalf("the shape of %s became that of %s", in, out)
	}
}

// shape writes a document with every string emptied.
func shape(dst, raw []byte) []byte {
	switch protocol.Kind(raw) {
	case '"':
		return append(dst, `""`...)
	case '{':
		for _, v := range protocol.Members(raw) {
			dst = append(shape(append(dst, '{'), v), '}')
		}
		return append(dst, '.')
	case '[':
		for v := range protocol.Elements(raw) {
			dst = append(shape(append(dst, '['), v), ']')
		}
		return append(dst, ';')
	}
	return append(dst, raw...)
}
