package relay_test

import (
	"context"
	"reflect"
	"testing"

	"mcp-gateway/proxy/relay"
	"mcp-gateway/redact"
)

// host is a stream that keeps what it is told, once it is let.
type host struct {
	let  chan struct{}
	said []string
}

func (h *host) Notify(_ context.Context, method string, params []byte) error {
	<-h.let
	h.said = append(h.said, method+" "+string(params))
	return nil
}

func (h *host) Ask(context.Context, string, []byte) ([]byte, error) { return nil, context.Canceled }

func (h *host) CanAsk(string) bool { return false }

func heard(t *testing.T, w relay.Wish, say func(r *relay.Relay)) []string {
	t.Helper()
	h := &host{let: make(chan struct{})}
	close(h.let)
	r := relay.Open(t.Context(), h, redact.New(redact.Options{}), w)
	say(r)
	r.Close()
	say(r) // too late: it is dropped
	r.Close()
	return h.said
}

func TestProgress(t *testing.T) {
	got := heard(t, relay.Wish{Progress: []byte(`9007199254740993`)}, func(r *relay.Relay) {
		for _, p := range []string{
			`{"progress":1}`, `{"progress":1}`, `{"progress":0.5}`, `{"progress":"2"}`, `{"progress":1e400}`, `{}`,
			`{"progress":1.50,"total":2,"message":"half\u200b","x":{"y":1e2}}`,
		} {
			r.Notify("notifications/progress", []byte(p))
		}
		r.Notify("notifications/message", []byte(`{"level":"error","data":1}`))
		r.Notify("notifications/progress", nil)
		r.Notify("notifications/tools/list_changed", []byte(`{}`))
	})
	want := []string{
		`notifications/progress {"progressToken":9007199254740993,"progress":1}`,
		`notifications/progress {"progressToken":9007199254740993,"progress":1.50,"total":2,"message":"half","x":{"y":1e2}}`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

func TestMessages(t *testing.T) {
	got := heard(t, relay.Wish{LogLevel: "warning"}, func(r *relay.Relay) {
		for _, p := range []string{
			`{"level":"info","data":1}`, `{"level":"loud","data":1}`, `{"data":1}`, `{"level":"warning","data":{"k":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}}`,
		} {
			r.Notify("notifications/message", []byte(p))
		}
		r.Notify("notifications/progress", []byte(`{"progress":1}`))
	})
	want := []string{`notifications/message {"level":"warning","data":{"k":"[redacted:github_token]"}}`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

func TestWhoWantsNothingHearsNothing(t *testing.T) {
	for _, r := range []*relay.Relay{
		relay.Open(t.Context(), &host{}, nil, relay.Wish{}),
		relay.Open(t.Context(), nil, nil, relay.Wish{LogLevel: "debug"}),
	} {
		if r != nil {
			t.Error("a relay for nobody")
		}
		r.Notify("notifications/progress", []byte(`{"progress":1}`))
		r.Close()
	}
}

// A host that reads slowly loses notifications; the upstream is never held up.
func TestNotifyDoesNotWait(t *testing.T) {
	h := &host{let: make(chan struct{})}
	r := relay.Open(t.Context(), h, redact.New(redact.Options{}), relay.Wish{LogLevel: "debug"})
	params := []byte(`{"level":"info","data":1}`)
	for range 1000 {
		r.Notify("notifications/message", params)
	}
	close(h.let)
	r.Close()
	if n := len(h.said); n == 0 || n == 1000 {
		t.Errorf("%d were passed on", n)
	}
}
