package consent

import (
	"context"
	"errors"
	"fmt"
	"time"

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

// Where approvers find a ticket, behind the address of the console.
const pagePath = "/console/approvals/"

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
	if !showsForms(c) && !opensPages(c) {
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

// showsForms says whether a modern host declared that it shows forms.
func showsForms(c *call.Call) bool {
	return inquiry.Missing(c.Request.Meta.ClientCapabilities, inquiry.Question{Method: protocol.MethodElicit}) == nil
}

// opensPages says whether a modern host declared that it opens URLs.
func opensPages(c *call.Call) bool {
	q := inquiry.Question{Method: protocol.MethodElicit, Params: []byte(`{"mode":"url"}`)}
	return inquiry.Missing(c.Request.Meta.ClientCapabilities, q) == nil
}

// ask asks through the host, as far as that helps: for the caller's own consent where
// policy takes that, in a form; else by sending the person to our page, where whoever
// may approve signs in. Who can't be asked so approves elsewhere, and the call is
// repeated then.
func (d *Desk) ask(ctx context.Context, c *call.Call, t *approval.Ticket, s *approval.Sheet) (*approval.Ticket, error) {
	self := approval.SelfIsEnough(c.Decision.Obligations.Approvals)
	if c.Era == audit.Modern {
		switch e := required(c, t).(*gateway.Error); {
		case self && showsForms(c):
			e.Ask = question(keyPrefix+t.ID, form(c, t, s))
			return nil, e
		case c.World.Console != "" && opensPages(c):
			e.Ask = question(keyPrefix+t.ID, page(c, t, s))
			return nil, e
		default:
			return nil, e
		}
	}
	if !self || c.Stream == nil || c.Session == nil || !c.Stream.CanAsk(protocol.MethodElicit) {
		return nil, required(c, t)
	}
	waiting, cancel := context.WithTimeout(ctx, t.Expires.Sub(c.Now()))
	defer cancel()
	answer, err := c.Stream.Ask(waiting, protocol.MethodElicit, form(c, t, s))
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

// heard takes a host's answer (2026-07-28, Elicitation, Response Actions). Where the
// caller's own consent is enough, to accept with the box ticked is consent; where it is
// not, a host that accepts only says that it opened our page. To decline refuses the
// call either way. An answer of another shape is none: the question stays open.
func (d *Desk) heard(ctx context.Context, c *call.Call, t *approval.Ticket, answer []byte) (*approval.Ticket, error) {
	owed := c.Decision.Obligations.Approvals
	v := approval.Verdict{Approver: c.Principal.Subject, Self: true, Via: ViaHost, At: c.Now()}
	action, _ := protocol.Member(answer, "action")
	switch {
	case protocol.IsText(action, "accept"):
		if !approval.SelfIsEnough(owed) || c.Era == audit.Modern && !showsForms(c) {
			return t, nil
		}
		ticked, ok := box(answer, "/content/approve", true)
		again, fine := box(answer, "/content/remember", false)
		if !ok || !fine {
			return nil, gateway.Fail(gateway.CodeApprovalInvalid, "approval_answer_malformed")
		}
		if v.State = approval.Denied; ticked {
			v.State = approval.Approved
		}
		if ticked && again {
			v.Remember = approval.Remembers(owed)
		}
	case protocol.IsText(action, "decline"):
		v.State = approval.Denied
	case protocol.IsText(action, "cancel"):
		v.State = approval.Cancelled
	default:
		return nil, gateway.Fail(gateway.CodeApprovalInvalid, "approval_answer_malformed")
	}
	return d.settle(ctx, c, t, v)
}

// settle gives the ticket the caller's own verdict.
func (d *Desk) settle(ctx context.Context, c *call.Call, t *approval.Ticket, v approval.Verdict) (*approval.Ticket, error) {
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

// box reads a box of the form: whether it is ticked, and whether it is one at all. One
// that need not be there is not ticked where it is absent.
func box(answer []byte, pointer string, needed bool) (ticked, ok bool) {
	raw, there := protocol.Lookup(answer, pointer)
	if !there {
		return false, !needed
	}
	return string(raw) == "true", string(raw) == "true" || string(raw) == "false"
}

// form is the elicitation's params: what is about to happen, and a box to tick; where
// policy lets a yes stand for later calls, another one.
func form(c *call.Call, t *approval.Ticket, s *approval.Sheet) []byte {
	out := protocol.AppendString([]byte(`{"message":`), message(c, t, s))
	out = append(out, `,"requestedSchema":{"type":"object","properties":{"approve":{"type":"boolean","title":"Let this call run once","default":false}`...)
	if stands := approval.Remembers(c.Decision.Obligations.Approvals); stands > 0 {
		title := fmt.Sprintf("Let later calls of this tool run too, whatever their arguments, for %s", stands.Round(time.Second))
		out = protocol.AppendString(append(out, `,"remember":{"type":"boolean","title":`...), title)
		out = append(out, `,"default":false}`...)
	}
	return append(out, `},"required":["approve"]}}`...)
}

// page is the elicitation's params that send a person to our page.
func page(c *call.Call, t *approval.Ticket, s *approval.Sheet) []byte {
	out := protocol.AppendString([]byte(`{"mode":"url","message":`), message(c, t, s)+"\n\nWho may approve it signs in on the page, and answers there. Then the call is repeated.")
	return append(protocol.AppendString(append(out, `,"url":`...), c.World.Console+pagePath+t.ID), '}')
}

// question is the result by which a modern host is asked.
func question(key string, params []byte) []byte {
	out := protocol.AppendString([]byte(`{"resultType":"input_required","inputRequests":{`), key)
	out = append(append(out, `:{"method":"`+protocol.MethodElicit+`","params":`...), params...)
	return append(out, `}}}`...)
}
