package refresh

import (
	"errors"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// recordUpstream puts on record what is different of an upstream that gave a list
// from what was last on record: who it is, what it speaks, what it declares and what
// it tells models. It is compared with what is on record and not with what was seen:
// whoever looks at an upstream beside the gateway takes no event away.
func (r *Refresher) recordUpstream(l *loop) error {
	before, err := r.profile(l)
	if err != nil {
		return err
	}
	is := r.Registry.Upstream(l.id)
	changed := is.Differs(before)
	if len(changed) == 0 {
		return nil
	}
	e := describe(l, &is)
	e.Reasons = changed
	if before != nil {
		e.Was = before.Identity
	}
	if !is.Told && l.upstream.Fact().Instructions != "" {
		e.Reasons = append(e.Reasons, gateway.ReasonInstructionsUnreviewed)
	}
	return r.tell(l, e, is.Profile)
}

// refuse holds back what an upstream offers that is not met because it is not the one
// that was reviewed, and puts on record that it is refused. That it is merely down is no
// change of it.
func (r *Refresher) refuse(l *loop, why gateway.Reason) (registry.Changes, error) {
	switch why {
	case gateway.ReasonLaunchChanged, gateway.ReasonIssuerChanged:
		changes := r.Registry.Judge()
		return changes, errors.Join(
			r.record(l.ctx, changes, nil, 0), r.recordRefused(l, why), r.History.Observe(l.ctx, r.Clock(), r.Registry.Unmet(l.id)))
	case gateway.ReasonDowngrade, gateway.ReasonRevisionTooOld:
		return registry.Changes{}, r.recordRefused(l, why)
	default:
		return registry.Changes{}, nil
	}
}

// recordRefused puts on record that an upstream is refused, once for each reason.
func (r *Refresher) recordRefused(l *loop, why gateway.Reason) error {
	before, err := r.profile(l)
	if err != nil {
		return err
	}
	var now registry.Profile
	if before != nil {
		now = *before
	}
	if now.Refused == why {
		return nil
	}
	now.Refused = why
	is := r.Registry.Upstream(l.id)
	is.Profile = now
	e := describe(l, &is)
	e.Was, e.Identity, e.Reasons = now.Identity, "", []gateway.Reason{why}
	if is.State != gateway.StateChanged {
		e.State = gateway.StateWithheld
	}
	return r.tell(l, e, now)
}

func (r *Refresher) profile(l *loop) (*registry.Profile, error) {
	p, known, err := r.History.Profile(l.ctx, l.id)
	if !known {
		return nil, err
	}
	return &p, err
}

func describe(l *loop, u *registry.Upstream) *audit.Event {
	return &audit.Event{
		Type: audit.UpstreamChanged, Upstream: audit.Ident(l.id), State: u.State,
		UpstreamEra: audit.Era(u.Era), UpstreamRevision: audit.Revision(u.Revision),
		Identity: u.Identity, Instructions: u.Instructions,
	}
}

// tell writes the event and then remembers that it did: one that a crash prevents is
// written after the restart.
func (r *Refresher) tell(l *loop, e *audit.Event, p registry.Profile) error {
	if err := r.write(l.ctx, e); err != nil {
		return err
	}
	p.At = r.Clock()
	return r.History.SetProfile(l.ctx, l.id, p)
}
