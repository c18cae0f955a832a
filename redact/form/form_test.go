package form_test

import (
	"bytes"
	"encoding/base64"
	"mime"
	"strings"
	"testing"

	"mcp-gateway/redact/form"
)

// What is taken for a media type is one to who reads it, and holds nothing else; what
// decodes is of the letters that somebody wrote.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		"text/plain", "application/json; charset=utf-8", "a/b;", "image/svg+xml", "text/html\r\nX: y", "a/b/c", "x/y;a=\"\\\"", "/", "a/", "IMAGE/PNG ;q=1",
		"AAAA", "AA==", "AA", "-_-_", "AA\nAA", "A A", "<script>", "====", "YWJj\r\nZGVm",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		if form.IsMediaType(s) {
			name, _, _ := strings.Cut(string(s), ";")
			if _, _, err := mime.ParseMediaType(strings.TrimSpace(name)); err != nil || bytes.ContainsAny(s, "\r\n\x00\x1b\x7f") || len(strings.TrimSpace(name)) > 2*127+1 {
				t.Errorf("%q is taken for a media type: %v", s, err)
			}
		}
		code := form.Unbroken(s)
		if bytes.ContainsAny(code, "\r\n") {
			t.Errorf("%q is broken still: %q", s, code)
		}
		plain, strange, ok := form.Decode(code)
		if !ok {
			return
		}
		again := base64.StdEncoding.EncodeToString(plain)
		if back, _, good := form.Decode([]byte(again)); !good || !bytes.Equal(back, plain) {
			t.Errorf("%q decodes to %q, and that encoded to %q", s, plain, back)
		}
		if len(plain) > len(code) || len(code) <= 512 && !strange {
			t.Errorf("%d letters are %d bytes, strange %t", len(code), len(plain), strange)
		}
		if form.IsText(plain) && bytes.IndexByte(plain, 0) >= 0 {
			t.Errorf("%q is taken for text", plain)
		}
	})
}
