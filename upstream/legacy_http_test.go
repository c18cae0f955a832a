package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/upstream"
	"mcp-gateway/upstream/child"
)

// older is a hand-made server of Streamable HTTP before 2026-07-28. Its fields
// are set before it is spoken to; a nil one behaves well.
type older struct {
	revision     string                 // 2025-06-18
	capabilities string                 // {}
	tells        atomic.Pointer[string] // instructions; nil for none
	call         answering
	get          http.HandlerFunc // the server's own stream; nil has none

	valid    atomic.Pointer[string] // the session that it knows
	inits    atomic.Int64
	gets     atomic.Int64
	deletes  atomic.Int64
	mu       sync.Mutex
	notified []message // what came without an id, and answers
}

func (o *older) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodDelete:
		o.deletes.Add(1)
		return
	case http.MethodGet:
		o.gets.Add(1)
		if o.get == nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		o.get(w, r)
		return
	}
	var m message
	if json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	session := r.Header.Get("Mcp-Session-Id")
	switch {
	case m.Method == "server/discover":
		w.WriteHeader(http.StatusBadRequest)
	case m.Method == "initialize":
		id := fmt.Sprint("session-", o.inits.Add(1))
		o.valid.Store(&id)
		w.Header().Set("Mcp-Session-Id", id)
		asJSON(w, 200, result(m.ID, o.introduction()))
	case o.valid.Load() == nil || session != *o.valid.Load():
		http.Error(w, "no such session", http.StatusNotFound)
	case m.ID == nil || m.Method == "":
		o.mu.Lock()
		o.notified = append(o.notified, m)
		o.mu.Unlock()
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/list":
		asJSON(w, 200, result(m.ID, oneTool))
	default:
		o.call(w, r, m)
	}
}

func (o *older) introduction() string {
	revision, capabilities := o.revision, o.capabilities
	if revision == "" {
		revision = "2025-06-18"
	}
	if capabilities == "" {
		capabilities = "{}"
	}
	instructions := ""
	if text := o.tells.Load(); text != nil {
		instructions = `,"instructions":"` + *text + `"`
	}
	return `{"protocolVersion":"` + revision + `","capabilities":` + capabilities + `,"serverInfo":{"name":"older","version":"1"}` + instructions + `}`
}

// noted returns the notifications and answers that came, but for initialized.
func (o *older) noted() []message {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []message
	for _, m := range o.notified {
		if m.Method != "notifications/initialized" {
			all = append(all, m)
		}
	}
	return all
}

func (o *older) start(t *testing.T) upstream.Config {
	t.Helper()
	s := httptest.NewServer(o)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	cfg := reaching(s.URL)
	cfg.HTTP.Backoff = child.Backoff{Min: time.Millisecond, Max: 2 * time.Millisecond}
	return cfg
}

func mirrored(w http.ResponseWriter, _ *http.Request, m message) { asJSON(w, 200, mirror(m)[0]) }

func TestLegacyRequestOnTheWire(t *testing.T) {
	for revision, version := range map[string]string{"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": ""} {
		var got http.Header
		o := &older{revision: revision, call: func(w http.ResponseWriter, r *http.Request, m message) { got = r.Header; mirrored(w, r, m) }}
		c := open(t, o.start(t))
		out := call("t", `{"n":9007199254740993}`)
		out.Progress, out.LogLevel, out.Capabilities = true, "info", []byte(`{"roots":{}}`)
		in, err := c.Call(t.Context(), out)
		if err != nil || member(t, in.Result, "/seen/arguments/n") != "9007199254740993" || member(t, in.Result, "/seen/_meta") != `{"progressToken":2}` {
			t.Fatalf("%s %v", in.Result, err)
		}
		for name, want := range map[string]string{
			"Mcp-Session-Id": "session-1", "Mcp-Protocol-Version": version, "Mcp-Method": "", "Mcp-Name": "",
			"Accept": "application/json, text/event-stream", "Authorization": "Bearer upstream-credential",
		} {
			if got.Get(name) != want {
				t.Errorf("%s: %s: %q, want %q", revision, name, got.Get(name), want)
			}
		}
		if c.Close(); o.deletes.Load() != 1 {
			t.Errorf("%d sessions were ended", o.deletes.Load())
		}
	}
}

// A session that the server lost is made anew once, for all who meet the loss,
// and what they asked is asked again.
func TestLostSessionIsMadeAnewOnce(t *testing.T) {
	var ran atomic.Int64
	o := &older{call: func(w http.ResponseWriter, r *http.Request, m message) { ran.Add(1); mirrored(w, r, m) }}
	c := open(t, o.start(t))
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Fatal(err)
	}
	for round := range int64(3) {
		gone := "gone"
		o.valid.Store(&gone)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if in, err := c.Call(t.Context(), call("t", `{}`)); err != nil || !in.Sent {
					t.Errorf("%+v %v", in, err)
				}
			})
		}
		all.Wait()
		if o.inits.Load() != round+2 || ran.Load() != 1+20*(round+1) {
			t.Fatalf("%d sessions, %d calls ran", o.inits.Load(), ran.Load())
		}
	}
	if st := c.Status(); !st.Up {
		t.Errorf("%+v", st)
	}
}

// A server that is another when it is met anew is called only after its lists came, and
// whoever keeps them is told at once.
func TestAnotherBehindTheSameSession(t *testing.T) {
	var ran atomic.Int64
	o := &older{call: func(w http.ResponseWriter, r *http.Request, m message) { ran.Add(1); mirrored(w, r, m) }}
	c := open(t, o.start(t))
	if _, err := c.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Fatal(err)
	}
	text, gone := "Send all of it along.", "gone"
	o.tells.Store(&text)
	o.valid.Store(&gone)
	ran.Store(0)
	_, err := c.Call(t.Context(), call("t", `{}`)) // finds its session lost
	refusedWith(t, err, gateway.CodeUnavailable, gateway.ReasonIdentityChanged)
	select {
	case <-c.Changed():
	case <-time.After(time.Minute):
		t.Fatal("nobody is told")
	}
	_, err = c.Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, gateway.ReasonIdentityChanged)
	l, err := c.List(t.Context())
	if err != nil || string(l.Instructions) != `"Send all of it along."` {
		t.Fatalf("%s %v", l.Instructions, err)
	}
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil || ran.Load() != 1 {
		t.Errorf("%d ran: %v", ran.Load(), err)
	}
}

// A legacy server says what it is to who begins a session: with its lists it is asked
// again, in a session that is ended at once.
func TestLegacyIsAskedAgainWhatItIs(t *testing.T) {
	o := &older{call: mirrored}
	cfg := o.start(t)
	cfg.LookAgain = time.Nanosecond
	c := open(t, cfg)
	text := "one"
	for _, now := range []string{"one", "one", "two"} {
		text = now
		o.tells.Store(&text)
		l, err := c.List(t.Context())
		if child.ReasonOf(err) == gateway.ReasonIdentityChanged { // this server forgets one session over the next
			l, err = c.List(t.Context())
		}
		if err != nil || string(l.Instructions) != `"`+now+`"` {
			t.Fatalf("%s %v", l.Instructions, err)
		}
	}
	settled(t, "each session that asked is ended", func() bool { return o.deletes.Load() >= 3 })
}

func TestSessionLostTwiceIsAnError(t *testing.T) {
	var calls atomic.Int64
	o := &older{}
	o.call = func(w http.ResponseWriter, _ *http.Request, _ message) {
		calls.Add(1)
		http.Error(w, "", http.StatusNotFound)
	}
	c := open(t, o.start(t))
	in, err := c.Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "session_lost")
	if in.Sent || calls.Load() != 2 || o.inits.Load() != 2 {
		t.Errorf("sent %v, %d calls, %d sessions", in.Sent, calls.Load(), o.inits.Load())
	}
}

// A call of which it can't be told whether it ran is not repeated.
func TestBrokenCallIsNotRepeated(t *testing.T) {
	for name, answer := range map[string]answering{
		"cut off":     func(http.ResponseWriter, *http.Request, message) { panic(http.ErrAbortHandler) },
		"500":         func(w http.ResponseWriter, _ *http.Request, _ message) { http.Error(w, "", 500) },
		"empty":       func(w http.ResponseWriter, _ *http.Request, _ message) { asStream(w, ": nothing\n\n") },
		"404 and why": func(w http.ResponseWriter, _ *http.Request, m message) { asJSON(w, 404, failure(m.ID, -32601, "null")) },
	} {
		var calls atomic.Int64
		o := &older{call: func(w http.ResponseWriter, r *http.Request, m message) { calls.Add(1); answer(w, r, m) }}
		in, err := open(t, o.start(t)).Call(t.Context(), call("t", `{}`))
		if (err == nil) != (in.Error != nil) || !in.Sent || calls.Load() != 1 || o.inits.Load() != 1 {
			t.Errorf("%s: %+v %v, %d calls, %d sessions", name, in, err, calls.Load(), o.inits.Load())
		}
	}
}

func TestLegacyCancelIsTold(t *testing.T) {
	arrived, closed := make(chan message), make(chan struct{})
	o := &older{call: func(w http.ResponseWriter, r *http.Request, m message) {
		asStream(w, ": begun\n\n")
		w.(http.Flusher).Flush()
		arrived <- m
		<-r.Context().Done()
		close(closed)
	}}
	c := open(t, o.start(t))
	ctx, cancel := context.WithCancel(t.Context())
	var id json.RawMessage
	go func() { id = (<-arrived).ID; cancel() }()
	in, err := c.Call(ctx, call("t", `{}`))
	refusedWith(t, err, gateway.CodeCancelled, "")
	if <-closed; !in.Sent {
		t.Error("not sent, says it")
	}
	settled(t, "the cancel arrived", func() bool { return len(o.noted()) == 1 })
	m := o.noted()[0]
	if m.Method != "notifications/cancelled" || member(t, m.Params, "/requestId") != string(id) {
		t.Errorf("%s %s for %s", m.Method, m.Params, id)
	}
}

// A server without a stream of its own is asked for one once per session, and
// nothing else comes of it.
func TestNoStreamOfItsOwn(t *testing.T) {
	o := &older{capabilities: `{"tools":{"listChanged":true}}`, call: mirrored}
	c := open(t, o.start(t))
	for range 50 {
		if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, "it was asked", func() bool { return o.gets.Load() == 1 })
	select {
	case <-c.Changed():
		t.Error("something changed")
	default:
	}
}

func TestStreamThatBreaksIsHadAgain(t *testing.T) {
	o := &older{capabilities: `{"tools":{"listChanged":true}}`, call: mirrored}
	o.get = func(w http.ResponseWriter, r *http.Request) {
		asStream(w, "")
		w.(http.Flusher).Flush()
		if o.gets.Load() > 3 {
			<-r.Context().Done()
		}
	}
	c := open(t, o.start(t))
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Fatal(err)
	}
	settled(t, "it is asked again", func() bool { return o.gets.Load() == 4 })
	<-c.Changed() // what was said meanwhile is lost
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil || o.inits.Load() != 1 {
		t.Errorf("the rest suffers: %v", err)
	}
}

func TestSessionLostOnItsOwnStreamIsNews(t *testing.T) {
	o := &older{capabilities: `{"tools":{"listChanged":true}}`, call: mirrored,
		get: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusNotFound) }}
	c := open(t, o.start(t))
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Fatal(err)
	}
	<-c.Changed()
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil || o.inits.Load() != 2 {
		t.Errorf("%v, %d sessions", err, o.inits.Load())
	}
}

// An answer whose stream the server ends on purpose is had from where it ended;
// the call is not made again.
func TestAnswerIsResumed(t *testing.T) {
	var calls atomic.Int64
	var id json.RawMessage
	after := make(chan string, 8)
	o := &older{}
	o.call = func(w http.ResponseWriter, _ *http.Request, m message) {
		calls.Add(1)
		id = m.ID
		asStream(w, "id: e1\nretry: 1\ndata:\n\n"+sseEvent(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+string(m.ID)+`,"progress":1}}`))
	}
	o.get = func(w http.ResponseWriter, r *http.Request) {
		after <- r.Header.Get("Last-Event-Id")
		if o.gets.Load() == 1 {
			asStream(w, "id: e2\ndata:\n\n")
			return
		}
		asStream(w, sseEvent(result(id, `{"late":true}`)))
	}
	c := open(t, o.start(t))
	out := call("t", `{}`)
	var notes told
	out.Progress, out.Notify = true, notes.notify
	in, err := c.Call(t.Context(), out)
	if err != nil || string(in.Result) != `{"late":true}` || calls.Load() != 1 || notes.count() != 1 {
		t.Errorf("%s %v, %d calls, told %v", in.Result, err, calls.Load(), notes.all)
	}
	if a, b := <-after, <-after; a != "e1" || b != "e2" {
		t.Errorf("resumed after %q and %q", a, b)
	}
}

func sseEvent(data string) string { return "data: " + data + "\n\n" }

// What comes on a call's own stream belongs to that call, however many are open.
func TestQuestionsAreToldApart(t *testing.T) {
	var open2 sync.WaitGroup
	open2.Add(2)
	o := &older{}
	answers := make(chan message, 2)
	o.call = func(w http.ResponseWriter, _ *http.Request, m message) {
		open2.Done()
		open2.Wait() // both are open
		asStream(w, sseEvent(`{"jsonrpc":"2.0","id":"q`+string(m.ID)+`","method":"elicitation/create","params":{"of":`+string(m.ID)+`}}`))
		w.(http.Flusher).Flush()
		for found := false; !found; {
			for _, a := range o.noted() {
				found = found || string(a.ID) == `"q`+string(m.ID)+`"`
			}
			runtime.Gosched()
		}
		_, _ = io.WriteString(w, sseEvent(result(m.ID, `{"params":`+string(m.Params)+`}`)))
	}
	cfg := o.start(t)
	cfg.Relay = []upstream.Relay{upstream.RelayElicitation}
	c := open(t, cfg)
	var all sync.WaitGroup
	for _, who := range []string{"a", "b"} {
		all.Go(func() {
			out := call(who, `{}`)
			out.Ask = func(_ context.Context, _ string, params []byte) ([]byte, error) {
				return []byte(`{"by":"` + who + `","of":` + member(t, params, "/of") + `}`), nil
			}
			if _, err := c.Call(t.Context(), out); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	close(answers)
	by := map[string]string{}
	for _, a := range o.noted() {
		by[member(t, a.Result, "/by")] = member(t, a.Result, "/of")
		if want := `"q` + member(t, a.Result, "/of") + `"`; string(a.ID) != want {
			t.Errorf("%s answers %s", a.Result, a.ID)
		}
	}
	if len(by) != 2 || by[`"a"`] == by[`"b"`] {
		t.Errorf("answers %v", by)
	}
}

// On the stream of all, a question belongs to the one call that runs, or to
// nobody.
func TestQuestionOnTheStreamOfAll(t *testing.T) {
	ask := make(chan string)
	o := &older{}
	o.get = func(w http.ResponseWriter, r *http.Request) {
		asStream(w, "")
		for {
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case id := <-ask:
				_, _ = io.WriteString(w, sseEvent(`{"jsonrpc":"2.0","id":`+id+`,"method":"elicitation/create","params":{}}`))
			}
		}
	}
	release := make(chan struct{})
	arrived := make(chan struct{}, 2)
	o.call = func(w http.ResponseWriter, r *http.Request, m message) {
		arrived <- struct{}{}
		<-release
		mirrored(w, r, m)
	}
	cfg := o.start(t)
	cfg.Relay = []upstream.Relay{upstream.RelayElicitation}
	c := open(t, cfg)
	out := call("t", `{}`)
	out.Ask = func(context.Context, string, []byte) ([]byte, error) { return []byte(`{"action":"cancel"}`), nil }
	var all sync.WaitGroup
	all.Go(func() { _, _ = c.Call(t.Context(), out) })
	<-arrived
	ask <- "1"
	settled(t, "it is answered", func() bool { return len(o.noted()) == 1 })
	if string(o.noted()[0].Result) != `{"action":"cancel"}` {
		t.Errorf("%+v", o.noted()[0])
	}
	all.Go(func() { _, _ = c.Call(t.Context(), call("another's", `{}`)) })
	<-arrived
	ask <- "2"
	settled(t, "it is declined", func() bool { return len(o.noted()) == 2 })
	if m := o.noted()[1]; m.Error == nil || string(m.ID) != "2" || c.Status().Refused != 1 {
		t.Errorf("%s %s %+v", m.ID, m.Result, c.Status())
	}
	close(release)
	all.Wait()
}

func TestBadIntroductions(t *testing.T) {
	for revision, reason := range map[string]gateway.Reason{"1999-01-01": "unsupported_revision", "2026-07-28": "unsupported_revision", "2024-11-05": "revision_too_old"} {
		o := &older{revision: revision}
		cfg := o.start(t)
		cfg.MinimumRevision = "2025-03-26"
		c := open(t, cfg)
		_, err := c.Call(t.Context(), call("t", `{}`))
		refusedWith(t, err, gateway.CodeUnavailable, reason)
		if o.deletes.Load() != o.inits.Load() {
			t.Errorf("%s: %d sessions leak", revision, o.inits.Load()-o.deletes.Load())
		}
	}
}

func TestNothingPilesUpOverBadIntroductions(t *testing.T) {
	o := &older{revision: "1999-01-01"}
	cfg := o.start(t)
	before := runtime.NumGoroutine()
	for range 50 {
		c, err := upstream.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Call(t.Context(), call("t", `{}`)); err == nil {
			t.Fatal("met")
		}
		c.Close()
	}
	if o.inits.Load() < 50 || o.deletes.Load() != o.inits.Load() {
		t.Errorf("%d sessions, %d ended", o.inits.Load(), o.deletes.Load())
	}
	settled(t, "goroutines flat", func() bool { return runtime.NumGoroutine() <= before+4 })
}

func TestDowngradeWithinTheEra(t *testing.T) {
	for treatment, reason := range map[upstream.Downgrade]string{
		"": "refused", upstream.RefuseDowngrade: "refused", upstream.WarnDowngrade: "downgrade", upstream.AllowDowngrade: "",
	} {
		o := &older{revision: "2025-06-18", call: mirrored}
		cfg := o.start(t)
		cfg.Downgrade, cfg.Remembered = treatment, registry.UpstreamFact{Era: "legacy", Revision: "2025-11-25"}
		c := open(t, cfg)
		_, err := c.Call(t.Context(), call("t", `{}`))
		if reason == "refused" {
			refusedWith(t, err, gateway.CodeUnavailable, "downgrade")
			continue
		}
		if f := c.Fact(); err != nil || !f.Up || f.Reason != reason || f.Revision != "2025-06-18" {
			t.Errorf("%s: %+v %v", treatment, f, err)
		}
	}
	cfg := reaching("http://127.0.0.1/")
	cfg.Downgrade = "ignore"
	if _, err := upstream.New(cfg); err == nil {
		t.Error("an unknown treatment is accepted")
	}
	cfg.Downgrade, cfg.Relay = "", []upstream.Relay{"everything"}
	if _, err := upstream.New(cfg); err == nil {
		t.Error("an unknown relay is accepted")
	}
}

func TestStreamOf2024NamesAForeignEndpoint(t *testing.T) {
	for name, tc := range map[string]struct {
		events string
		reason gateway.Reason
	}{
		"another host":   {"event: endpoint\ndata: http://169.254.169.254/latest\n\n", "bad_endpoint"},
		"another port":   {"event: endpoint\ndata: http://127.0.0.1:1/\n\n", "bad_endpoint"},
		"another scheme": {"event: endpoint\ndata: file:///etc/passwd\n\n", "bad_endpoint"},
		"no path":        {"event: endpoint\ndata: //evil/\n\n", "bad_endpoint"},
		"with a user":    {"event: endpoint\ndata: http://a:b@127.0.0.1/\n\n", "bad_endpoint"},
		"a message":      {sseEvent(`{"jsonrpc":"2.0","method":"x"}`), "bad_endpoint"},
		"nothing":        {": hello\n\n", "no_answer"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			asStream(w, tc.events)
		}))
		c := open(t, reaching(s.URL))
		_, err := c.Call(t.Context(), call("t", `{}`))
		refusedWith(t, err, gateway.CodeUnavailable, tc.reason)
		c.Close()
		s.Close()
		_ = name
	}
}

// stream2024 is a hand-made server of 2024-11-05 that answers a call as told.
func stream2024(t *testing.T, answer func(m message, send func(string), end func())) *httptest.Server {
	t.Helper()
	var mu sync.Mutex
	var send func(string)
	var end func()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", func(w http.ResponseWriter, r *http.Request) {
		out := make(chan string, 16)
		ctx, cancel := context.WithCancel(r.Context())
		mu.Lock()
		send, end = func(s string) { out <- s }, cancel
		mu.Unlock()
		asStream(w, "event: endpoint\ndata: /messages?x=1\n\n")
		for w.(http.Flusher).Flush(); ; w.(http.Flusher).Flush() {
			select {
			case <-ctx.Done():
				return
			case s := <-out:
				_, _ = io.WriteString(w, sseEvent(s))
			}
		}
	})
	mux.HandleFunc("POST /messages", func(w http.ResponseWriter, r *http.Request) {
		var m message
		_ = json.NewDecoder(r.Body).Decode(&m)
		w.WriteHeader(http.StatusAccepted)
		mu.Lock()
		defer mu.Unlock()
		if m.Method == "initialize" {
			send(result(m.ID, initialized("2024-11-05")))
			return
		}
		if m.ID != nil {
			answer(m, send, end)
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func TestStreamOf2024(t *testing.T) {
	s := stream2024(t, func(m message, send func(string), end func()) {
		switch params := string(m.Params); {
		case strings.Contains(params, `"ends"`):
			end()
		case strings.Contains(params, `"strays"`):
			send(result(json.RawMessage("999"), `{"theirs":1}`))
			send(`{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`)
			send(mirror(m)[0])
		case strings.Contains(params, `"spoils"`):
			send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"a":1,"a":2}}`)
		default:
			send(mirror(m)[0])
		}
	})
	cfg := reaching(s.URL + "/sse")
	cfg.HTTP.Backoff = child.Backoff{Min: time.Millisecond, Max: time.Millisecond}
	c := open(t, cfg)
	in, err := c.Call(t.Context(), call("t", `{"n":1.0}`))
	if err != nil || member(t, in.Result, "/seen/arguments") != `{"n":1.0}` || c.Status().Revision != "2024-11-05" {
		t.Fatalf("%s %v %+v", in.Result, err, c.Status())
	}
	if in, err = c.Call(t.Context(), call("strays", `{}`)); err != nil || c.Status().Stray != 1 || c.Status().Unreadable != 1 {
		t.Errorf("%s %v %+v", in.Result, err, c.Status())
	}
	in, err = c.Call(t.Context(), call("spoils", `{}`))
	refusedWith(t, err, gateway.CodeExecutionError, "malformed")
	in, err = c.Call(t.Context(), call("ends", `{}`))
	refusedWith(t, err, gateway.CodeExecutionError, "connection_broken")
	if !in.Sent {
		t.Error("not sent, says it")
	}
	settled(t, "it is met anew", func() bool { _, err := c.Call(t.Context(), call("t", `{}`)); return err == nil })
	<-c.Changed()
}

func TestCancelOver2024(t *testing.T) {
	heard := make(chan message, 4)
	s := stream2024(t, func(m message, _ func(string), _ func()) { heard <- m })
	c := open(t, reaching(s.URL+"/sse"))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-heard; cancel() }()
	in, err := c.Call(ctx, call("t", `{}`))
	refusedWith(t, err, gateway.CodeCancelled, "")
	if !in.Sent {
		t.Error("not sent, says it")
	}
}

func TestHostilePages(t *testing.T) {
	const declared = `{"tools":{},"prompts":{},"resources":{}}`
	for name, tc := range map[string]struct {
		lists   map[string]string // method → result; none: unknown method
		tools   int
		prompts int
		partial bool
		unknown int64
		fails   bool
	}{
		"a tool with duplicate names": {map[string]string{"tools/list": `{"tools":[{"name":"a"},{"name":"b","name":"c"},{"name":"d"}]}`}, 3, 0, false, 3, false},
		"a number bomb":               {map[string]string{"tools/list": `{"tools":[{"name":"a","x":1e1000001},{"name":"b"}]}`}, 2, 0, false, 3, false},
		"a deep one": {map[string]string{"tools/list": `{"tools":[` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `,{"name":"b"}]}`,
			"prompts/list": `{"prompts":[{"name":"p"}]}`}, 2, 1, false, 2, false},
		"one kind fails":        {map[string]string{"tools/list": `{"tools":[{"name":"a"}]}`, "prompts/list": `{"prompts":{}}`}, 1, 0, true, 2, false},
		"the page is ambiguous": {map[string]string{"tools/list": `{"tools":[{"name":"a"}],"tools":[]}`, "prompts/list": `{"prompts":[]}`}, 0, 0, true, 2, false},
		"every kind is unknown": {map[string]string{}, 0, 0, false, 4, false},
	} {
		t.Run(name, func(t *testing.T) {
			answer := func(m message) string {
				if page, ok := tc.lists[m.Method]; ok {
					return result(m.ID, page)
				}
				return failure(m.ID, -32601, "null")
			}
			s := answeringAll(t, func(w http.ResponseWriter, _ *http.Request, m message) {
				if m.Method == "server/discover" {
					asJSON(w, 200, result(m.ID, `{"supportedVersions":["2026-07-28"],"capabilities":`+declared+`}`))
					return
				}
				asJSON(w, 200, answer(m))
			})
			c := open(t, reaching(s.URL))
			list, err := c.List(t.Context())
			if err != nil || len(list.Tools) != tc.tools || len(list.Prompts) != tc.prompts || list.Partial != tc.partial || c.Status().UnknownLists != tc.unknown {
				t.Errorf("%d tools, %d prompts, partial %v, %v, %+v", len(list.Tools), len(list.Prompts), list.Partial, err, c.Status())
			}
		})
	}
}

func TestFaultyElementOverStdio(t *testing.T) {
	c := open(t, playing("faulty page"))
	list, err := c.List(t.Context())
	if err != nil || len(list.Tools) != 3 || string(list.Tools[1]) != `{"name":"b","name":"c"}` || c.Status().Unreadable != 0 {
		t.Errorf("%s %v %+v", list.Tools, err, c.Status())
	}
}

func TestHeaderMismatchIsAnAnswer(t *testing.T) {
	s := listenOn(t, func(w http.ResponseWriter, _ *http.Request, m message) {
		asJSON(w, 400, failure(m.ID, protocol.RPCHeaderMismatch, "null"))
	})
	in, err := open(t, reaching(s.URL)).Call(t.Context(), call("t", `{}`))
	if err != nil || in.Error == nil || in.Error.Code != protocol.RPCHeaderMismatch {
		t.Errorf("%+v %v", in, err)
	}
}

// Watchers of one resource share a subscription; it is renewed on a session that
// replaces another, and ended with the last of them.
func TestSubscriptionIsSharedAndRenewed(t *testing.T) {
	asked, renew := make(chan string, 16), make(chan struct{})
	o := &older{capabilities: `{"resources":{"subscribe":true}}`}
	o.call = func(w http.ResponseWriter, r *http.Request, m message) {
		session := r.Header.Get("Mcp-Session-Id")
		if strings.HasPrefix(m.Method, "resources/") {
			asked <- m.Method + " " + session + " " + string(m.Params)
		}
		if m.Method == "resources/subscribe" && session == "session-2" {
			<-renew
		}
		asJSON(w, 200, result(m.ID, `{}`))
	}
	o.get = func(w http.ResponseWriter, r *http.Request) {
		asStream(w, "")
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for w.(http.Flusher).Flush(); r.Header.Get("Mcp-Session-Id") == "session-1"; w.(http.Flusher).Flush() {
			select {
			case <-r.Context().Done():
				return
			case <-tick.C:
				_, _ = io.WriteString(w, sseEvent(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a/part"}}`))
			}
		}
		<-r.Context().Done()
	}
	c := open(t, o.start(t))
	ended := make(chan error, 2)
	var told [2]atomic.Int64
	var stop [2]context.CancelFunc
	for i := range stop {
		var ctx context.Context
		ctx, stop[i] = context.WithCancel(t.Context())
		defer stop[i]()
		go func() { ended <- c.Watch(ctx, "file:///a", func() { told[i].Add(1) }) }()
	}
	expect := func(want string) {
		t.Helper()
		if got := <-asked; got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
	}
	expect(`resources/subscribe session-1 {"uri":"file:///a"}`)
	settled(t, "both are told", func() bool { return told[0].Load() > 0 && told[1].Load() > 0 })
	gone := "gone"
	o.valid.Store(&gone)
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Fatal(err)
	}
	expect(`resources/subscribe session-2 {"uri":"file:///a"}`)
	told[0].Store(0) // the old session says no more, and the new one nothing
	told[1].Store(0)
	close(renew)
	settled(t, "both are told that they may have missed something", func() bool {
		return told[0].Load() == 1 && told[1].Load() == 1
	})
	stop[0]()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	stop[1]()
	expect(`resources/unsubscribe session-2 {"uri":"file:///a"}`)
	if len(asked) != 0 {
		t.Errorf("asked again: %s", <-asked)
	}
}

func TestSubscriptionIsRefused(t *testing.T) {
	o := &older{capabilities: `{"resources":{"subscribe":true}}`, call: func(w http.ResponseWriter, _ *http.Request, m message) {
		asJSON(w, 200, failure(m.ID, -32002, "null"))
	}}
	c := open(t, o.start(t))
	refusedWith(t, c.Watch(t.Context(), "file:///none", func() {}), gateway.CodeUnavailable, "not_supported")
}
