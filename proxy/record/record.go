package record

import (
	"context"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/history"
	"mcp-gateway/proxy/throttle"
	"mcp-gateway/redact"
)

// Recorder writes the events of calls.
type Recorder struct {
	Journal call.Journal
	Names   *audit.Keys
	Floods  *throttle.Floods
	Inputs  call.Inputs   // keeps what policy was asked; nil = not kept
	Details call.Details  // keeps arguments; nil = they are not kept
	History *history.Book // how often each principal called, for policies that look at it
	// Log is told of every failed call once it is settled; nil for none.
	Log func(*call.Call)
	// Settled is told of every call once it is settled; nil for none.
	Settled func(*call.Call)

	waits waits
}

// Intend puts the decision on record. Nothing is sent upstream before this
// event is durable by the class of the tool's side effect.
func (r *Recorder) Intend(ctx context.Context, c *call.Call) error {
	if c.Replays() {
		return nil // nothing will be sent
	}
	if c.Action.IsZero() { // else it goes on after its upstream had asked
		c.Action = c.ID
	}
	var err error
	if c.Decided, err = r.append(c, r.event(c, audit.ToolDecided)); err != nil {
		return err
	}
	r.detail(c, c.Action)
	if c.World.Policy.Needs().History {
		r.History.Called(c.Principal.ID(), c.Item.Item().ID, c.Item.Item().Facts.Class(), c.Now())
	}
	return nil
}

// Conclude puts the outcome on record, before the answer leaves. If that fails
// the answer is withheld, and the host is told that the call may have run: of one
// that only reads, that it could not be put on record, since it may be repeated.
func (r *Recorder) Conclude(ctx context.Context, c *call.Call) error {
	if !c.OnRecord || c.Replays() {
		return nil // intend failed: nothing was sent, and Refused says so
	}
	if c.Outcome == "" { // a stage broke between decision and answer
		c.Outcome = gateway.OutcomeUnknown
	}
	e := &audit.Event{
		Type:        audit.ToolFinished,
		Action:      c.Action,
		Code:        code(c),
		Outcome:     c.Outcome,
		ResultBytes: uint64(len(c.Result)),
		Retries:     c.Retries,
		Stages:      c.Stages.After(audit.StageAdmit),
		Duration:    c.Clock().Sub(c.Started),
	}
	if c.Err != nil {
		e.Reasons = c.Err.Reasons
	}
	report := c.Clean.Report()
	for _, n := range report.Redactions {
		e.Redactions = append(e.Redactions, audit.Count{Class: n.Class, N: uint32(n.N)})
	}
	for _, n := range report.Removed {
		e.Findings = append(e.Findings, audit.Count{Class: n.Class, N: uint32(n.N)})
	}
	for _, f := range report.Findings {
		if redact.IsMeaning(f.Code) {
			e.Findings = append(e.Findings, audit.Count{Class: f.Code, N: 1})
		}
	}
	var err error
	c.Finished, err = r.append(c, e)
	if err != nil && c.Item.Valid() && c.Item.Item().Facts.Class() != gateway.Read {
		return gateway.Because(gateway.CodeOutcomeUnknown, err)
	}
	return err
}

// Note puts a list or a discovery on record, before its answer leaves.
func (r *Recorder) Note(ctx context.Context, c *call.Call) error {
	if c.Err != nil {
		return nil // Refused tells of it
	}
	e := r.event(c, audit.ToolsListed)
	o := c.Listed.Offer
	if o == nil {
		made := call.NewOffer(c.Listed.Items, c.View)
		o = &made
	}
	e.Offered, e.OfferedDigest, e.Withheld, e.WithheldDigest = o.Offered, o.OfferedDigest, o.Withheld, o.WithheldDigest
	_, err := r.append(c, e)
	return err
}

// Refused gives every request that was stopped earlier its one event, and tells
// the operator's log. Strangers are only counted.
func (r *Recorder) Refused(ctx context.Context, c *call.Call) error {
	if r.Settled != nil {
		defer r.Settled(c)
	}
	if r.Log != nil && c.Err != nil {
		defer r.Log(c)
	}
	if c.OnRecord || c.Err == nil {
		return nil
	}
	if c.Principal == nil || c.Err.Code == gateway.CodeRateLimited && c.Request == nil {
		r.Floods.Count(c.Source, c.Err.Code)
		return nil
	}
	t := audit.RequestRefused
	if c.Request != nil && reaches(c.Request.Method) {
		t = audit.ToolRefused
		if c.World.Policy.Needs().History {
			r.History.Refused(c.Principal.ID(), c.Now())
		}
	}
	e := r.event(c, t)
	if e.Action.IsZero() {
		e.Action = c.ID // the id that the answer names, to be found by
	}
	if t == audit.ToolRefused {
		r.detail(c, e.Action)
	}
	_, err := r.append(c, e)
	return err
}

// detail keeps the arguments of a call of something that is known.
func (r *Recorder) detail(c *call.Call, action audit.ID) {
	if r.Details != nil && c.Item.Valid() {
		r.Details.Keep(action, c.Arguments)
	}
}

// reaches says whether a method is a call of something that an upstream offers.
func reaches(method string) bool {
	switch method {
	case protocol.MethodToolsCall, protocol.MethodPromptsGet, protocol.MethodResourcesRead, protocol.MethodComplete:
		return true
	}
	return false
}

// append makes an event durable, within the time that audit is given: whether the host
// is there still does not matter.
func (r *Recorder) append(c *call.Call, e *audit.Event) (audit.Position, error) {
	at, err := r.Journal.Append(r.waits.within(c.World.Limits.AuditTimeout), e, durability(c))
	if err != nil {
		return audit.Position{}, gateway.Because(gateway.CodeAuditUnavailable, err)
	}
	c.OnRecord = true
	return at, nil
}

// durability is that of the class of side effect, or more if a reviewer wants it.
func durability(c *call.Call) audit.Durability {
	if !c.Item.Valid() {
		return c.World.Durability[gateway.Read]
	}
	facts := c.Item.Item().Facts
	if facts.Audit == gateway.AuditDisk {
		return audit.Disk
	}
	return c.World.Durability[facts.Class()]
}

// code is what the event says became of the call: of a business error and of
// success alike nothing failed here.
func code(c *call.Call) gateway.Code {
	switch {
	case c.Err != nil:
		return c.Err.Code
	case c.Business:
		return gateway.CodeBusinessError
	default:
		return ""
	}
}

// event says of a call what is known of it so far.
func (r *Recorder) event(c *call.Call, t audit.Type) *audit.Event {
	e := &audit.Event{
		Type:      t,
		Action:    c.Action,
		Transport: audit.Transport(c.Transport),
		Code:      code(c),
		Policy:    audit.Version(c.World.Policy.Revision()).Short(),
		Upstream:  audit.Ident(c.Scope),
	}
	if c.Err != nil {
		e.Reasons = c.Err.Reasons
	}
	e.Stages = c.Stages.Notable()
	if t != audit.ToolDecided {
		e.Duration = c.Clock().Sub(c.Started)
	}
	r.describeCaller(c, e)
	describeItem(c, e)
	r.describeDecision(c, e)
	return e
}

func (r *Recorder) describeCaller(c *call.Call, e *audit.Event) {
	id := ""
	if p := c.Principal; p != nil {
		id = p.ID()
		e.Principal = r.Names.Principal(id)
		e.Tenant, e.Client = audit.Label(p.Tenant), audit.Label(p.Client)
		if c.World.ClearSubjects {
			e.Subject = audit.Label(p.Subject)
		}
	}
	if req := c.Request; req != nil {
		e.Method, e.Request = audit.Method(req.Method), r.Names.Request(id, req.ID)
		e.Era, e.Revision = c.Era, audit.Revision(c.Revision)
		e.Trace = audit.ParseTrace(req.Meta.TraceParent)
		e.Run, e.Step, e.Call = audit.HostRef(req.Meta.Run), audit.HostRef(req.Meta.Step), audit.HostRef(req.Meta.Call)
		if len(c.Arguments) > 0 && c.Item.Valid() {
			e.ArgsBytes = uint64(len(c.Arguments))
			e.Args = r.Names.Args(id, c.Item.Item().ID, protocol.AppendCanonical(make([]byte, 0, len(c.Arguments)), c.Arguments))
		}
		if c.Name != "" && !named(c) {
			e.ToolRef = r.Names.Name(id, c.Name) // of a known name too: how long it takes must not tell which it is
			if known := audit.Ident(c.Known); known.Valid() {
				e.Tool, e.ToolRef = known, ""
			}
		}
	}
}

// named says whether what was called has a name that may be written: a tool or a
// prompt that is served. A URI may hold anything.
func named(c *call.Call) bool {
	return c.Item.Valid() && audit.Ident(c.Item.Item().Exposed).Valid()
}

func describeItem(c *call.Call, e *audit.Event) {
	if !c.Item.Valid() {
		return
	}
	t := c.Item.Item()
	e.Upstream = audit.Ident(t.ID.Upstream)
	if named(c) {
		e.Tool = audit.Ident(t.Exposed)
	}
	e.Definition, e.Schema, e.State = t.Definition.Digest, t.Definition.Contract, t.State
	if t.Facts != nil {
		e.Class = t.Facts.Class()
	}
	if c.Err != nil {
		e.Faults = faults(t.Definition.InputSchema, c.Err.Violations)
	}
	if up := c.World.Upstreams[t.ID.Upstream]; up != nil {
		fact := up.Fact()
		e.UpstreamEra, e.UpstreamRevision = audit.Era(fact.Era), audit.Revision(fact.Revision)
		e.UpstreamVersion = audit.Claimed(fact.ClaimedVersion)
	}
}

// Run counts floods until ctx ends, one event per second and source.
func (r *Recorder) Run(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		r.recordFloods(ctx)
	}
}

func (r *Recorder) recordFloods(ctx context.Context) {
	for f, n := range r.Floods.Take() {
		e := &audit.Event{Type: audit.RefusedCounted, Code: f.Code, Count: uint64(n), Source: r.Names.Source(f.Source)}
		_, _ = r.Journal.Append(context.WithoutCancel(ctx), e, audit.Process) // a count that is lost refused nobody less
	}
}
