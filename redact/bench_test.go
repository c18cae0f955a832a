package redact_test

import (
	"bytes"
	"strings"
	"testing"

	"mcp-gateway/redact"
)

const small = `{"content":[{"type":"text","text":"payments: error rate 0.182 over five minutes, checkout failures 0.21, evidence status-payments-0001"}],` +
	`"structuredContent":{"service":"payments","window_minutes":5,"error_rate":0.182,"checkout_failure":0.21,"evidence":"status-payments-0001"},"isError":false}`

const prose = "The service answered within its budget; 4 of 5 checks passed, one is pending.\n"

func result2(text string) []byte {
	return []byte(`{"content":[{"type":"text","text":"` + strings.ReplaceAll(text, "\n", `\n`) + `"}]}`)
}

func BenchmarkResult(b *testing.B) {
	secret := "token ghp_0123456789abcdefghijABCDEFGHIJ012345 and \x1b[31mred\x1b[0m \u200b"
	quoted := strings.NewReplacer("\x1b", `\u001b`, "\n", `\n`).Replace
	for _, bm := range []struct {
		name string
		raw  []byte
	}{
		{"small", []byte(small)},
		{"1KB", result2(strings.Repeat(prose, 13))},
		{"100KB", result2(strings.Repeat(prose, 1300))},
		{"100KB-no-escapes", result2(strings.ReplaceAll(strings.Repeat(prose, 1300), "\n", " "))},
		{"100KB-hostile", result2(quoted(strings.Repeat(secret, 1300)))},
		{"100KB-many-hits", result2(strings.Repeat("password secret token://eyJ.eyJ -----BEGIN ", 2400))},
	} {
		b.Run(bm.name, func(b *testing.B) {
			r := redact.New(redact.Options{})
			b.ReportAllocs()
			b.SetBytes(int64(len(bm.raw)))
			for b.Loop() {
				if _, err := r.Result(bm.raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	r := redact.New(redact.Options{})
	line := "2026-09-01T00:00:00Z INFO payments: started worker 4 on port 8080"
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		r.Text(line)
	}
}

func BenchmarkDefinition(b *testing.B) {
	r := redact.New(redact.Options{})
	raw := bytes.ReplaceAll([]byte(`{"name":"t","description":"D","inputSchema":{"type":"object","properties":{"a":{"type":"string","description":"D"}}}}`),
		[]byte("D"), []byte(strings.Repeat("A tool that does things. ", 20)))
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, _, err := r.Definition(raw); err != nil {
			b.Fatal(err)
		}
	}
}
