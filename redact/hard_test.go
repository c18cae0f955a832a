package redact_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-gateway/redact"
)

// What is made to be hard to look through takes work that grows with its length alone:
// four times the text takes about four times the processor, and not sixteen times. What
// else this process does meanwhile is allowed for.
func TestHardTexts(t *testing.T) {
	r := redact.New(redact.Options{})
	many := func(n int, s string) string { return strings.Repeat(s, n) }
	for name, make := range map[string]func(n int) string{
		"base64 that is base64 at each letter": func(n int) string { return blocks(text("vV" + many(n/2, "VV"))) },
		"many secrets in base64":               func(n int) string { return blocks(text(many(n/60, b64(key)+" "))) },
		"many secrets behind escapes":          func(n int) string { return blocks(text(many(n/50, "%67hp_"+key[4:]+" "))) },
		"many secrets over blocks": func(n int) string {
			return blocks(strings.TrimSuffix(many(n/100, text(key[:9])+","+text(key[9:])+","), ","))
		},
		"many secrets over values": func(n int) string {
			return `{"structuredContent":[` + strings.TrimSuffix(many(n/50, `"`+key[:9]+`","`+key[9:]+`",`), ",") + `]}`
		},
		"many lines of one length": func(n int) string { return blocks(text(many(n/65, "aB"+many(62, "x")+"\n"))) },
		"percent signs":            func(n int) string { return blocks(text(many(n, "%"))) },
		"escaped escapes":          func(n int) string { return blocks(text(many(n/5, "%2525"))) },
		"names of passwords":       func(n int) string { return blocks(text(many(n/9, "password="))) },
		"names of tokens":          func(n int) string { return blocks(text(many(n/6, "token="))) },
		"beginnings of tokens":     func(n int) string { return blocks(text(many(n/3, "eyJ"))) },
		"tokens that are none":     func(n int) string { return blocks(text(many(n/8000, many(2600, "eyJ")+".eyJxxxxxxxxxx#"))) },
		"beginnings of keys": func(n int) string {
			return blocks(text(many(n/30, "-----BEGIN PRIVATE KEY-----a ")))
		},
		"zeros in base64": func(n int) string { return blocks(text("aB" + many(n, "A"))) },
	} {
		grows := func(n int) time.Duration {
			in := []byte(make(n))
			began := processor(t)
			if _, err := r.Result(in); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return processor(t) - began
		}
		small, large := grows(100_000), grows(400_000)
		if large > 10*small+allowance {
			t.Errorf("%s: 100 KB take %v of a processor, 400 KB %v", name, small, large)
		}
	}
}

const allowance = time.Second

// processor is the time that processors gave to this process.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
