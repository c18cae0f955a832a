package door_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"mcp-gateway/proxy/door"
)

func TestBrowsers(t *testing.T) {
	reached := false
	h := door.NewPolicy([]string{"https://app.example"}, nil).Browsers(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached = true
		w.WriteHeader(http.StatusOK)
	}))
	for name, tt := range map[string]struct {
		method, origin, asks string
		reached              bool
		allowOrigin, headers string
	}{
		"preflight of a configured origin": {"OPTIONS", "https://app.example", "authorization, mcp-method, mcp-param-region, x-evil", false,
			"https://app.example", "Authorization, Mcp-Method, Mcp-Param-Region"},
		"preflight of another origin":   {"OPTIONS", "https://evil.example", "authorization", true, "", ""},
		"a call of a configured origin": {"POST", "https://app.example", "", true, "https://app.example", ""},
		"a call of another origin":      {"POST", "https://evil.example", "", true, "", ""},
		"no browser":                    {"POST", "", "", true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			reached = false
			r := httptest.NewRequest(tt.method, "/mcp", nil)
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			if tt.asks != "" {
				r.Header.Set("Access-Control-Request-Method", "POST")
				r.Header.Set("Access-Control-Request-Headers", tt.asks)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if reached != tt.reached {
				t.Errorf("reached = %t", reached)
			}
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != tt.allowOrigin {
				t.Errorf("allowed origin %q", got)
			}
			if got := w.Header().Get("Access-Control-Allow-Headers"); got != tt.headers {
				t.Errorf("allowed headers %q", got)
			}
		})
	}
}
