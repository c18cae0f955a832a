package consent

import (
	"context"
	"errors"

	"mcp-gateway/approval"
	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/inquiry"
)

// keyPrefix begins the key of our own question among inputRequests, so that no
// upstream's is taken for it.
const keyPrefix = inquiry.Own + "approval:"

// takeAnswer takes the answer to our own question out of what the host answered, and
// returns the ticket that it names. The rest goes to the upstream.
func takeAnswer(c *call.Call) (ticket string, answer []byte) {
	if c.Round.Responses == nil {
		return "", nil
	}
	rest := []byte{'{'}
	for name, value := range protocol.Members(c.Round.Responses) {
		if id, ok := cutPrefix(string(name)); ok {
			ticket, answer = id, value
			continue
		}
		rest = append(protocol.AppendString(rest, string(name)), ':')
		rest = append(append(rest, value...), ',')
	}
	if answer == nil {
		return "", nil
	}
	if c.Round.Responses = nil; len(rest) > 1 {
		rest[len(rest)-1] = '}'
		c.Round.Responses = rest
	}
	if inquiry.Missing(c.Request.Meta.ClientCapabilities, inquiry.Question{Method: protocol.MethodElicit}) != nil {
		return "", nil // nobody was asked through a host that shows no questions
	}
	return ticket, answer
}

func cutPrefix(name string) (string, bool) {
	if len(name) <= len(keyPrefix) || name[:len(keyPrefix)] != keyPrefix {
		return "", false
	}
	return name[len(keyPrefix):], true
}

// ask asks for the caller's own consent, where policy takes that and the host can be
// asked. Who else must approve does so elsewhere, and the call is repeated then.
func (d *Desk) ask(ctx context.Context, c *call.Call, t *approval.Ticket) (*approval.Ticket, error) {
	if !selfIsEnough(c) {
		return nil, required(c, t)
	}
	params := form(c, t)
	if c.Era == audit.Modern {
		q := inquiry.Question{Method: protocol.MethodElicit, Params: params}
		if inquiry.Missing(c.Request.Meta.ClientCapabilities, q) != nil {
			return nil, required(c, t)
		}
		e := required(c, t).(*gateway.Error)
		e.Ask = question(keyPrefix+t.ID, params)
		return nil, e
	}
	if c.Stream == nil || c.Session == nil || !c.Stream.CanAsk(protocol.MethodElicit) {
		return nil, required(c, t)
	}
	waiting, cancel := context.WithTimeout(ctx, t.Expires.Sub(c.Now()))
	defer cancel()
	answer, err := c.Stream.Ask(waiting, protocol.MethodElicit, params)
	switch {
	case ctx.Err() != nil:
		return nil, gateway.Because(gateway.CodeCancelled, ctx.Err())
	case errors.Is(waiting.Err(), context.DeadlineExceeded):
		return nil, gateway.Because(gateway.CodeApprovalTimeout, err)
	case err != nil:
		return nil, required(c, t)
	}
	if reason := d.Holds(c); reason != "" {
		return nil, gateway.Fail(gateway.CodeQuarantined, reason)
	}
	return d.heard(ctx, c, t, answer)
}

// selfIsEnough says whether policy takes the caller's own consent.
func selfIsEnough(c *call.Call) bool {
	owed := c.Decision.Obligations.Approvals
	for _, by := range owed {
		if !by.Self || len(by.Groups) > 0 {
			return false
		}
	}
	return len(owed) > 0
}

// heard takes a host's answer (2026-07-28, Elicitation, Response Actions): only to
// accept, with the box ticked, is consent.
func (d *Desk) heard(ctx context.Context, c *call.Call, t *approval.Ticket, answer []byte) (*approval.Ticket, error) {
	if !selfIsEnough(c) {
		return nil, required(c, t)
	}
	action, _ := protocol.Member(answer, "action")
	ticked, _ := protocol.Lookup(answer, "/content/approve")
	v := approval.Verdict{State: approval.Denied, Approver: c.Principal.Subject, Self: true, Via: viaHost, At: c.Now()}
	switch {
	case protocol.IsText(action, "accept") && string(ticked) == "true":
		v.State = approval.Approved
	case protocol.IsText(action, "cancel"):
		v.State = approval.Cancelled
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := d.Tickets.Decide(ctx, t.ID, v); err != nil {
		if errors.Is(err, approval.ErrState) {
			return nil, gateway.Because(gateway.CodeApprovalInvalid, err, "approval_decided")
		}
		return nil, unavailable(err)
	}
	if err := d.Record.Answered(ctx, c, t.ID, v.State == approval.Approved); err != nil {
		return nil, err
	}
	if v.State != approval.Approved {
		return nil, gateway.Fail(gateway.CodeUserDenied)
	}
	approved := *t
	approved.State, approved.Verdict = approval.Approved, v
	return &approved, nil
}

// form is the elicitation's params: what is about to happen, and a box to tick.
func form(c *call.Call, t *approval.Ticket) []byte {
	out := protocol.AppendString([]byte(`{"message":`), message(c, t))
	return append(out, `,"requestedSchema":{"type":"object","properties":{"approve":{"type":"boolean","title":"Let this call run once","default":false}},"required":["approve"]}}`...)
}

// question is the result by which a modern host is asked.
func question(key string, params []byte) []byte {
	out := protocol.AppendString([]byte(`{"resultType":"input_required","inputRequests":{`), key)
	out = append(append(out, `:{"method":"`+protocol.MethodElicit+`","params":`...), params...)
	return append(out, `}}}`...)
}
