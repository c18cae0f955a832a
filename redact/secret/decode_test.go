package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// wide is s in UTF-16.
func wide(s string, high bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		if high {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

func percentAll(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}

// per writes each byte of s by a form.
func per(form, s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, form, s[i])
	}
	return b.String()
}

// lines breaks s into lines.
func lines(s string, width int, br string) string {
	var b strings.Builder
	for len(s) > width {
		b.WriteString(s[:width] + br)
		s = s[width:]
	}
	return b.String() + s
}

// A secret that is encoded is found, also behind a second and a third step, wherever
// in what is encoded it stands, and nothing of it is left.
func TestEncoded(t *testing.T) {
	const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	filler := strings.Repeat("All is well with 42 of them, and that is that. ", 3000)
	for name, in := range map[string]string{
		"base64":                        b64(key),
		"base64 for URLs":               base64.RawURLEncoding.EncodeToString([]byte("??>>" + key)),
		"base64 in a path":              "https://a.example/b/" + b64("token "+key),
		"base64 in a path, two letters": "https://a.example/bc/" + b64("token "+key),
		"base64 behind three letters":   "xyz" + b64("token "+key),
		"base64 far within":             b64(filler + key + filler),
		"base64 at a seam":              b64(filler[:49130] + key + filler),
		"base64 of other letters":       b64("Größe – Schlüssel: " + key),
		"base64 in lines":               lines(b64("some header and more of it "+key+" and what comes after it"), 76, "\n"),
		"base64 in lines of 64":         lines(b64("some header and more of it "+key+" and what comes after it"), 64, "\r\n"),
		"base64 in indented lines":      lines(b64("some header and more of it "+key+" and what comes after it"), 60, "\n    "),
		"base64 of bytes":               b64("\x00\x01\xff" + key + "\xfe"),
		"base64 of UTF-16":              b64(wide("the key is "+key, false)),
		"base64 of UTF-16, high first":  b64("\xfe\xff" + wide("the key is "+key, true)),
		"base64 of base64":              b64(b64("the key is " + key)),
		"base64 three times":            b64(b64(b64("the key is " + key))),
		"base64 of percent":             b64("?q=" + percentAll(key)),
		"percent":                       percentAll(key),
		"percent of a letter":           "ghp%5F" + key[4:],
		"percent twice":                 strings.ReplaceAll(percentAll(key), "%", "%25"),
		"percent thrice":                strings.ReplaceAll(percentAll(key), "%", "%2525"),
		"percent of base64":             "?q=" + url.QueryEscape(b64("????>>>>"+key)),
		"percent of all of base64":      percentAll(b64("the key is " + key)),
		"escapes":                       per(`\u%04x`, key),
		"escapes of bytes":              per(`\x%02x`, key),
		"escapes in braces":             per(`\u{%x}`, key),
		"long escapes":                  per(`\U%08x`, key),
		"octal":                         per(`\%03o`, key),
		"entities":                      per("&#%d;", key),
		"entities, hexadecimal":         per("&#x%x;", key),
		"escapes, escaped":              per(`\\u%04x`, key),
		"UTF-16":                        wide("the key is "+key+" or so", false),
		"UTF-16, high first":            wide("the key is "+key+" or so", true),
		"UTF-16 among bytes":            "\x00\x00\x01\xff\x00" + wide("Größe "+key, false) + "\x00\x00\x00\x07",
		"UTF-16 of base64":              wide(b64("the key is "+key), false),
	} {
		n := 0
		out, _ := New(Options{}).Mask(nil, []byte(in), func(string) { n++ })
		narrow := strings.ReplaceAll(string(out), "\x00", "")
		if n != 1 || !strings.Contains(narrow, "[redacted:github_token]") || strings.Contains(narrow, key[4:20]) {
			t.Errorf("%s: %d found: %.300q", name, n, out)
		}
		if !New(Options{}).May([]byte(in)) {
			t.Errorf("%s: is not looked at", name)
		}
		if again, changed := New(Options{}).Mask(nil, out, func(string) {}); changed {
			t.Errorf("%s: becomes %.300q when masked again", name, again)
		}
	}
}

// What merely looks encoded stays as it is.
func TestNotEncoded(t *testing.T) {
	digest := strings.Repeat("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n", 40)
	noise, _ := hex.DecodeString(strings.ReplaceAll(strings.Repeat("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 300), "\n", ""))
	for name, in := range map[string]string{
		"digests": digest, "bytes": string(noise), "base64 of bytes": base64.StdEncoding.EncodeToString(noise),
		"zeros": strings.Repeat("\x00", 100_000), "bytes with zeros": strings.Repeat("\x00\x01\x02\x00\x00\x03", 2000),
		"integrity": "sha512-" + base64.StdEncoding.EncodeToString(noise[:64]), "percent": "100 % of it, 5%% and %zz", "path": `C:\users\x\01\new`,
		"UTF-16": wide("All is well with 42 of them. Größe 7.", false), "entities": "a &amp; b &#8212; c &#; &#xzz;",
	} {
		if out, changed := New(Options{}).Mask(nil, []byte(in), func(string) {}); changed || !bytes.Equal(out, []byte(in)) {
			t.Errorf("%s becomes %.300q", name, out)
		}
	}
}

// The placeholder of a secret in UTF-16 is in UTF-16, so that what is behind it stays
// what it is.
func TestWidePlaceholder(t *testing.T) {
	const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	for _, high := range []bool{false, true} {
		in, want := wide("a "+key+", b", high), wide("a [redacted:github_token], b", high)
		if out, _ := New(Options{}).Mask(nil, []byte(in), func(string) {}); string(out) != want {
			t.Errorf("%q becomes %q", in, out)
		}
	}
}
