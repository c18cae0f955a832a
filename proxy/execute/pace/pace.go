package pace

import (
	"strconv"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/effect"
)

// longestWait bounds what a host may say of its own patience.
const longestWait = time.Hour

// Hurry reads how long the host waits for this call, in milliseconds from its
// arrival. It only ever shortens what the call may take.
func Hurry(c *call.Call) error {
	raw, ok := protocol.Member(c.Request.Meta.Raw, call.MetaTimeout)
	if !ok {
		return nil
	}
	ms, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || ms < 1 || ms > longestWait.Milliseconds() {
		return gateway.Fail(gateway.CodeInvalidParams, gateway.ReasonDeadline)
	}
	c.Deadline = c.Started.Add(time.Duration(ms) * time.Millisecond)
	return nil
}

// Safe says whether a call may be sent once more after it was not answered: nothing
// was sent, or it only reads, or it was reviewed as one that may run twice, with
// the very key that its upstream got. What asked somebody meanwhile is not.
func Safe(c *call.Call, out *protocol.Outgoing) bool {
	facts := c.Item.Item().Facts
	switch {
	case !c.Incoming.Sent:
		return true
	case c.Round.Again, out.Ask != nil:
		return false
	case facts.Class() == gateway.Read, facts.Idempotent == gateway.IdempotentYes:
		return true
	}
	return facts.Idempotent == gateway.IdempotentKey && effect.Carries(c)
}
