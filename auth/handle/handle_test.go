package handle_test

import (
	"path/filepath"
	"testing"
	"time"

	"mcp-gateway/auth/handle"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

func TestJudge(t *testing.T) {
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	later, over := now.Add(time.Minute), now.Add(-time.Minute)
	for name, tc := range map[string]struct {
		held []handle.Bound
		must bool
		want gateway.Reason
	}{
		"a text that is no handle":      {nil, false, ""},
		"a text where a handle must be": {nil, true, gateway.ReasonHandleUnknown},
		"mine":                          {[]handle.Bound{{Holder: "me", Until: later}}, true, ""},
		"mine and another's":            {[]handle.Bound{{Holder: "you", Until: later}, {Holder: "me", Until: later}}, false, ""},
		"another's":                     {[]handle.Bound{{Holder: "you", Until: later}}, false, gateway.ReasonHandleForeign},
		"another's, over":               {[]handle.Bound{{Holder: "you", Until: over}}, false, gateway.ReasonHandleForeign},
		"mine, over":                    {[]handle.Bound{{Holder: "me", Until: over}, {Holder: "you", Until: later}}, false, gateway.ReasonHandleExpired},
		"mine, to the moment":           {[]handle.Bound{{Holder: "me", Until: now}}, false, gateway.ReasonHandleExpired},
	} {
		if got := handle.Judge(tc.held, "me", now, tc.must); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestKey(t *testing.T) {
	keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	a := handle.Key(keys, "tracker", "cursor-1")
	if a != handle.Key(keys, "tracker", "cursor-1") || a == handle.Key(keys, "other", "cursor-1") || a == handle.Key(keys, "tracker", "cursor-2") || len(a) != 32 {
		t.Error(a)
	}
}
