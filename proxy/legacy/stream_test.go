package legacy

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/ask"
	"mcp-gateway/proxy/lifecycle"
	"mcp-gateway/proxy/sse"
)

// asking serves one exchange of a session that asks its host and answers by what
// it was told.
func asking(t *testing.T, s *session, ctx context.Context, done chan<- error) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{writer: sse.NewWriter(w, r), session: s}
		if !x.CanAsk(protocol.MethodElicit) || x.CanAsk(protocol.MethodCreateMessage) || x.CanAsk("other/method") {
			t.Error("what the host declared is not what it may be asked")
		}
		err := x.Notify(r.Context(), protocol.NotificationMessage, []byte("{\"level\":\"info\",\n\"data\":1.10}"))
		if err != nil {
			t.Error(err)
		}
		told, err := x.Ask(ctx, protocol.MethodElicit, []byte(`{"message":"?","big":9007199254740993}`))
		body := protocol.AppendResponse(nil, []byte(`"call"`), told)
		if err == nil {
			x.writer.Answer(&proxy.Call{}, proxy.Answer{Status: 200, Body: body})
		}
		x.writer.Close()
		if x.Notify(r.Context(), "late", nil) == nil {
			t.Error("an event came after the answer")
		}
		done <- err
	}))
	t.Cleanup(server.Close)
	return server
}

func declared(capabilities string) *session {
	return &session{agreed: &lifecycle.Session{Capabilities: []byte(capabilities)}, ended: make(chan struct{})}
}

// events reads the JSON values of a stream.
func events(resp *http.Response) func() string {
	lines := bufio.NewScanner(resp.Body)
	return func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
}

func get(t *testing.T, ctx context.Context, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() }) // read as far as it matters
	return resp
}

func TestAskAndNotifyOnAnOpenRequest(t *testing.T) {
	s, done := declared(`{"elicitation":{}}`), make(chan error, 1)
	next := events(get(t, t.Context(), asking(t, s, t.Context(), done).URL))
	if got, want := next(), `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info", "data":1.10}}`; got != want {
		t.Errorf("notified %s, want %s", got, want)
	}
	if got, want := next(), `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","big":9007199254740993}}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":2,"result":{"of":"nobody's"}}`, `{"jsonrpc":"2.0","id":"1","result":{"a":"text"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","n":9007199254740993}}`,
	} {
		m, err := protocol.ParseMessage([]byte(text), protocol.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		s.asks.Deliver(m)
	}
	if got, want := next(), `{"jsonrpc":"2.0","id":"call","result":{"action":"accept","n":9007199254740993}}`; got != want {
		t.Errorf("answered %s, want %s", got, want)
	}
	if err := <-done; err != nil || next() != "" {
		t.Errorf("ended by %v", err)
	}
}

func TestARefusedAsk(t *testing.T) {
	s, done := declared(`{"elicitation":{}}`), make(chan error, 1)
	next := events(get(t, t.Context(), asking(t, s, t.Context(), done).URL))
	next()
	next()
	m, err := protocol.ParseMessage([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`), protocol.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	s.asks.Deliver(m)
	var refusal *ask.Refusal
	if err := <-done; !errors.As(err, &refusal) || refusal.RPC.Code != -1 {
		t.Errorf("refused as %v", err)
	}
}

func TestAnAskThatIsGivenUpIsCancelled(t *testing.T) {
	s, done := declared(`{"elicitation":{}}`), make(chan error, 1)
	ctx, giveUp := context.WithCancel(t.Context())
	next := events(get(t, t.Context(), asking(t, s, ctx, done).URL))
	next()
	next()
	giveUp()
	if got, want := next(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`; got != want {
		t.Errorf("said %s, want %s", got, want)
	}
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended by %v", err)
	}
}

func TestAnAskEndsWithItsHost(t *testing.T) {
	s, done := declared(`{"elicitation":{}}`), make(chan error, 1)
	ctx, leave := context.WithCancel(t.Context())
	next := events(get(t, ctx, asking(t, s, context.Background(), done).URL))
	next()
	next()
	leave()
	if err := <-done; !errors.Is(err, ask.ErrGone) {
		t.Errorf("ended by %v", err)
	}
}
