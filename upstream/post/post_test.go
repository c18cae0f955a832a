package post

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/gateway"
)

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "-1": 0, "soon": 0, "Wed, 21 Oct 2026 07:28:00 GMT": 0,
		"999999": longestRetryAfter, "9223372036854775807": longestRetryAfter, "99999999999999999999": 0,
	} {
		if got := retryAfter(value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestUploadTellsWhetherItWasTouched(t *testing.T) {
	for name, use := range map[string]func(u *upload){
		"read":     func(u *upload) { _, _ = u.Read(make([]byte, 1)) },
		"write to": func(u *upload) { _, _ = u.WriteTo(io.Discard) },
	} {
		var touched atomic.Bool
		u := &upload{touched: &touched}
		u.Reset([]byte("body"))
		if touched.Load() {
			t.Errorf("%s: touched before", name)
		}
		if use(u); !touched.Load() {
			t.Errorf("%s: not touched", name)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, url := range []string{"", "ftp://x/", "http:///path", "://", "x"} {
		if _, err := New(Options{URL: url, Client: http.DefaultClient}); err == nil {
			t.Errorf("%q was accepted", url)
		}
	}
	if _, err := New(Options{URL: "http://x/"}); err == nil {
		t.Error("no client was accepted")
	}
	s, err := New(Options{URL: "http://user:secret@x/#f", Client: http.DefaultClient})
	if err != nil || s.url.String() != "http://x/" {
		t.Errorf("%v %v", s.url, err)
	}
}

func TestEveryStatusHasAnError(t *testing.T) {
	for code := 300; code < 600; code++ {
		e := Status(&http.Response{StatusCode: code, Header: http.Header{}})
		if len(e.Reasons) != 1 || e.Code != gateway.CodeUnavailable && e.Code != gateway.CodeExecutionError {
			t.Errorf("%d: %v", code, e)
		}
	}
}
