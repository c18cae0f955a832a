package signs

import (
	"context"
	"slices"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/telemetry"
)

// Observe returns what is called with every settled call, nil where nothing is
// told.
func Observe(t *telemetry.Telemetry) func(*proxy.Call) {
	if t == nil {
		return nil
	}
	return func(c *proxy.Call) { t.Settled(context.Background(), told(c)) }
}

func told(c *proxy.Call) *telemetry.Call {
	out := &telemetry.Call{
		HTTP: c.Transport == string(audit.HTTP), Began: c.Started, Retries: c.Retries, Took: c.Clock().Sub(c.Started),
		Waited: micros(c, audit.StageForward), Decided: micros(c, audit.StageDecide), Effect: c.Decision.Effect,
	}
	if req := c.Request; req != nil {
		out.Method, out.Known = req.Method, audit.Method(req.Method).Known()
		out.Named = c.Name != "" && req.Method != ""
		out.TraceParent, out.TraceState = req.Meta.TraceParent, req.Meta.TraceState
		if slices.Contains(protocol.Revisions(), c.Revision) {
			out.Revision = c.Revision
		}
	}
	if c.Err != nil {
		out.Code = c.Err.Code
	} else if c.Business {
		out.Code = gateway.CodeBusinessError
	}
	out.Warned, out.Watched = c.Decision.Warned, c.Decision.Watched
	if len(c.Decision.Reasons) > 0 {
		out.Reason = c.Decision.Reasons[0]
	}
	for s := range audit.StageForward {
		out.Sent = out.Sent.Add(micros(c, s))
	}
	out.Sent = c.Started.Add(out.Sent.Sub(time.Time{}))
	name(c, out)
	for _, n := range c.Clean.Report().Redactions {
		if out.Redactions == nil {
			out.Redactions = map[string]int{}
		}
		out.Redactions[n.Class] += n.N
	}
	return out
}

// name takes the names that a reviewer approved, and no others.
func name(c *proxy.Call, out *telemetry.Call) {
	if !c.Item.Valid() {
		return
	}
	t := c.Item.Item()
	out.Upstream = t.ID.Upstream
	switch {
	case t.Record == nil: // its upstream is trusted unreviewed
	case t.ID.Kind == gateway.KindTool:
		out.Tool = t.Exposed
	case t.ID.Kind == gateway.KindPrompt:
		out.Prompt = t.Exposed
	}
}

func micros(c *proxy.Call, s audit.Stage) time.Duration {
	return time.Duration(c.Stages[s]) * time.Microsecond
}
