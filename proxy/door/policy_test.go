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
		{"127.0.0.1:18080.evil.example", nil, false},
		{"127.0.0.1:x", nil, false},
		{"localhost:-1", nil, false},
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

// An Accept header means what RFC 9110 says, and one that says nothing takes all.
func TestTakes(t *testing.T) {
	for accept, want := range map[string]bool{
		"": true, "*/*": true, "application/*": true, "application/json": true, "Application/JSON ; charset=utf-8": true, "text/event-stream, application/json": true,
		"text/html": false, "text/event-stream": false, "application/jsonx": false, "text/*": false,
		"application/json;q=0": false, "application/json; Q=0.000": false, "application/json ;\tq = 0.0": false, "application/json;q=0, */*": false, "*/*, application/json;q=0": false,
		"application/*;q=0, */*": false, "*/*;q=0": false, "*/*;q=0, application/json": true, "application/*;q=0, application/json;q=0.1": true,
		"application/json;q=0.001": true, "application/json;q=1": true, "application/json;q=": true, "application/json;xq=0": true, "text/html;q=0, application/json": true,
	} {
		if got := door.Takes([]string{accept}, "application/json"); got != want {
			t.Errorf("%q takes JSON: %t", accept, got)
		}
	}
	if !door.Takes(nil, "application/json") || door.Takes([]string{"text/html", "application/json;q=0"}, "application/json") || !door.Takes([]string{"text/html", "application/json"}, "application/json") {
		t.Error("several lines, or none, mean something else than one")
	}
}
