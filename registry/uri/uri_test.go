package uri_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcp-gateway/registry/uri"
)

func TestNormalize(t *testing.T) {
	for raw, want := range map[string]string{
		"runbook://payments/current": "runbook://payments/current",
		"HTTP://User@Example.COM/A":  "http://User@example.com/A",
		"file:///a%7eb":              "file:///a~b",
		"file:///a%c3%a9":            "file:///a%C3%A9",
		"test://x?q=1#f":             "test://x?q=1#f",
		"urn:a:b":                    "urn:a:b",
		"file:///a..b/.c":            "file:///a..b/.c",
	} {
		if got, err := uri.Normalize(raw); err != nil || got != want {
			t.Errorf("Normalize(%q) = %q, %v; want %q", raw, got, err, want)
		}
	}
}

func TestNormalizeRefuses(t *testing.T) {
	for raw, want := range map[string]error{
		"":                              uri.ErrNoScheme,
		"/etc/passwd":                   uri.ErrNoScheme,
		"1a:b":                          uri.ErrNoScheme,
		"file:///a/../etc/passwd":       uri.ErrSegment,
		"file:///a/./b":                 uri.ErrSegment,
		"file:///a/..":                  uri.ErrSegment,
		"file:///a/%2e%2e/b":            uri.ErrSegment,
		"file:///a%2fb":                 uri.ErrSegment,
		"file:///a%5cb":                 uri.ErrSegment,
		"file:///a%252e":                uri.ErrSegment,
		`file:///a\b`:                   uri.ErrCharacter,
		"file:///a b":                   uri.ErrCharacter,
		"file:///a\nb":                  uri.ErrCharacter,
		"file:///a%00":                  uri.ErrCharacter,
		"file:///a%0d%0a":               uri.ErrCharacter,
		"file:///a%zz":                  uri.ErrEscape,
		"file:///%C0%AE%C0%AE/etc":      uri.ErrCharacter,
		"file:///%C3":                   uri.ErrCharacter,
		"file:///a\xffb":                uri.ErrCharacter,
		"file:///%E2%80%8B../etc":       uri.ErrCharacter,
		"file:///\u200b../etc":          uri.ErrCharacter,
		"file:///\uff0e\uff0e/etc":      uri.ErrSegment,
		"file:///%EF%BC%8E%EF%BC%8E/x":  uri.ErrSegment,
		"file:///a\uff0fb":              uri.ErrSegment,
		"file:///a/..;/etc":             uri.ErrSegment,
		"file:///a/..;x=1/etc":          uri.ErrSegment,
		"file:///a/..%3b/etc":           uri.ErrSegment,
		"file:///a%4":                   uri.ErrEscape,
		"x:" + strings.Repeat("a", 9e3): uri.ErrTooLong,
	} {
		if got, err := uri.Normalize(raw); !errors.Is(err, want) {
			t.Errorf("Normalize(%.40q) = %q, %v; want %v", raw, got, err, want)
		}
	}
}

func TestTemplate(t *testing.T) {
	for _, tt := range []struct {
		template, uri string
		ok            bool
	}{
		{"test://template/{id}/data", "test://template/123/data", true},
		{"test://template/{id}/data", "test://template//data", false},
		{"res://{host}/x", "res://a.b/x", true},
		{"res://{host}/x", "res://evil@h/x", false},
		{"res://{host}/x", "res://a:1/x", false},
		{"test://template/{id}/data", "test://template/1/2/data", false},
		{"test://template/{id}/data", "test://template/1/data/more", false},
		{"file:///{+path}", "file:///a/b/c", true},
		{"file:///{path}", "file:///a/b/c", false},
		{"doc://h/tree/{+path}", "doc://h/tree/etc", true},
		{"doc://h/tree/{+path}", "doc://h/tree//etc", false},
		{"doc://{+path}", "doc:///etc", false},
		{"file://{+path}", "file:///etc", true},
		{"doc://h{+path}", "doc://h/etc", true},
		{"a.b:{x}", "aXb:1", false},
		{"test://{x}", "test://a?q", false},
	} {
		tpl, err := uri.ParseTemplate(tt.template)
		if err != nil {
			t.Errorf("ParseTemplate(%q): %v", tt.template, err)
			continue
		}
		if got := tpl.Matches(tt.uri); got != tt.ok {
			t.Errorf("%q matches %q = %t, want %t", tt.template, tt.uri, got, tt.ok)
		}
	}
	for _, bad := range []string{"no-scheme/{x}", "t://{?q}", "t://{a,b}", "t://{x", "t://{}", "t://../{x}", "T://{x}"} {
		if _, err := uri.ParseTemplate(bad); err == nil {
			t.Errorf("ParseTemplate(%q) is accepted", bad)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{"file:///a/%2e", "HTTP://X/y", "urn:a", "a:%41"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		once, err := uri.Normalize(raw)
		if err != nil {
			return
		}
		if twice, err := uri.Normalize(once); err != nil || twice != once {
			t.Errorf("%q: normal form %q becomes %q, %v", raw, once, twice, err)
		}
	})
}

func FuzzTemplate(f *testing.F) {
	f.Add("test://{id}", "test://1")
	f.Fuzz(func(t *testing.T, template, candidate string) {
		if tpl, err := uri.ParseTemplate(template); err == nil {
			tpl.Matches(candidate)
		}
	})
}

func Example() {
	normal, _ := uri.Normalize("RUNBOOK://Payments/current")
	template, _ := uri.ParseTemplate("runbook://{service}/current")
	fmt.Println(normal, template.Matches(normal))
	// Output: runbook://payments/current true
}
