package refresh

import (
	"context"
	"errors"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/registry"
)

// publish hands a list to the registry, keeps what was seen, and puts what is
// different on record.
func (r *Refresher) publish(ctx context.Context, id string, up proxy.Upstream, l registry.Listing) error {
	known, err := r.known(ctx, id)
	if err != nil {
		return err
	}
	changes, err := r.Registry.Publish(id, l)
	if err != nil {
		r.noteFailure(ctx, id, up, err)
		return err
	}
	now := r.Clock()
	fact := up.Fact()
	fact.ID, fact.At = id, now
	err = errors.Join(
		r.History.Observe(ctx, now, r.Registry.Seen(id)),
		r.History.SetUpstream(ctx, fact),
		r.Record(ctx, changes, known),
	)
	r.Log(id, changes, err)
	return err
}

// noteFailure keeps why an upstream's list could not be had. What it listed
// before stays.
func (r *Refresher) noteFailure(ctx context.Context, id string, up proxy.Upstream, err error) {
	fact := up.Fact()
	fact.ID, fact.At, fact.Up = id, r.Clock(), false
	if fact.Reason == "" {
		fact.Reason = string(gateway.ReasonUpstreamDown)
		var e *gateway.Error
		if errors.As(err, &e) && len(e.Reasons) > 0 {
			fact.Reason = string(e.Reasons[0])
		}
	}
	err = errors.Join(err, r.History.SetUpstream(context.WithoutCancel(ctx), fact))
	r.Log(id, registry.Changes{}, err)
}

// known returns how the definitions of an upstream stood when they were last
// seen, so that a restart does not report them all as news.
func (r *Refresher) known(ctx context.Context, upstream string) (map[gateway.ItemID]registry.Seen, error) {
	seen, err := r.History.Definitions(ctx, upstream)
	if err != nil {
		return nil, err
	}
	last := make(map[gateway.ItemID]registry.Seen, len(seen))
	for _, s := range seen {
		if had, ok := last[s.ID]; !ok || s.Last.After(had.Last) {
			last[s.ID] = s
		}
	}
	return last, nil
}

// Record writes one event for each definition that entered a state, unless it
// was last seen in it.
func (r *Refresher) Record(ctx context.Context, c registry.Changes, known map[gateway.ItemID]registry.Seen) error {
	var failed error
	for _, entered := range [...][]registry.Observation{c.Approved, c.Quarantined, c.Withheld, c.Removed} {
		for i := range entered {
			if e := changed(&entered[i], known); e != nil {
				_, err := r.Journal.Append(ctx, e, audit.Process)
				failed = errors.Join(failed, err)
			}
		}
	}
	return failed
}

func changed(o *registry.Observation, known map[gateway.ItemID]registry.Seen) *audit.Event {
	if k, ok := known[o.ID]; ok && k.Digest == o.Digest && k.State == o.State {
		return nil
	}
	e := &audit.Event{
		Type:       audit.ToolsChanged,
		Upstream:   audit.Ident(o.ID.Upstream),
		Tool:       audit.Ident(o.Exposed),
		Definition: o.Digest,
		State:      o.State,
		Reasons:    o.Reasons,
	}
	if o.Record != nil && o.Record.Definition != o.Digest {
		e.Was = o.Record.Definition
	}
	for _, f := range o.Findings {
		e.Findings = append(e.Findings, audit.Count{Class: f.Code, N: 1})
	}
	return e
}
