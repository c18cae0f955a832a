package effects

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/past"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
	"mcp-gateway/receipt"
	"mcp-gateway/test/stage"
)

// away says that it can't answer now.
func away(w http.ResponseWriter, _ *http.Request, _ stage.Message) {
	w.WriteHeader(http.StatusServiceUnavailable)
}

// restsLong says that it can't answer now, and not for long to come.
func restsLong(w http.ResponseWriter, _ *http.Request, _ stage.Message) {
	w.Header().Set("Retry-After", "86400")
	w.WriteHeader(http.StatusTooManyRequests)
}

// breaks begins its answer and resets the connection, so that nothing more comes and
// what came may be lost.
func breaks(begun string) stage.Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ stage.Message) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = conn.Write([]byte(begun)) // the other end may be gone already
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
}

// halfAnswer is a response of which the rest never comes.
const halfAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n{\"jsonrpc\":\"2.0\","

// retries is what the finished event of an action says.
func retries(t *testing.T, s *stage.Stage, action audit.ID) (n uint64) {
	t.Helper()
	for _, e := range past.Story(t.Context(), s.Path("var/"+run.JournalDir), action) {
		n += e.Retries
	}
	return n
}

// Only what may run twice is sent again, only after a failure that may pass, and as
// often as the plan says.
func TestOnlyWhatIsSafeIsSentAgain(t *testing.T) {
	refusal := stage.Result(`{"resultType":"complete","isError":true,"content":[{"type":"text","text":"no"}]}`)
	for _, tc := range []struct {
		name     string
		tool     string
		key      string // of the host
		answers  []stage.Answer
		code     gateway.Code
		sent     int
		outcome  gateway.Outcome
		retries  uint64
		business bool
	}{
		{name: "a declared key, once lost", tool: "open", key: "k", answers: []stage.Answer{hangUp}, sent: 2, retries: 1, outcome: gateway.OutcomeCommitted},
		{name: "a declared key, away twice", tool: "open", key: "k", answers: []stage.Answer{away, away}, sent: 3, retries: 2, outcome: gateway.OutcomeCommitted},
		{name: "a minted key that its argument carries", tool: "open", answers: []stage.Answer{hangUp}, sent: 2, retries: 1, outcome: gateway.OutcomeCommitted},
		{name: "lost as often as it is sent", tool: "open", key: "k", answers: []stage.Answer{hangUp, hangUp, hangUp}, code: gateway.CodeOutcomeUnknown, sent: 3, retries: 2, outcome: gateway.OutcomeUnknown},
		{name: "refused after it was lost", tool: "open", key: "k", answers: []stage.Answer{hangUp, refusal}, code: gateway.CodeOutcomeUnknown, sent: 2, retries: 1, outcome: gateway.OutcomeUnknown},
		{name: "refused", tool: "open", key: "k", answers: []stage.Answer{refusal}, sent: 1, outcome: gateway.OutcomeFailed},
		{name: "an error of its own", tool: "open", key: "k", answers: []stage.Answer{stage.Fault(`{"code":-32603,"message":"x"}`)}, code: gateway.CodeOutcomeUnknown, sent: 1, outcome: gateway.OutcomeUnknown},
		{name: "not idempotent", tool: "post", key: "k", answers: []stage.Answer{hangUp}, code: gateway.CodeOutcomeUnknown, sent: 1, outcome: gateway.OutcomeUnknown},
		{name: "a declared key, reset", tool: "open", key: "k", answers: []stage.Answer{breaks("")}, sent: 2, retries: 1, outcome: gateway.OutcomeCommitted},
		{name: "a declared key, reset in its answer", tool: "open", key: "k", answers: []stage.Answer{breaks(halfAnswer)}, sent: 2, retries: 1, outcome: gateway.OutcomeCommitted},
		{name: "a declared key, which is to rest for a day", tool: "open", key: "k", answers: []stage.Answer{restsLong}, code: gateway.CodeOutcomeUnknown, sent: 1, outcome: gateway.OutcomeUnknown},
		{name: "not idempotent, reset", tool: "post", key: "k", answers: []stage.Answer{breaks("")}, code: gateway.CodeOutcomeUnknown, sent: 1, outcome: gateway.OutcomeUnknown},
		{name: "not idempotent, reset in its answer", tool: "post", key: "k", answers: []stage.Answer{breaks(halfAnswer)}, code: gateway.CodeOutcomeUnknown, sent: 1, outcome: gateway.OutcomeUnknown},
		{name: "not idempotent, which is to rest", tool: "post", answers: []stage.Answer{restsLong}, code: gateway.CodeOutcomeUnknown, sent: 1, outcome: gateway.OutcomeUnknown},
		{name: "not idempotent, away", tool: "post", answers: []stage.Answer{away}, code: gateway.CodeOutcomeUnknown, sent: 1, outcome: gateway.OutcomeUnknown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, s := start(t, stage.Options{})
			d.answers(func(n int, _ stage.Message) stage.Answer {
				if n > len(tc.answers) {
					return opened(n)
				}
				return tc.answers[n-1]
			})
			r := s.Host("alice").Calling("desk__"+tc.tool, args)
			if tc.key != "" {
				r = keyed(r, tc.key)
			}
			got := r.Send(t)
			e := s.OneEvent(t)
			if got.Code() != string(tc.code) || d.count() != tc.sent || retries(t, s, e.Action) != tc.retries || e.Outcome != tc.outcome || verified(t, s, got).Outcome != tc.outcome {
				t.Errorf("%q, sent %d times, the event says %d retries, %s: %s", got.Code(), d.count(), retries(t, s, e.Action), e.Outcome, got.Body)
			}
			keys := map[string]bool{}
			for _, c := range d.Calls() {
				keys[c.Arguments()] = true
			}
			if len(keys) != 1 {
				t.Errorf("sent with other arguments: %v", keys)
			}
		})
	}
}

// Reads are sent again, and their caller's time is not exceeded for it.
func TestReadsAreSentAgain(t *testing.T) {
	d, s := start(t, stage.Options{})
	sent := 0
	d.Add(strings.Replace(findTool, `"find"`, `"peek"`, 1), nil)
	d.On("tools/call", func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		if sent++; sent < 3 {
			away(w, r, m)
			return
		}
		opened(1)(w, r, m)
	})
	alice := s.Host("alice")
	if r := alice.Call(t, "desk__find", `{"request_id":"x"}`); r.IsError() || sent != 3 || retries(t, s, s.OneEvent(t).Action) != 2 {
		t.Errorf("sent %d times: %s", sent, r.Body)
	}
	sent = 0
	if r := waits(alice.Calling("desk__find", `{"request_id":"x"}`), "40").Send(t); r.Code() == "" || sent != 1 {
		t.Errorf("sent %d times within 40 ms: %s", sent, r.Body)
	}
	if n := len(s.Rows(t, audit.Filter{Type: audit.LedgerAsked})); n != 0 {
		t.Errorf("%d questions", n)
	}
	d.On("tools/call", func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		sent++
		restsLong(w, r, m)
	})
	sent = 0
	if r := alice.Call(t, "desk__find", `{"request_id":"x"}`); r.Code() == "" || sent != 1 {
		t.Errorf("sent %d times to who is to rest for a day: %s", sent, r.Body)
	}
}

// waits is a request of a host that waits so many milliseconds.
func waits(r *stage.Request, ms string) *stage.Request {
	r.Meta = strings.Replace(r.Meta, "{", `{"`+call.MetaTimeout+`":`+ms+`,`, 1)
	return r
}

// A host's own time bounds the call, and is not taken for what it is not.
func TestTheHostsTime(t *testing.T) {
	d, s := start(t, stage.Options{})
	alice := s.Host("alice")
	for _, ms := range []string{`"100"`, "0", "-1", "1.5", "3600001", "null", "1e3"} {
		if r := waits(alice.Calling("desk__open", args), ms).Send(t); r.Code() != string(gateway.CodeInvalidParams) || d.count() != 0 {
			t.Errorf("%s: %s", ms, r.Body)
		}
	}
	d.answers(func(int, stage.Message) stage.Answer {
		return func(_ http.ResponseWriter, r *http.Request, _ stage.Message) { <-r.Context().Done() }
	})
	s.Events(t)
	r := waits(keyed(alice.Calling("desk__open", args), "k"), "150").Send(t)
	if st := verified(t, s, r); r.Code() != string(gateway.CodeOutcomeUnknown) || st.Outcome != gateway.OutcomeUnknown || st.KeyFrom != receipt.KeyOfHost || d.count() != 1 {
		t.Errorf("sent %d times: %s", d.count(), r.Body)
	}
}
