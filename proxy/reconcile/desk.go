package reconcile

import (
	"context"
	"slices"
	"sync"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/retry"
	"mcp-gateway/receipt"
)

// How fast status tools are asked: an action first after about a second, then
// after pauses that double up to about five minutes, for as long as it is unknown.
const (
	beat    = time.Second
	longest = 5 * time.Minute
	// deaths is how often, in beats, actions are looked for whose gateway died.
	deaths = 10
	// forgets is how often, in beats, keys are let go of whose time is over.
	forgets = 3600
	// naming is how long the external id of what is known to have run is asked for.
	naming = 24 * time.Hour
	// atOnce bounds how many actions one round looks at.
	atOnce = 1000
)

// pace keeps status tools from being asked too often about one action.
type pace struct {
	mu   sync.Mutex
	due  map[string]time.Time
	asks map[string]int
}

// mine says whether the action may be asked about now, and if so that it was.
func (p *pace) mine(action string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.due == nil {
		p.due, p.asks = map[string]time.Time{}, map[string]int{}
	}
	if now.Before(p.due[action]) {
		return false
	}
	p.asks[action]++
	plan := retry.Default()
	plan.First, plan.Most = 2*beat, longest
	p.due[action] = now.Add(plan.Pause(p.asks[action]))
	return true
}

// forget drops what is not unknown any more.
func (p *pace) forget(open []receipt.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := make(map[string]bool, len(open))
	for i := range open {
		left[open[i].Action] = true
	}
	for action := range p.due {
		if !left[action] {
			delete(p.due, action)
			delete(p.asks, action)
		}
	}
}

// Ask asks about an action unless that was done a moment ago, and returns it as it
// stands then. It is what a caller's repeat of an unknown call does, in that caller's
// right where the upstream is called so.
func (d *Desk) Ask(ctx context.Context, w *call.World, on gateway.Behalf, e *receipt.Entry) (*receipt.Entry, error) {
	if !d.pace.mine(e.Action, d.Clock()) {
		return e, nil
	}
	return d.Settle(ctx, w, on, e)
}

// Settle asks about an action now. One whose outcome is unknown is settled as committed
// if its external id is found; one that ran is given its id. It returns the action as it
// stands then: as it was, where nothing was found. An error says that nobody could be
// asked.
func (d *Desk) Settle(ctx context.Context, w *call.World, on gateway.Behalf, e *receipt.Entry) (*receipt.Entry, error) {
	key, err := d.Effects.Key(e)
	if err != nil {
		return nil, err
	}
	action, _ := audit.ParseID(e.Action)
	a, err := d.ask(ctx, w, on, e.Item, action, key)
	if err != nil || a.id == "" {
		return e, err
	}
	outcome := gateway.OutcomeCommitted
	if effect.Nameless(e) {
		outcome = e.State
	}
	return d.Effects.Reconcile(ctx, e, effect.Verdict{
		Outcome: outcome, ExternalID: a.id, VerifiedBy: a.tool, Source: receipt.SourceStatus, By: a.tool,
	})
}

// Run asks about all that is unknown, each with its own back-off, settles what dead
// gateways left in flight, and lets go of keys whose time is over, until ctx ends.
func (d *Desk) Run(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n%deaths == 0 {
			_, _ = d.Effects.Recover(ctx) // what fails now is tried again, and by the next repeat
		}
		if n%forgets == 0 {
			_, _ = d.Effects.Forget(ctx) // likewise
		}
		d.round(ctx)
	}
}

// round looks at all that is unknown, and at what ran under no name, which the journal
// does not tell: for a day, since an upstream that does not name it then will not.
func (d *Desk) round(ctx context.Context) {
	var nobody gateway.Behalf
	open, err := d.Effects.Ledger.Actions(ctx, receipt.Filter{States: []gateway.Outcome{gateway.OutcomeUnknown}, Limit: atOnce})
	if err != nil {
		return // the next beat asks again
	}
	nameless, err := d.Effects.Ledger.Actions(ctx, receipt.Filter{Nameless: true, Limit: atOnce})
	if err != nil {
		return
	}
	now := d.Clock()
	open = append(open, slices.DeleteFunc(nameless, func(e receipt.Entry) bool { return now.Sub(e.Settled) > naming })...)
	d.pace.forget(open)
	w := d.World()
	for i := range open {
		if ctx.Err() != nil {
			return
		}
		if _, _, err := d.statusTool(w, nobody, open[i].Item); err == nil {
			_, _ = d.Ask(ctx, w, nobody, &open[i]) // it stays as it is, and is asked about again
		}
	}
}
