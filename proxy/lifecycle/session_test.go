package lifecycle_test

import (
	"errors"
	"fmt"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/lifecycle"
)

func Example() {
	s, err := lifecycle.Negotiate([]byte(`{"protocolVersion":"2024-11-05","capabilities":{"roots":{}}}`))
	fmt.Println(s.Revision, s.Answers("roots/list"), s.Answers("elicitation/create"), err)
	// Output: 2025-11-25 true false <nil>
}

func TestCapabilitiesAreObjects(t *testing.T) {
	s, err := lifecycle.Negotiate([]byte(`{"protocolVersion":"2025-06-18","capabilities":{"sampling":null,"elicitation":{"url":{}},"roots":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]bool{
		"elicitation/create": true, "sampling/createMessage": false, "roots/list": false, "ping": true, "tools/call": false, "": false,
	} {
		if s.Answers(method) != want {
			t.Errorf("answers %q: %v", method, !want)
		}
	}
	if s.LogLevel() != "" {
		t.Errorf("level %q before any was asked for", s.LogLevel())
	}
	if s.SetLogLevel("error"); s.LogLevel() != "error" {
		t.Errorf("level %q", s.LogLevel())
	}
}

func TestWhatIsNoInitialize(t *testing.T) {
	for _, params := range []string{``, `{}`, `{"protocolVersion":"2025-11-25"}`, `{"protocolVersion":"2025-11-25","capabilities":[]}`, `{"protocolVersion":null,"capabilities":{}}`} {
		_, err := lifecycle.Negotiate([]byte(params))
		var e *gateway.Error
		if !errors.As(err, &e) || e.Code != gateway.CodeInvalidParams {
			t.Errorf("%s: %v", params, err)
		}
	}
}
