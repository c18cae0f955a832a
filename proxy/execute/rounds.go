package execute

import (
	"context"
	"errors"
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/inquiry"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/state"
	"mcp-gateway/redact"
)

// maxRounds is how often an upstream may ask within one call of a legacy host. A
// modern host decides that for itself.
const maxRounds = 8

// recall finds what earlier rounds of this call left (2026-07-28, Multi Round-Trip
// Requests): the host's answers, and behind the state that the gateway sealed the
// one that the upstream gave. A state that is for anything but this very call of
// this caller is refused, and nothing is sent.
func (x *Executor) recall(m *method, c *call.Call) error {
	if c.Era != audit.Modern || !m.asks {
		return nil
	}
	if responses, ok := protocol.Member(c.Request.Params, "inputResponses"); ok {
		if !objects(responses) {
			return gateway.Wrong(gateway.CodeInvalidParams, "/params/inputResponses")
		}
		c.Round.Responses = responses
	}
	raw, ok := protocol.Member(c.Request.Params, "requestState")
	if !ok {
		c.Round.Responses = answering(c.Round.Responses, nil)
		return nil
	}
	token, ok := protocol.Text(raw)
	if !ok {
		return gateway.Wrong(gateway.CodeInvalidParams, "/params/requestState")
	}
	left, err := state.Open(x.Keys, binding(c), token, c.Now())
	if err != nil {
		return err
	}
	c.Action, c.Round.Again, c.Round.State = left.Action, true, left.Inner
	c.Round.Responses = answering(c.Round.Responses, left.Asked)
	return nil
}

// answering keeps of a host's answers those to what was asked in this very call, as
// the state that came with the questions names them, and those to the gateway's own
// questions, which name their ticket. The others answer nothing: nobody judged or
// approved them, and they are not sent.
func answering(responses []byte, asked []string) []byte {
	if responses == nil {
		return nil
	}
	kept, whole := []byte{'{'}, true
	for name, value := range protocol.Members(responses) {
		if !strings.HasPrefix(string(name), inquiry.Own) && !slices.Contains(asked, string(name)) {
			whole = false
			continue
		}
		kept = append(protocol.AppendString(kept, string(name)), ':')
		kept = append(append(kept, value...), ',')
	}
	switch {
	case whole:
		return responses
	case len(kept) == 1:
		return nil
	}
	kept[len(kept)-1] = '}'
	return kept
}

// objects says whether a value is an object of objects.
func objects(raw []byte) bool {
	if protocol.Kind(raw) != '{' {
		return false
	}
	for _, value := range protocol.Members(raw) {
		if protocol.Kind(value) != '{' {
			return false
		}
	}
	return true
}

// binding is what a state is good for: this very call.
func binding(c *call.Call) *state.Binding {
	item := c.Item.Item()
	return &state.Binding{
		Principal: c.Principal.ID(), Method: c.Request.Method, Item: item.ID,
		Definition: item.Definition.Digest, Arguments: c.Arguments,
	}
}

// withRound adds to params what goes back to the upstream: the host's answers as
// they came, and the upstream's own state byte for byte. What is nil stays absent.
func withRound(params, responses, inner []byte) []byte {
	if responses == nil && inner == nil {
		return params
	}
	out := make([]byte, 0, len(params)+len(responses)+len(inner)+40)
	out = append(out, params[:len(params)-1]...)
	if responses != nil {
		out = append(append(out, `,"inputResponses":`...), responses...)
	}
	if inner != nil {
		out = append(append(out, `,"requestState":`...), inner...)
	}
	return append(out, '}')
}

// asksNow says whether the upstream asks before it goes on, and may.
func asksNow(m *method, c *call.Call) bool {
	if !m.asks || !inquiry.Is(c.Incoming.Result) {
		return false
	}
	return c.World.Upstreams[c.Item.Item().ID.Upstream].Fact().Era != string(audit.Legacy)
}

// answers are the capabilities by which the host said what it answers. A legacy
// host answers on the stream of its open call, so that without one it answers
// nothing.
func answers(c *call.Call) []byte {
	switch {
	case c.Era == audit.Modern:
		return c.Request.Meta.ClientCapabilities
	case c.Session != nil && c.Stream != nil:
		return c.Session.Capabilities
	}
	return nil
}

// inquire judges what the upstream asks: only what this host declared, nothing
// that may not be asked, and in texts that hide nothing.
func (x *Executor) inquire(c *call.Call) (redact.Clean, error) {
	asked, err := inquiry.Read(c.Incoming.Result)
	if err != nil {
		return redact.Clean{}, err
	}
	if missing := inquiry.Missing(answers(c), asked.Questions...); missing != nil {
		return redact.Clean{}, undeclared(missing)
	}
	for i := range asked.Questions {
		if err := asked.Questions[i].Judge(x.cleaner(c).Leads); err != nil {
			return redact.Clean{}, err
		}
	}
	shown := c.Incoming.Result
	if x.cleaner(c).Cleans() {
		shown = inquiry.ShowHosts(shown, asked)
	}
	return x.cleaner(c).Asking(shown)
}

func undeclared(missing []byte) error {
	e := gateway.Fail(gateway.CodeMissingCapability)
	e.Needs = missing
	return e
}

// interview puts what the upstream asks to a legacy host, on its open call, and
// returns the answers and the state for the next round.
func (x *Executor) interview(ctx context.Context, c *call.Call, round int) (responses, inner []byte, err error) {
	if round > maxRounds {
		return nil, nil, gateway.Fail(gateway.CodeAskRefused, gateway.ReasonRounds)
	}
	clean, err := x.inquire(c)
	if err != nil {
		return nil, nil, err
	}
	asked, err := inquiry.Read(clean.Bytes())
	if err != nil || len(asked.Questions) == 0 {
		return nil, asked.State, err
	}
	ctx, cancel := context.WithTimeout(ctx, state.Life)
	defer cancel()
	responses = []byte{'{'}
	for _, q := range asked.Questions {
		answer, err := put(ctx, c, &q)
		if err != nil {
			return nil, nil, err
		}
		responses = append(protocol.AppendString(responses, q.Key), ':')
		responses = append(append(responses, answer...), ',')
	}
	responses[len(responses)-1] = '}'
	return responses, asked.State, nil
}

// put asks a legacy host one question that was judged and cleaned.
func put(ctx context.Context, c *call.Call, q *inquiry.Question) ([]byte, error) {
	if c.Stream == nil || !c.Stream.CanAsk(q.Method) {
		return nil, undeclared(inquiry.Missing(nil, *q))
	}
	params := q.Params
	if params != nil {
		params = present.Params(params, nil)
	}
	answer, err := c.Stream.Ask(ctx, q.Method, params)
	switch {
	case err == nil && protocol.Kind(answer) == '{':
		return answer, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, gateway.Because(gateway.CodeCancelled, err)
	}
	return nil, gateway.Because(gateway.CodeAskRefused, err, gateway.ReasonUnanswered)
}

// asker is what a legacy upstream may ask in the middle of the call: nothing,
// unless the operator lets this upstream ask and the host is a legacy one that
// declared that it answers. A modern host takes no questions on an open call.
func (x *Executor) asker(c *call.Call) func(context.Context, string, []byte) ([]byte, error) {
	relayed := c.World.Relay[c.Item.Item().ID.Upstream]
	if c.Era != audit.Legacy || c.Stream == nil || len(relayed) == 0 {
		return nil
	}
	return func(ctx context.Context, method string, params []byte) ([]byte, error) {
		q := inquiry.Question{Method: method, Params: params}
		if !relayed[method] {
			return nil, gateway.Fail(gateway.CodeAskRefused)
		}
		if missing := inquiry.Missing(answers(c), q); missing != nil {
			return nil, undeclared(missing)
		}
		if err := q.Judge(x.cleaner(c).Leads); err != nil {
			return nil, err
		}
		if params != nil {
			if x.cleaner(c).Cleans() {
				params = q.Shown()
			}
			clean, err := x.cleaner(c).Asked(params)
			if err != nil {
				return nil, err
			}
			q.Params = clean.Bytes()
		}
		return put(ctx, c, &q)
	}
}
