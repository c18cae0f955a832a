package door_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/proxy/door"
)

func TestSwitch(t *testing.T) {
	say := func(era string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, era) })
	}
	served := door.Switch(say("modern"), say("legacy"))
	for _, c := range []struct{ verb, version, session, want string }{
		{"POST", "2026-07-28", "", "modern"}, {"POST", "2027-01-01", "", "modern"}, {"POST", "1900-01-01", "", "modern"},
		{"POST", "x", "s", "modern"}, {"POST", "2026-07-28", "s", "modern"},
		{"POST", "2025-11-25", "", "legacy"}, {"POST", "2025-03-26", "s", "legacy"}, {"POST", "2024-11-05", "", "legacy"},
		{"POST", "", "", "legacy"}, {"POST", "", "s", "legacy"},
		{"GET", "", "s", "legacy"}, {"DELETE", "2025-06-18", "s", "legacy"}, {"GET", "2025-11-25", "", "legacy"},
		{"GET", "", "", "modern"}, {"PUT", "", "", "modern"}, {"GET", "2026-07-28", "", "modern"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.verb, "/mcp", nil)
		if c.version != "" {
			r.Header.Set(protocol.HeaderVersion, c.version)
		}
		if c.session != "" {
			r.Header.Set(protocol.HeaderSession, c.session)
		}
		w := httptest.NewRecorder()
		served.ServeHTTP(w, r)
		if got := w.Body.String(); got != c.want {
			t.Errorf("%+v went to the %s front", c, got)
		}
	}
}
