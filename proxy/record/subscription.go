package record

import (
	"context"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
)

// Opened puts on record that a host is told of changes from now on: of how many
// lists and resources, and how many resources it may not read. The events of one
// subscription have one action.
func (r *Recorder) Opened(ctx context.Context, c *call.Call) error {
	c.Action = audit.NewID(c.Clock())
	e := r.event(c, audit.SubscriptionOpened)
	e.Era, e.Revision = c.Era, audit.Revision(c.Revision)
	for _, told := range [...]bool{c.Heard.Tools, c.Heard.Prompts, c.Heard.Resources} {
		if told {
			e.Offered++
		}
	}
	wanted, _ := c.Heard.Wanted.All()
	e.Offered, e.Withheld = e.Offered+uint32(len(wanted)), uint32(c.Heard.Refused)
	_, err := r.append(c, e)
	return err
}

// Unsubscribed puts on record that a session wants a resource no more.
func (r *Recorder) Unsubscribed(ctx context.Context, c *call.Call) error {
	_, err := r.append(c, r.event(c, audit.SubscriptionClosed))
	return err
}

// Closed puts on record that a subscription ended, why, and how much was told.
func (r *Recorder) Closed(ctx context.Context, c *call.Call) error {
	if c.Action.IsZero() || !c.OnRecord {
		return nil // it never opened, and Refused says so
	}
	e := &audit.Event{
		Type: audit.SubscriptionClosed, Action: c.Action, Code: code(c),
		Count: uint64(c.Heard.Told), Duration: c.Clock().Sub(c.Started),
	}
	if c.Heard.Ended != "" {
		e.Reasons = []gateway.Reason{c.Heard.Ended}
	}
	_, err := r.append(c, e)
	return err
}
