package execute

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/retry"
	"mcp-gateway/registry"
)

var (
	read  = gateway.ExposureFacts{SideEffect: gateway.Read}
	write = gateway.ExposureFacts{SideEffect: gateway.Write}
	worst = gateway.ExposureFacts{}
)

// What is not answered was not executed, or may have been: the side effect and
// whether it was sent decide, and nothing that the upstream says.
func TestLost(t *testing.T) {
	const unavailable, execution, timeout, unknown = gateway.CodeUnavailable, gateway.CodeExecutionError, gateway.CodeTimeout, gateway.CodeOutcomeUnknown
	for _, tc := range []struct {
		name    string
		facts   gateway.ExposureFacts
		sent    bool
		err     error
		code    gateway.Code
		outcome gateway.Outcome
	}{
		{"a read that was not sent", read, false, gateway.Fail(execution), unavailable, gateway.OutcomeFailed},
		{"a write that was not sent", write, false, gateway.Fail(execution), unavailable, gateway.OutcomeFailed},
		{"a write that was not sent in time", write, false, gateway.Fail(timeout), timeout, gateway.OutcomeFailed},
		{"a write that was taken back before it was sent", write, false, gateway.Fail(gateway.CodeCancelled), gateway.CodeCancelled, gateway.OutcomeFailed},
		{"a read without an answer", read, true, gateway.Fail(execution), execution, gateway.OutcomeFailed},
		{"a read out of time", read, true, gateway.Fail(timeout), timeout, gateway.OutcomeFailed},
		{"a read that its upstream turned away", read, true, gateway.Fail(unavailable), unavailable, gateway.OutcomeFailed},
		{"a write without an answer", write, true, gateway.Fail(execution), unknown, gateway.OutcomeUnknown},
		{"a write out of time", write, true, gateway.Fail(timeout), unknown, gateway.OutcomeUnknown},
		{"a write whose caller left", write, true, gateway.Fail(gateway.CodeCancelled), unknown, gateway.OutcomeUnknown},
		{"what nobody reviewed counts as the worst", worst, true, gateway.Fail(timeout), unknown, gateway.OutcomeUnknown},
		{"a read whose answer was too large", read, true, gateway.Fail(gateway.CodeTooLarge), gateway.CodeContractViolation, gateway.OutcomeFailed},
		{"a write whose answer was too large", write, true, gateway.Fail(gateway.CodeTooLarge), unknown, gateway.OutcomeUnknown},
		{"an error without a code", read, true, errors.New("x"), gateway.CodeInternal, gateway.OutcomeFailed},
	} {
		d := newDesk(t, oneTool(), tc.facts)
		c := d.tool(t, "")
		c.Incoming.Sent = tc.sent
		err := d.lost(c, tc.err)
		if got, _ := code(err); got != tc.code || c.Outcome != tc.outcome {
			t.Errorf("%s: %q %q, want %q %q", tc.name, got, c.Outcome, tc.code, tc.outcome)
		}
	}
}

// A try that may have run is not made up for by a later one that was not sent.
func TestTriesThatMayHaveRun(t *testing.T) {
	exited := gateway.Fail(gateway.CodeExecutionError, "exited")
	down := reply{err: gateway.Fail(gateway.CodeUnavailable, "exited")}
	for name, tc := range map[string]struct {
		replies []reply
		facts   gateway.ExposureFacts
		code    gateway.Code
		sent    int
	}{
		"a read that arrived once":       {[]reply{{in: protocol.Incoming{Sent: true}, err: exited}, down}, read, gateway.CodeExecutionError, 3},
		"a read that never did":          {[]reply{down}, read, gateway.CodeUnavailable, 3},
		"a read that did in the end":     {[]reply{down, {in: protocol.Incoming{Sent: true}, err: exited}, down}, read, gateway.CodeExecutionError, 3},
		"a write that arrived":           {[]reply{{in: protocol.Incoming{Sent: true}, err: exited}, down}, write, gateway.CodeOutcomeUnknown, 1},
		"a write that did in the second": {[]reply{down, {in: protocol.Incoming{Sent: true}, err: exited}, down}, write, gateway.CodeOutcomeUnknown, 2},
	} {
		d := newDesk(t, oneTool(), tc.facts)
		d.Retry = retry.Plan{Tries: 3, Random: func() float64 { return 0 }}
		c := d.tool(t, "")
		d.replies = tc.replies
		err := d.exchange(t.Context(), c, protocol.Outgoing{Method: protocol.MethodToolsCall})
		if got, _ := code(err); got != tc.code || len(d.sent) != tc.sent {
			t.Errorf("%s: %v, sent %d times; want %q, %d", name, err, len(d.sent), tc.code, tc.sent)
		}
	}
}

// An error of the upstream is a refusal where the protocol says that nothing ran, and
// else tells as little of a write as no answer would.
func TestRefusedUpstream(t *testing.T) {
	for _, tc := range []struct {
		rpc     int64
		facts   gateway.ExposureFacts
		code    gateway.Code
		outcome gateway.Outcome
		stale   int
	}{
		{-32000, read, gateway.CodeExecutionError, gateway.OutcomeFailed, 0},
		{-32000, write, gateway.CodeOutcomeUnknown, gateway.OutcomeUnknown, 0},
		{-32603, worst, gateway.CodeOutcomeUnknown, gateway.OutcomeUnknown, 0},
		{1004, write, gateway.CodeOutcomeUnknown, gateway.OutcomeUnknown, 0}, // our own code means nothing in another's mouth
		{-32602, write, gateway.CodeExecutionError, gateway.OutcomeFailed, 1},
		{-32601, write, gateway.CodeExecutionError, gateway.OutcomeFailed, 1},
		{-32020, write, gateway.CodeExecutionError, gateway.OutcomeFailed, 0},
		{-32022, write, gateway.CodeExecutionError, gateway.OutcomeFailed, 0},
		{-32021, write, gateway.CodeExecutionError, gateway.OutcomeFailed, 0}, // that names no capability
	} {
		d := newDesk(t, oneTool(), tc.facts)
		c := d.tool(t, "")
		err := d.refusedUpstream(c, &protocol.RPCError{Code: tc.rpc, Message: "text"})
		if got, _ := code(err); got != tc.code || c.Outcome != tc.outcome || d.staled != tc.stale {
			t.Errorf("%d: %q %q, stale %d; want %q %q, %d", tc.rpc, got, c.Outcome, d.staled, tc.code, tc.outcome, tc.stale)
		}
	}
	d := newDesk(t, oneTool(), write)
	err := d.refusedUpstream(d.tool(t, ""), &protocol.RPCError{Code: protocol.RPCMissingCapability, Data: []byte(`{"requiredCapabilities":{"sampling":{},"x":{}}}`)})
	var e *gateway.Error
	if !errors.As(err, &e) || e.Code != gateway.CodeMissingCapability || string(e.Needs) != `{"sampling":{}}` {
		t.Errorf("a capability: %+v", err)
	}
}

// What an upstream says of our headers makes us look once, and send again only what is
// still the reviewed definition.
func TestHeadersThatDoNotFit(t *testing.T) {
	mismatch := reply{in: protocol.Incoming{Sent: true, Error: &protocol.RPCError{Code: protocol.RPCHeaderMismatch}}}
	answered := reply{in: protocol.Incoming{Sent: true, Result: []byte(`{}`)}}
	for name, tc := range map[string]struct {
		replies []reply
		listed  registry.Listing
		broken  error
		code    gateway.Code
		sent    int
	}{
		"answered":           {[]reply{answered}, oneTool(), nil, "", 1},
		"unchanged":          {[]reply{mismatch, answered}, oneTool(), nil, "", 2},
		"never content":      {[]reply{mismatch}, oneTool(), nil, gateway.CodeExecutionError, 2},
		"changed":            {[]reply{mismatch, answered}, registry.Listing{Tools: [][]byte{[]byte(`{"name":"tool","description":"x","inputSchema":{"type":"object"}}`)}}, nil, gateway.CodeQuarantined, 1},
		"gone":               {[]reply{mismatch, answered}, registry.Listing{}, nil, gateway.CodeQuarantined, 1},
		"no list can be had": {[]reply{mismatch, answered}, oneTool(), errors.New("down"), gateway.CodeExecutionError, 1},
	} {
		d := newDesk(t, oneTool(), read)
		c := d.tool(t, "")
		d.replies, d.listed, d.broken = tc.replies, tc.listed, tc.broken
		err := d.exchange(t.Context(), c, protocol.Outgoing{Method: protocol.MethodToolsCall})
		if got, _ := code(err); got != tc.code || len(d.sent) != tc.sent || d.refreshed > 1 {
			t.Errorf("%s: %v, sent %d times, refreshed %d times; want %q, %d", name, err, len(d.sent), d.refreshed, tc.code, tc.sent)
		}
		if err != nil && c.Outcome != gateway.OutcomeFailed {
			t.Errorf("%s: the outcome is %q", name, c.Outcome)
		}
	}
}

func TestTimeoutIsTheShorter(t *testing.T) {
	for reviewed, want := range map[time.Duration]time.Duration{0: time.Minute, time.Second: time.Second, time.Hour: time.Minute} {
		facts := read
		facts.Timeout = reviewed
		if got := newDesk(t, oneTool(), facts).tool(t, "").Remaining(); got != want {
			t.Errorf("reviewed %s: %s, want %s", reviewed, got, want)
		}
	}
}

// Nothing is forwarded without proof that it was reviewed and allowed.
func TestForwardNeedsProof(t *testing.T) {
	d := newDesk(t, oneTool(), read)
	d.replies = []reply{{in: protocol.Incoming{Sent: true, Result: []byte(`{}`)}}}
	m := &method{params: nameAndArguments}
	for name, c := range map[string]*call.Call{"no permit": d.tool(t, ""), "no item": {World: d.world(), Request: &protocol.Request{}}} {
		if got, _ := code(d.forward(context.Background(), m, c)); got != gateway.CodeInternal || len(d.sent) != 0 {
			t.Errorf("%s: %q, sent %d times", name, got, len(d.sent))
		}
	}
}

// A destructive call is held against what its upstream lists at that moment.
func TestRecheck(t *testing.T) {
	for name, tc := range map[string]struct {
		facts  gateway.ExposureFacts
		listed registry.Listing
		broken error
		code   gateway.Code
		looked int
	}{
		"a read":      {read, registry.Listing{}, nil, "", 0},
		"a write":     {write, registry.Listing{}, nil, "", 0},
		"unchanged":   {worst, oneTool(), nil, "", 1},
		"gone":        {worst, registry.Listing{}, nil, gateway.CodeQuarantined, 1},
		"unreachable": {worst, oneTool(), errors.New("down"), gateway.CodeUnavailable, 1},
	} {
		d := newDesk(t, oneTool(), tc.facts)
		c := d.tool(t, "")
		d.listed, d.broken = tc.listed, tc.broken
		if got, _ := code(d.recheck(t.Context(), c)); got != tc.code || d.refreshed != tc.looked {
			t.Errorf("%s: %q, looked %d times; want %q, %d", name, got, d.refreshed, tc.code, tc.looked)
		}
	}
}

// What is sent is made of what was judged, and of nothing else in the request.
func TestParamsAreMadeAnew(t *testing.T) {
	listed := oneTool()
	listed.Prompts = [][]byte{[]byte(`{"name":"greet","arguments":[{"name":"who","required":true}]}`)}
	listed.Templates = [][]byte{[]byte(`{"uriTemplate":"x://page/{n}","name":"page"}`)}
	listed.Resources = [][]byte{[]byte(`{"uri":"X://Notes","name":"notes"}`)}
	d := newDesk(t, listed, read)
	for _, tc := range []struct {
		method, params string
		how            func(*call.Call) error
		render         func(*call.Call) (string, []byte)
		name, want     string
	}{
		{protocol.MethodToolsCall, `"name":"up__tool","Name":"x","arguments":{"a":1.10,"b":"\u0041"},"other":1`,
			func(c *call.Call) error { return resolveName(c, gateway.KindTool) }, nameAndArguments, "tool", `{"name":"tool","arguments":{"a":1.10,"b":"\u0041"}}`},
		{protocol.MethodToolsCall, `"name":"up__tool"`,
			func(c *call.Call) error { return resolveName(c, gateway.KindTool) }, nameAndArguments, "tool", `{"name":"tool"}`},
		{protocol.MethodComplete, `"ref":{"type":"ref/prompt","name":"up__greet","x":1},"argument":{"name":"who","value":"a"},"y":2`,
			resolveReference, referenceParams, "", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"a"}}`},
		{protocol.MethodComplete, `"ref":{"type":"ref/resource","uri":"x://page/{n}"},"argument":{"name":"n","value":"1"},"context":{"arguments":{"m":"2"}}`,
			resolveReference, referenceParams, "", `{"ref":{"type":"ref/resource","uri":"x://page/{n}"},"argument":{"name":"n","value":"1"},"context":{"arguments":{"m":"2"}}}`},
	} {
		c, err := d.calling(t, tc.method, tc.params, tc.how)
		if err != nil || c.Missing != "" {
			t.Errorf("%s: %v %q", tc.params, err, c.Missing)
			continue
		}
		c.Sent = c.Arguments // as transform leaves them
		if name, params := tc.render(c); name != tc.name || string(params) != tc.want {
			t.Errorf("%s %s, want %s %s", name, params, tc.name, tc.want)
		}
	}
}

func TestRoundsAreAppended(t *testing.T) {
	params := []byte(`{"name":"x"}`)
	if got := withRound(params, nil, nil); !bytes.Equal(got, params) {
		t.Errorf("nothing to append: %s", got)
	}
	got := withRound(params, []byte(`{"k":{}}`), []byte(`"\u0041"`))
	if want := `{"name":"x","inputResponses":{"k":{}},"requestState":"\u0041"}`; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	if string(params) != `{"name":"x"}` {
		t.Errorf("the params were written over: %s", params)
	}
	for raw, want := range map[string]bool{`{}`: true, `{"a":{}}`: true, `{"a":1}`: false, `{"a":{},"b":null}`: false, `[]`: false, `"x"`: false} {
		if got := objects([]byte(raw)); got != want {
			t.Errorf("%s: %t", raw, got)
		}
	}
}
