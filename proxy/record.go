package proxy

import (
	"context"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// intend puts the decision on record. Nothing is sent upstream before this
// event is durable by the class of the tool's side effect.
func (g *Gateway) intend(ctx context.Context, c *Call) error {
	c.Action = audit.NewID(c.clock())
	e := g.event(c, audit.ToolDecided)
	return g.append(ctx, c, e)
}

// conclude puts the outcome on record, before the answer leaves. If that fails
// the answer is withheld, and the host is told that the call may have run.
func (g *Gateway) conclude(ctx context.Context, c *Call) error {
	if !c.onRecord {
		return nil // intend failed: nothing was sent, and record says so
	}
	if c.Outcome == "" { // a stage broke between decision and answer
		c.Outcome = gateway.OutcomeUnknown
	}
	e := &audit.Event{
		Type:        audit.ToolFinished,
		Action:      c.Action,
		Code:        c.code(),
		Outcome:     c.Outcome,
		ResultBytes: uint64(len(c.Result)),
		Stages:      c.stages,
		Duration:    c.clock().Sub(c.started),
	}
	if c.Err != nil {
		e.Reasons = c.Err.Reasons
	}
	report := c.Clean.Report()
	for _, r := range report.Redactions {
		e.Redactions = append(e.Redactions, audit.Count{Class: r.Class, N: uint32(r.N)})
	}
	for _, r := range report.Removed {
		e.Findings = append(e.Findings, audit.Count{Class: r.Class, N: uint32(r.N)})
	}
	return g.append(ctx, c, e)
}

// note puts a list or a discovery on record, before its answer leaves.
func (g *Gateway) note(ctx context.Context, c *Call) error {
	if c.Err != nil {
		return nil // record tells of it
	}
	e := g.event(c, audit.ToolsListed)
	var offered, withheld []string
	for _, t := range c.Listed.Tools {
		if c.View.Has(t.Index) {
			offered = append(offered, t.Exposed)
		} else {
			withheld = append(withheld, t.Exposed)
		}
	}
	e.Offered, e.OfferedDigest = uint32(len(offered)), audit.DigestNames(offered)
	e.Withheld, e.WithheldDigest = uint32(len(withheld)), audit.DigestNames(withheld)
	return g.append(ctx, c, e)
}

// record gives every request that was stopped earlier its one event, and tells
// the operator's log. Strangers are only counted.
func (g *Gateway) record(ctx context.Context, c *Call) error {
	if g.Log != nil && c.Err != nil {
		defer g.Log(c)
	}
	if c.onRecord || c.Err == nil {
		return nil
	}
	if c.Principal == nil || c.Err.Code == gateway.CodeRateLimited {
		g.floods.Count(c.Source, c.Err.Code)
		return nil
	}
	t := audit.RequestRefused
	if c.Request != nil && c.Request.Method == protocol.MethodToolsCall {
		t = audit.ToolRefused
	}
	return g.append(ctx, c, g.event(c, t))
}

// append makes an event durable, within the time that audit is given.
func (g *Gateway) append(ctx context.Context, c *Call, e *audit.Event) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.World.Limits.AuditTimeout)
	defer cancel()
	class := gateway.Read
	if c.Item.Valid() {
		class = c.Item.Item().Facts.Class()
	}
	if _, err := g.Journal.Append(ctx, e, c.World.Durability[class]); err != nil {
		return gateway.Because(gateway.CodeAuditUnavailable, err)
	}
	c.onRecord = true
	return nil
}

// code is what the event says became of the call: of a business error and of
// success alike nothing failed here.
func (c *Call) code() gateway.Code {
	switch {
	case c.Err != nil:
		return c.Err.Code
	case c.business:
		return gateway.CodeBusinessError
	default:
		return ""
	}
}

// event says of a call what is known of it so far.
func (g *Gateway) event(c *Call, t audit.Type) *audit.Event {
	e := &audit.Event{
		Type:      t,
		Action:    c.Action,
		Transport: audit.Transport(c.Transport),
		Code:      c.code(),
		Policy:    audit.Version(c.World.Policy.Revision()),
		Upstream:  audit.Ident(c.Scope),
	}
	if c.Err != nil {
		e.Reasons = c.Err.Reasons
	}
	if t != audit.ToolDecided {
		e.Stages, e.Duration = c.stages, c.clock().Sub(c.started)
	}
	g.describeCaller(c, e)
	describeTool(g, c, e)
	return e
}

func (g *Gateway) describeCaller(c *Call, e *audit.Event) {
	id := ""
	if p := c.Principal; p != nil {
		id = p.ID()
		e.Principal = g.Names.Principal(id)
		e.Tenant, e.Client = audit.Label(p.Tenant), audit.Label(p.Client)
		if c.World.ClearSubjects {
			e.Subject = audit.Label(p.Subject)
		}
	}
	if r := c.Request; r != nil {
		e.Method, e.Request = audit.Method(r.Method), g.Names.Request(id, r.ID)
		e.Era, e.Revision = c.Era, audit.Revision(c.Revision)
		e.Trace = audit.ParseTrace(r.Meta.TraceParent)
		if len(c.Arguments) > 0 && c.Item.Valid() {
			e.ArgsBytes = uint64(len(c.Arguments))
			e.Args = g.Names.Args(id, c.Item.Item().ID, protocol.AppendCanonical(make([]byte, 0, len(c.Arguments)), c.Arguments))
		}
		if c.Name != "" && !c.Item.Valid() {
			e.ToolRef = g.Names.Name(id, c.Name)
		}
	}
}

func describeTool(g *Gateway, c *Call, e *audit.Event) {
	if !c.Item.Valid() {
		return
	}
	t := c.Item.Item()
	e.Tool, e.Upstream = audit.Ident(t.Exposed), audit.Ident(t.ID.Upstream)
	e.Definition, e.State = t.Definition.Digest, gateway.StateApproved
	if up := c.World.Upstreams[t.ID.Upstream]; up != nil {
		fact := up.Fact()
		e.UpstreamEra, e.UpstreamRevision = audit.Era(fact.Era), audit.Revision(fact.Revision)
	}
	if c.Decision.Effect != "" {
		e.Effect = c.Decision.Effect
		if len(e.Reasons) == 0 {
			e.Reasons = c.Decision.Reasons
		}
	}
}

// Run counts floods until ctx ends, one event per second and source.
func (g *Gateway) Run(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		g.recordFloods(ctx)
	}
}

func (g *Gateway) recordFloods(ctx context.Context) {
	for f, n := range g.floods.Take() {
		e := &audit.Event{Type: audit.RefusedCounted, Code: f.Code, Count: uint64(n), Source: g.Names.Source(f.Source)}
		_, _ = g.Journal.Append(context.WithoutCancel(ctx), e, audit.Process) // a count that is lost refused nobody less
	}
}
