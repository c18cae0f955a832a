package refresh

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/auth/grant"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// publish hands a list to the registry, keeps what was seen, and puts what is
// different on record.
func (r *Refresher) publish(l *loop, listing registry.Listing, asked time.Time) error {
	known, ever, err := r.known(l)
	if err != nil {
		r.Log(l.id, registry.Changes{}, err)
		return err
	}
	changes, err := l.publish(r.Registry, listing)
	if l.ctx.Err() != nil {
		return l.ctx.Err()
	}
	if err != nil {
		r.noteFailure(l, err)
		return err
	}
	l.note(changes)
	turned := changes.Partial && !l.partial
	l.partial = changes.Partial
	restored(changes, known, ever)
	now := r.Clock()
	var since time.Duration // what is found can have been so for as long
	if !l.listed.IsZero() {
		since = now.Sub(l.listed)
	}
	l.listed = asked
	fact := l.upstream.Fact()
	fact.ID, fact.At = l.id, now
	err = errors.Join( // events first: one that a crash prevents is written after the restart
		r.record(l.ctx, changes, known, since),
		r.recordPartial(l, turned),
		r.recordUpstream(l),
		r.History.Observe(l.ctx, now, r.Registry.Seen(l.id)),
		r.History.SetUpstream(l.ctx, fact),
	)
	r.Log(l.id, changes, err)
	return err
}

// note remembers what left the list, so that its return is news.
func (l *loop) note(c registry.Changes) {
	for _, o := range c.Added {
		delete(l.gone, o.ID)
	}
	for _, o := range c.Removed {
		l.gone[o.ID] = true
	}
}

// noteFailure keeps why an upstream's list could not be had. What it listed
// before stays. One that is met is not down for want of a token of the gateway's own: calls
// in the right of who calls go on.
func (r *Refresher) noteFailure(l *loop, err error) {
	fact := l.upstream.Fact()
	fact.ID, fact.At, fact.Up = l.id, r.Clock(), fact.Up && grant.Word(err) != ""
	if fact.Reason == "" {
		fact.Reason = string(gateway.ReasonUpstreamDown)
		var e *gateway.Error
		if errors.As(err, &e) && len(e.Reasons) > 0 {
			fact.Reason = string(cmp.Or(grant.Word(err), e.Reasons[0]))
		}
	}
	changes, failed := r.refuse(l, gateway.Reason(fact.Reason))
	err = errors.Join(err, failed, r.History.SetUpstream(l.ctx, fact))
	r.Log(l.id, changes, err)
}

// pair names one definition of one item.
type pair struct {
	id     gateway.ItemID
	digest gateway.Digest
}

// known returns how the definitions of an upstream stood when they were last
// seen, so that a restart does not report them all as news, and all that were ever
// seen.
func (r *Refresher) known(l *loop) (map[gateway.ItemID]registry.Seen, map[pair]bool, error) {
	seen, err := r.History.Definitions(l.ctx, l.id)
	if err != nil {
		return nil, nil, err
	}
	last := make(map[gateway.ItemID]registry.Seen, len(seen))
	ever := make(map[pair]bool, len(seen))
	for _, s := range seen {
		ever[pair{s.ID, s.Digest}] = true
		if l.gone[s.ID] {
			continue
		}
		if had, ok := last[s.ID]; !ok || s.Last.After(had.Last) {
			last[s.ID] = s
		}
	}
	return last, ever, nil
}

// restored marks what is served again because its upstream went back to the
// definition that was reviewed, after it had listed another: a flap on record.
func restored(c registry.Changes, known map[gateway.ItemID]registry.Seen, ever map[pair]bool) {
	for i := range c.Approved {
		o := &c.Approved[i]
		if last, ok := known[o.ID]; ok && last.Digest != o.Digest && ever[pair{o.ID, o.Digest}] {
			o.Reasons = []gateway.Reason{gateway.ReasonRestored}
		}
	}
}

// Record writes one event for each definition that entered a state, unless it
// was last seen in it, and one for each that left its list.
func (r *Refresher) Record(ctx context.Context, c registry.Changes, known map[gateway.ItemID]registry.Seen) error {
	return r.record(ctx, c, known, 0)
}

// record is Record of a list that came so long after the one before was asked for: a
// changed definition can have been served for that long at most.
func (r *Refresher) record(ctx context.Context, c registry.Changes, known map[gateway.ItemID]registry.Seen, since time.Duration) error {
	var failed error
	for _, entered := range [...][]registry.Observation{c.Approved, c.Quarantined, c.Withheld} {
		for i := range entered {
			if o := &entered[i]; news(o, known) {
				e := changed(o)
				e.Duration = since
				failed = errors.Join(failed, r.write(ctx, e))
			}
		}
	}
	for i := range c.Removed {
		e := changed(&c.Removed[i])
		e.State, e.Reasons, e.Findings = gateway.StateMissing, []gateway.Reason{gateway.ReasonToolAbsent}, nil
		failed = errors.Join(failed, r.write(ctx, e))
	}
	return failed
}

// recordPartial writes that a list turned partial, once until it is whole again.
func (r *Refresher) recordPartial(l *loop, turned bool) error {
	if !turned {
		return nil
	}
	return r.write(l.ctx, &audit.Event{
		Type: audit.ListPartial, Upstream: audit.Ident(l.id), Reasons: []gateway.Reason{gateway.ReasonListPartial},
	})
}

func (r *Refresher) write(ctx context.Context, e *audit.Event) error {
	_, err := r.Journal.Append(ctx, e, audit.Process)
	return err
}

func news(o *registry.Observation, known map[gateway.ItemID]registry.Seen) bool {
	k, ok := known[o.ID]
	return !ok || k.Digest != o.Digest || k.State != o.State
}

func changed(o *registry.Observation) *audit.Event {
	e := &audit.Event{
		Type:       audit.ToolsChanged,
		Upstream:   audit.Ident(o.ID.Upstream),
		Definition: o.Digest,
		State:      o.State,
		Reasons:    o.Reasons,
	}
	if name := audit.Ident(o.Exposed); name.Valid() { // a URI is none: its digest tells which it is
		e.Tool = name
	}
	if o.Record != nil && o.Record.Definition != o.Digest {
		e.Was = o.Record.Definition
	}
	for _, f := range o.Findings {
		if f.Severity == gateway.Info { // for a reviewer to read; half of all tools have some
			continue
		}
		if i := slices.IndexFunc(e.Findings, func(c audit.Count) bool { return c.Class == f.Code }); i >= 0 {
			e.Findings[i].N++ // of one kind, at another place
			continue
		}
		e.Findings = append(e.Findings, audit.Count{Class: f.Code, N: 1})
	}
	return e
}
