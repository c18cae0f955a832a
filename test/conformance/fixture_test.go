package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-gateway/protocol"
)

func TestByEra(t *testing.T) {
	echo := func(era string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_, _ = io.WriteString(w, era+" "+string(body))
		})
	}
	server := byEra(echo("modern"), echo("legacy"))
	for name, tc := range map[string]struct {
		method, body string
		header       http.Header
		want         string
	}{
		"version header":      {"POST", "{}", http.Header{protocol.HeaderVersion: {"2026-07-28"}}, "modern"},
		"older version":       {"POST", "{}", http.Header{protocol.HeaderVersion: {"2025-11-25"}}, "legacy"},
		"method header":       {"POST", "{}", http.Header{protocol.HeaderMethod: {"tools/list"}}, "modern"},
		"version in the body": {"POST", `{"params":{"_meta":{"` + protocol.MetaVersion + `":"2026-07-28"}}}`, nil, "modern"},
		"plain":               {"POST", `{"method":"initialize"}`, nil, "legacy"},
		"no JSON":             {"POST", "[", nil, "legacy"},
		"session":             {"POST", "{}", http.Header{protocol.HeaderVersion: {"2026-07-28"}, "Mcp-Session-Id": {"s"}}, "legacy"},
		"stream":              {"GET", "", http.Header{protocol.HeaderVersion: {"2026-07-28"}}, "legacy"},
	} {
		r := httptest.NewRequest(tc.method, "/mcp", strings.NewReader(tc.body))
		for name, values := range tc.header {
			r.Header.Set(name, values[0])
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if got := w.Body.String(); got != tc.want+" "+tc.body {
			t.Errorf("%s: %q", name, got)
		}
	}
}
