package exchange_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/exchange"
)

func note(method, params string) protocol.Message {
	return protocol.Message{Method: method, Params: []byte(params)}
}

func progress(token, value string) protocol.Message {
	return note(protocol.NotificationProgress, `{"progressToken":`+token+`,"progress":`+value+`,"total":9.0}`)
}

// caller is a request that keeps what it is told.
func caller(told *[]string) *protocol.Outgoing {
	return &protocol.Outgoing{
		Method: protocol.MethodToolsCall, Progress: true, LogLevel: "info",
		Notify: func(_ string, params []byte) { *told = append(*told, string(params)) },
	}
}

func newHub(relay ...string) (*exchange.Hub, *exchange.Counters) {
	n := new(exchange.Counters)
	allowed := make(map[string]bool)
	for _, method := range relay {
		allowed[method] = true
	}
	return exchange.NewHub(exchange.Rules{Relay: allowed, Counters: n}), n
}

func TestProgressGoesToItsTokenAndRises(t *testing.T) {
	hub, n := newHub()
	var a, b []string
	x, y := hub.Open(t.Context(), caller(&a)), hub.Open(t.Context(), caller(&b))
	idX, idY := strconv.FormatInt(x.ID, 10), strconv.FormatInt(y.ID, 10)
	for _, value := range []string{"1", "0.5", "1", "1.0", "2.5", "1e400", "2", "-1", `"3"`, "3e0"} {
		hub.Note(progress(idX, value), nil)
	}
	hub.Note(progress(idY, "-5"), y)
	hub.Note(progress(idX, "9"), y) // another's token on y's stream
	hub.Note(progress(`"`+idX+`"`, "9"), nil)
	hub.Note(progress("99", "9"), nil)
	hub.Note(note(protocol.NotificationProgress, `{}`), nil)
	if want := []string{`{"progress":1,"total":9.0}`, `{"progress":2.5,"total":9.0}`, `{"progress":3e0,"total":9.0}`}; !slices.Equal(a, want) {
		t.Errorf("told %v", a)
	}
	if want := []string{`{"progress":-5,"total":9.0}`}; !slices.Equal(b, want) {
		t.Errorf("told %v", b)
	}
	if n.Notifications.Load() != 11 {
		t.Errorf("%d were dropped", n.Notifications.Load())
	}
}

func TestNothingIsToldOnceItIsOver(t *testing.T) {
	hub, n := newHub()
	var told []string
	x := hub.Open(t.Context(), caller(&told))
	hub.Close(x)
	hub.Note(progress(strconv.FormatInt(x.ID, 10), "1"), nil)
	hub.Note(note(protocol.NotificationMessage, `{"level":"error"}`), x)
	if len(told) != 0 || n.Notifications.Load() != 2 {
		t.Errorf("told %v", told)
	}
}

func TestLogMessages(t *testing.T) {
	hub, n := newHub()
	var a, b []string
	hub.Open(t.Context(), &protocol.Outgoing{Method: protocol.MethodToolsList}) // runs nothing
	x := hub.Open(t.Context(), caller(&a))
	for _, level := range []string{"debug", "info", "emergency", "loud", ""} {
		hub.Note(note(protocol.NotificationMessage, `{"level":"`+level+`"}`), nil)
	}
	if want := []string{`{"level":"info"}`, `{"level":"emergency"}`}; !slices.Equal(a, want) || n.Notifications.Load() != 3 {
		t.Errorf("told %v, dropped %d", a, n.Notifications.Load())
	}
	y := hub.Open(t.Context(), caller(&b))
	hub.Note(note(protocol.NotificationMessage, `{"level":"error"}`), nil) // whose is it?
	if len(a) != 2 || len(b) != 0 {
		t.Errorf("told %v and %v", a, b)
	}
	hub.Note(note(protocol.NotificationMessage, `{"level":"error"}`), y)
	hub.Close(x)
	hub.Note(note(protocol.NotificationMessage, `{"level":"alert"}`), nil)
	if want := []string{`{"level":"error"}`, `{"level":"alert"}`}; !slices.Equal(b, want) || len(a) != 2 {
		t.Errorf("told %v and %v", a, b)
	}
}

func TestChangesGoToTheUpstream(t *testing.T) {
	var heard []string
	hub := exchange.NewHub(exchange.Rules{Counters: new(exchange.Counters), Note: func(method string, _ []byte) { heard = append(heard, method) }})
	for _, method := range []string{protocol.NotificationToolsChanged, protocol.NotificationPromptsChanged,
		protocol.NotificationResourcesChanged, protocol.NotificationResourceUpdated, "notifications/else"} {
		hub.Note(note(method, `{}`), nil)
	}
	if len(heard) != 4 {
		t.Errorf("heard %v", heard)
	}
}

// question is what an upstream asks; its answers come on the channel.
func question(id, method string) protocol.Message {
	return protocol.Message{ID: []byte(id), Method: method, Params: []byte(`{"q":1}`)}
}

func answering(result string, err error) *protocol.Outgoing {
	return &protocol.Outgoing{Method: protocol.MethodToolsCall, Ask: func(context.Context, string, []byte) ([]byte, error) {
		return []byte(result), err
	}}
}

func TestQuestions(t *testing.T) {
	const declined = `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"elicitation/create is declined by the gateway"}}`
	accepted := `{"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}`
	for name, tc := range map[string]struct {
		relay []string
		open  []*protocol.Outgoing
		own   bool // it came on the stream of the first
		want  string
	}{
		"relayed":                     {[]string{protocol.MethodElicit}, []*protocol.Outgoing{answering(`{"action":"accept"}`, nil)}, false, accepted},
		"not allowed":                 {nil, []*protocol.Outgoing{answering(`{"action":"accept"}`, nil)}, false, declined},
		"another kind allowed":        {[]string{protocol.MethodRootsList}, []*protocol.Outgoing{answering(`{}`, nil)}, true, declined},
		"nobody there":                {[]string{protocol.MethodElicit}, nil, false, declined},
		"nobody to ask":               {[]string{protocol.MethodElicit}, []*protocol.Outgoing{{Method: protocol.MethodToolsCall}}, false, declined},
		"declined by the host":        {[]string{protocol.MethodElicit}, []*protocol.Outgoing{answering("", errors.New("secret"))}, false, declined},
		"an answer that is none":      {[]string{protocol.MethodElicit}, []*protocol.Outgoing{answering(`[1]`, nil)}, false, declined},
		"two who could be meant":      {[]string{protocol.MethodElicit}, []*protocol.Outgoing{answering(`{}`, nil), answering(`{}`, nil)}, false, declined},
		"one of two can't be asked":   {[]string{protocol.MethodElicit}, []*protocol.Outgoing{answering(`{}`, nil), {Method: protocol.MethodToolsCall}}, false, declined},
		"two, on the stream of one":   {[]string{protocol.MethodElicit}, []*protocol.Outgoing{answering(`{"action":"accept"}`, nil), answering(`{}`, nil)}, true, accepted},
		"a list runs beside the call": {[]string{protocol.MethodElicit}, []*protocol.Outgoing{answering(`{"action":"accept"}`, nil), {Method: protocol.MethodPromptsList}}, false, accepted},
	} {
		hub, n := newHub(tc.relay...)
		var own *exchange.Exchange
		for i, out := range tc.open {
			if x := hub.Open(t.Context(), out); i == 0 && tc.own {
				own = x
			}
		}
		answer := make(chan string, 1)
		hub.Ask(question("7", protocol.MethodElicit), own, func(line []byte) { answer <- string(line) })
		if got := <-answer; got != tc.want {
			t.Errorf("%s: %s", name, got)
		}
		if refused := n.Refused.Load(); (refused == 1) != (tc.want == declined) {
			t.Errorf("%s: %d refused", name, refused)
		}
	}
}

func TestPingNeedsNobody(t *testing.T) {
	hub, n := newHub()
	var answer string
	hub.Ask(question(`"p"`, protocol.MethodPing), nil, func(line []byte) { answer = string(line) })
	if answer != `{"jsonrpc":"2.0","id":"p","result":{}}` || n.Refused.Load() != 0 {
		t.Error(answer)
	}
}

// A question ends when the upstream takes it back, and with its exchange; and no
// exchange has many.
func TestQuestionsEnd(t *testing.T) {
	hub, n := newHub(protocol.MethodElicit)
	began := make(chan struct{}, 100)
	x := hub.Open(t.Context(), &protocol.Outgoing{Method: protocol.MethodToolsCall, Ask: func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
		began <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	answers := make(chan string, 100)
	reply := func(line []byte) { id, _ := protocol.Member(line, "id"); answers <- string(id) }
	for i := range 8 {
		if !hub.Ask(question(strconv.Itoa(i), protocol.MethodElicit), nil, reply) {
			t.Errorf("%d is declined", i)
		}
	}
	for range 8 {
		<-began
	}
	if hub.Ask(question("8", protocol.MethodElicit), nil, reply) || <-answers != "8" {
		t.Error("the ninth is asked")
	}
	hub.Note(note(protocol.NotificationCancelled, `{"requestId":3}`), nil)
	if got := <-answers; got != "3" {
		t.Errorf("%s ended", got)
	}
	hub.Note(note(protocol.NotificationCancelled, `{"requestId":"nobody's"}`), nil)
	hub.Close(x)
	for range 7 {
		<-answers
	}
	if hub.Ask(question("9", protocol.MethodElicit), x, reply) {
		t.Error("asked of an exchange that is over")
	}
	if n.Notifications.Load() != 1 || n.Refused.Load() != 10 {
		t.Errorf("%d dropped, %d refused", n.Notifications.Load(), n.Refused.Load())
	}
}

func TestVolumeOnlyRises(t *testing.T) {
	var v exchange.Volume
	var set []string
	for _, level := range []string{"", "error", "error", "alert", "info", "warning", "debug", "debug"} {
		v.Raise(level, func(level string) { set = append(set, level) })
	}
	if !slices.Equal(set, []string{"error", "info", "debug"}) {
		t.Errorf("set to %v", set)
	}
}

func TestLineEnds(t *testing.T) {
	hub, n := newHub()
	l := exchange.NewLine(hub, protocol.Limits{}, func([]byte) {})
	x, err := l.Begin(t.Context(), &protocol.Outgoing{Method: protocol.MethodToolsCall})
	if err != nil {
		t.Fatal(err)
	}
	if l.Dispatch([]byte(`{"jsonrpc":"2.0","id":99,"result":{}}`), true) || n.Stray.Load() != 1 {
		t.Error("an answer to nothing was of use")
	}
	l.End(gateway.Fail(gateway.CodeUnavailable, "exited"))
	l.End(gateway.Fail(gateway.CodeUnavailable, "later"))
	if r := <-x.Reply(); r.Err == nil || r.Err.Reasons[0] != "exited" {
		t.Errorf("%+v", r)
	}
	if l.Abandon(x) {
		t.Error("abandoned after its reply")
	}
	if _, err := l.Begin(t.Context(), &protocol.Outgoing{}); err == nil {
		t.Error("begun on a line that is over")
	}
}

// FuzzDispatch: whatever a line says, it panics nowhere and answers at most the
// one request that is open.
func FuzzDispatch(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"a":1,"a":2}]}}`, `{"jsonrpc":"2.0","id":5,"method":"elicitation/create"}`, `{"id":1`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, whole bool) {
		hub, _ := newHub(protocol.MethodElicit)
		l := exchange.NewLine(hub, protocol.Limits{}, func([]byte) {})
		var told []string
		out := caller(&told)
		out.Method = protocol.MethodToolsList
		x, err := l.Begin(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		l.Dispatch(raw, whole)
		l.Dispatch(raw, whole)
		select {
		case <-x.Reply():
			if l.Abandon(x) {
				t.Fatal("answered and still open")
			}
		default:
			if !l.Abandon(x) {
				t.Fatal("gone without an answer")
			}
		}
	})
}
