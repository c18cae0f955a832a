package execute

import (
	"context"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/consent"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/execute/output"
	"mcp-gateway/proxy/execute/pace"
	"mcp-gateway/proxy/handles"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/reconcile"
	"mcp-gateway/proxy/record"
	"mcp-gateway/proxy/retry"
	"mcp-gateway/proxy/ruling"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/proxy/stepup"
	"mcp-gateway/proxy/throttle"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
)

// Executor takes calls to their upstreams and back.
type Executor struct {
	Sight    *sight.Sight
	Record   *record.Recorder
	Refresh  call.Refresher
	Slots    *throttle.Slots
	Meter    *throttle.Meter
	Redactor *redact.Redactor
	Keys     *keyring.Ring // seals what goes from round to round
	Hop      *present.Hop
	Ruling   *ruling.Ruling
	Effects  *effect.Book // of calls with side effects
	Consents *consent.Desk
	Handles  *handles.Desk   // nil = none are bound
	Status   *reconcile.Desk // asks what became of calls with side effects
	Retry    retry.Plan
}

// method is what the methods that reach an upstream do differently.
type method struct {
	// resolve reads the params: it sets Name and Arguments, and Item or Missing.
	// The catalog is set.
	resolve func(c *call.Call) error
	// check holds the arguments against the pinned definition.
	check func(c *call.Call) error
	// params renders what is sent, from nothing but what was judged; name is what
	// Mcp-Name says.
	params func(c *call.Call) (name string, params []byte)
	// output holds a complete result against its contract.
	output func(c *call.Call) error
	// clean makes a complete result safe to pass on and sets Clean and Result.
	clean func(x *Executor, c *call.Call) error
	// asks says whether the upstream may ask before it goes on (2026-07-28, Multi
	// Round-Trip Requests, Supported Requests).
	asks bool
}

// stages are the corridor of a method. Each answers one question; their order is
// proved by the facts they need and set.
func (x *Executor) stages(m *method) []call.Stage {
	return []call.Stage{
		{Name: "resolve", Needs: []call.Fact{call.FactRequest}, Sets: []call.Fact{call.FactResolved},
			Run: func(_ context.Context, c *call.Call) error {
				c.Catalog = x.Sight.Catalog()
				return m.resolve(c)
			}},
		{Name: "visible", Needs: []call.Fact{call.FactResolved, call.FactPrincipal}, Sets: []call.Fact{call.FactItem, call.FactVisible}, Run: x.visible},
		{Name: "keyed", Needs: []call.Fact{call.FactItem, call.FactVisible}, Sets: []call.Fact{call.FactKeyed},
			Run: func(_ context.Context, c *call.Call) error {
				if err := pace.Hurry(c); err != nil {
					return err
				}
				return effect.Keyed(c)
			}},
		{Name: "checkInput", Needs: []call.Fact{call.FactItem, call.FactVisible, call.FactKeyed}, Sets: []call.Fact{call.FactArguments},
			Run: func(_ context.Context, c *call.Call) error { return m.check(c) }},
		{Name: "recall", Needs: []call.Fact{call.FactItem, call.FactArguments}, Sets: []call.Fact{call.FactRound},
			Run: func(ctx context.Context, c *call.Call) error {
				if err := x.Handles.Take(ctx, c); err != nil {
					return err
				}
				return x.recall(m, c)
			}},
		{Name: "recheck", Needs: []call.Fact{call.FactVisible}, Sets: []call.Fact{call.FactCurrent}, Run: x.recheck},
		{Name: "decide", Needs: []call.Fact{call.FactArguments, call.FactRound, call.FactCurrent}, Sets: []call.Fact{call.FactDecided}, Run: x.decide},
		{Name: "repeat", Needs: []call.Fact{call.FactKeyed, call.FactDecided}, Sets: []call.Fact{call.FactRepeat}, Run: x.Effects.Repeat, Settle: x.Effects.Repeated},
		{Name: "consent", Needs: []call.Fact{call.FactDecided, call.FactRepeat}, Sets: []call.Fact{call.FactPermit}, Run: fresh(x.Consents.Consent)},
		{Name: "transform", Needs: []call.Fact{call.FactPermit}, Sets: []call.Fact{call.FactOwed},
			Run: fresh(func(_ context.Context, c *call.Call) error { return ruling.Transform(c, m.check) })},
		{Name: "admit", Needs: []call.Fact{call.FactOwed}, Sets: []call.Fact{call.FactSlot}, Run: fresh(x.admit), Settle: x.giveBack},
		{Name: "enter", Needs: []call.Fact{call.FactPermit, call.FactOwed, call.FactSlot, call.FactRepeat}, Sets: []call.Fact{call.FactEntered}, Run: x.Effects.Enter, Settle: x.Effects.Settle},
		{Name: "intend", Needs: []call.Fact{call.FactPermit, call.FactEntered}, Sets: []call.Fact{call.FactIntent}, Run: x.Record.Intend, Settle: x.conclude},
		{Name: "forward", Needs: []call.Fact{call.FactItem, call.FactRound, call.FactPermit, call.FactIntent}, Sets: []call.Fact{call.FactIncoming},
			Run: fresh(func(ctx context.Context, c *call.Call) error { return x.forward(ctx, m, c) })},
		{Name: "checkOutput", Needs: []call.Fact{call.FactIncoming}, Sets: []call.Fact{call.FactChecked},
			Run: fresh(func(_ context.Context, c *call.Call) error { return x.checkOutput(m, c) })},
		{Name: "confirm", Needs: []call.Fact{call.FactChecked}, Sets: []call.Fact{call.FactConfirmed}, Run: fresh(x.confirm)},
		{Name: "redact", Needs: []call.Fact{call.FactChecked}, Sets: []call.Fact{call.FactClean},
			Run: fresh(func(_ context.Context, c *call.Call) error { return x.redact(m, c) })},
		{Name: "release", Needs: []call.Fact{call.FactClean}, Sets: []call.Fact{call.FactReleased},
			Run: fresh(func(ctx context.Context, c *call.Call) error {
				if err := x.Ruling.Release(ctx, c, output.Structured); err != nil {
					return err
				}
				return x.Handles.Give(ctx, c)
			})},
	}
}

// fresh passes by what only a call needs that is sent: one whose outcome is on record
// is not.
func fresh(run func(context.Context, *call.Call) error) func(context.Context, *call.Call) error {
	return func(ctx context.Context, c *call.Call) error {
		if c.Replays() {
			return nil
		}
		return run(ctx, c)
	}
}

// Await lets calls wait at the desk for what policy asks about.
func (x *Executor) Await(d *consent.Desk) {
	d.Decide = x.decide
	d.Holds = func(c *call.Call) gateway.Reason { return x.Sight.Holds(c.Item) }
	x.Consents = d
}

// confirm looks a write's external id up by the reviewed status tool, where the
// reviewer wants that. What is not found is not said to be verified, and nothing
// else: the call ran.
func (x *Executor) confirm(ctx context.Context, c *call.Call) error {
	if c.Effect == nil || c.Effect.ExternalID == "" {
		return nil
	}
	if q := c.Item.Item().Facts.Status; q != nil && q.Verify {
		ctx, cancel := context.WithTimeout(ctx, c.Remaining())
		defer cancel()
		x.Status.Confirm(ctx, c)
	}
	return nil
}

// conclude puts the outcome on record as the ledger will have it.
func (x *Executor) conclude(ctx context.Context, c *call.Call) error {
	effect.Weigh(c)
	return x.Record.Conclude(ctx, c)
}

// visible asks the same question as a list does, from the same cache. It asks
// it also for a name that means nothing here, and what is hidden goes on as if it
// meant nothing, so that absent, quarantined and hidden items cost the same, on
// record too: no digest of arguments, no durability by class. The reason on record
// alone tells them apart.
func (x *Executor) visible(ctx context.Context, c *call.Call) error {
	view, _, err := x.Sight.View(ctx, c)
	if err != nil {
		return err
	}
	c.View = view
	if c.Missing == "" && c.Request.Method == protocol.MethodResourcesRead {
		c.Item, c.Missing = c.Catalog.ReachURI(c.Scope, c.Name, view.Has)
	}
	if c.Missing == "" && !view.Has(c.Item.Item().Index) {
		c.Missing = gateway.ReasonNotVisible
	}
	if c.Missing == "" {
		return nil
	}
	c.Item = registry.Pinned{}
	if awaited(c) {
		c.Missing = gateway.ReasonUpstreamDown
		return gateway.Fail(gateway.CodeUnavailable, c.Missing)
	}
	return gateway.Fail(unknown(c), c.Missing)
}

// awaited says whether a name will mean something to this principal once its upstream
// gives its list: what is reviewed and visible is not unknown, only not there yet.
func awaited(c *call.Call) bool {
	kind := gateway.KindTool
	switch c.Request.Method {
	case protocol.MethodToolsCall:
	case protocol.MethodPromptsGet:
		kind = gateway.KindPrompt
	default:
		return false
	}
	item := c.Catalog.Await(kind, c.Scope, c.Name)
	return item != nil && c.View.Has(item.Index) && c.World.Upstreams[item.ID.Upstream] != nil
}

// recheck holds a destructive item against the newest snapshot, after asking its
// upstream for the list that it serves now.
func (x *Executor) recheck(ctx context.Context, c *call.Call) error {
	item := c.Item.Item()
	if item.Facts.Class() != gateway.Destructive || item.Record == nil {
		return nil
	}
	if err := x.Refresh.Refresh(ctx, item.ID.Upstream); err != nil {
		return gateway.Because(gateway.CodeUnavailable, err, gateway.ReasonUpstreamDown)
	}
	if reason := x.Sight.Holds(c.Item); reason != "" {
		return gateway.Fail(gateway.CodeQuarantined, reason)
	}
	return nil
}

// decide asks policy about this very call.
func (x *Executor) decide(ctx context.Context, c *call.Call) error {
	c.Decision = c.World.Policy.Decide(ctx, c.Principal, c.Catalog.Resources[c.Item.Item().Index], c.Arguments, x.Ruling.Circumstance(c))
	permit, ok := c.Decision.Permit()
	if ok {
		c.Permit = permit
		return nil
	}
	switch {
	case c.Decision.Effect == gateway.Ask:
		return nil // somebody may consent
	case unanswered(c.Decision.Reasons):
		return gateway.Fail(gateway.CodePolicyUnavailable, c.Decision.Reasons...)
	case c.Decision.Effect == gateway.Deny:
		if e := stepup.Refusal(c.Principal, c.Decision.Reasons, c.Item.Item().Facts.Scopes, c.Arguments); e != nil {
			return e
		}
	}
	return gateway.Fail(gateway.CodeForbidden, c.Decision.Reasons...)
}

// unanswered says whether policy failed rather than refused.
func unanswered(reasons []gateway.Reason) bool {
	for _, r := range reasons {
		switch r {
		case gateway.ReasonPolicyError, gateway.ReasonPolicyTimeout:
			return true
		}
	}
	return false
}

// admit takes a place at the upstream, before anything is put on record: an
// upstream that is full costs its own callers only.
func (x *Executor) admit(_ context.Context, c *call.Call) error {
	id := c.Item.Item().ID.Upstream
	if c.World.Upstreams[id] == nil {
		return gateway.Fail(gateway.CodeUnavailable, gateway.ReasonUpstreamDown)
	}
	if e := pace.Rates(x.Meter, c); e != nil {
		return e
	}
	leave, ok := x.Slots.Enter("upstream|"+id, c.World.Limits.PerUpstream)
	if !ok {
		e := gateway.Fail(gateway.CodeUnavailable, gateway.ReasonBusy)
		e.RetryAfter = throttle.Retry
		return e
	}
	c.Release = append(c.Release, leave)
	return nil
}

// giveBack returns what the call had taken, and takes what it cost.
func (x *Executor) giveBack(_ context.Context, c *call.Call) error {
	c.GiveBack()
	if budget := pace.Results(c); budget.Rate.N > 0 {
		x.Meter.Spend(c.Now(), budget, len(c.Result))
	}
	return nil
}
