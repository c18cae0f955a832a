package door_test

import (
	"errors"
	"net/http"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/door"
)

func TestAdmit(t *testing.T) {
	policy := door.NewPolicy([]string{"https://app.example"}, []string{"gw.example"})
	for _, tc := range []struct {
		host   string
		header http.Header
		admits bool
	}{
		{"127.0.0.1:8080", nil, true},
		{"localhost:8080", nil, true},
		{"[::1]:8080", nil, true},
		{"gw.example", nil, true},
		{"evil.example", nil, false},
		{"127.0.0.1.evil.example", nil, false},

		{"127.0.0.1:8080", http.Header{"Origin": {"https://app.example"}}, true},
		{"127.0.0.1:8080", http.Header{"Origin": {"https://evil.example"}}, false},
		{"127.0.0.1:8080", http.Header{"Origin": {"null"}}, false},
		{"127.0.0.1:8080", http.Header{"Origin": {""}}, false},
		{"127.0.0.1:8080", http.Header{"Origin": {"https://app.example", "https://app.example"}}, false},

		// What the gateway itself serves may call it; what another port serves may not.
		{"127.0.0.1:8080", http.Header{"Origin": {"http://127.0.0.1:8080"}}, true},
		{"LocalHost:8080", http.Header{"Origin": {"http://localhost:8080"}}, true},
		{"gw.example", http.Header{"Origin": {"https://gw.example"}}, true},
		{"127.0.0.1:8080", http.Header{"Origin": {"http://127.0.0.1:9999"}}, false},
		{"127.0.0.1:8080", http.Header{"Origin": {"http://localhost:8080"}}, false},
		{"127.0.0.1:8080", http.Header{"Origin": {"file://127.0.0.1:8080"}}, false},
		{"127.0.0.1:8080", http.Header{"Origin": {"127.0.0.1:8080"}}, false},
		{"evil.example", http.Header{"Origin": {"http://evil.example"}}, false},

		{"127.0.0.1:8080", http.Header{"Sec-Fetch-Site": {"cross-site"}}, false},
		{"127.0.0.1:8080", http.Header{"Sec-Fetch-Site": {"same-site"}}, false},
		{"127.0.0.1:8080", http.Header{"Sec-Fetch-Site": {"same-origin"}}, true},
	} {
		err := policy.Admit(&proxy.Call{Arrival: proxy.Arrival{Host: tc.host, Header: tc.header}})
		var e *gateway.Error
		if tc.admits && err != nil || !tc.admits && (!errors.As(err, &e) || e.Code != gateway.CodeForbiddenOrigin) {
			t.Errorf("host %s, %v: %v", tc.host, tc.header, err)
		}
	}
}
