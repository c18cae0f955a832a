package registry

import (
	"slices"
	"strings"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/findings"
	"mcp-gateway/registry/listed"
	"mcp-gateway/registry/review"
	"mcp-gateway/registry/twins"
)

// candidate is an observation while it is being judged.
type candidate struct {
	Observation
	shown *presentation
}

// build judges everything that is listed and makes the snapshot of it. The
// caller holds the lock.
func (r *Registry) build() *Snapshot {
	all := r.candidates()
	withholdTwins(all)
	presented := make(map[*Definition]*presentation, len(all))
	for i := range all {
		if c := &all[i]; c.State != gateway.StateWithheld {
			r.show(c)
			presented[c.Definition] = c.shown
		}
	}
	r.presented = presented
	beside(all)

	s := &Snapshot{tables: make(map[shelf]*table, 2*len(r.lists)+2), observations: make([]Observation, 0, len(all))}
	if r.exposure != nil {
		s.exposure = r.exposure.Revision
	}
	for id, l := range r.lists {
		if l.info.Instructions != nil && r.upstream(id).Told {
			s.told(id, l.info.Instructions)
		}
	}
	s.file(all)
	for i := range all {
		s.observations = append(s.observations, all[i].Observation)
	}
	s.observations = append(s.observations, r.missing(s, all)...)
	sortObservations(s.observations)
	return s
}

// candidates compares every listed definition with its record.
func (r *Registry) candidates() []candidate {
	var all []candidate
	now := r.opts.Clock()
	for _, upstream := range r.upstreams() {
		trusted, stands := r.opts.Trust(upstream), r.upstream(upstream)
		for _, a := range r.lists[upstream].admitted {
			c := candidate{Observation: Observation{
				ID: a.Def.ID, Digest: a.Def.Digest, Definition: a.Def, FirstSeen: a.At,
				Record: r.exposure.Of(a.Def.ID),
			}}
			if a.Def.Name != "" {
				c.Exposed = listed.Exposed(a.Def.ID)
			}
			c.judge(a, trusted, now)
			r.doubt(&c, &stands, now)
			all = append(all, c)
		}
	}
	return all
}

// judge says where one definition stands.
func (c *candidate) judge(a *listed.Admission, trusted bool, now time.Time) {
	if a.Reason != "" {
		c.withhold(a.Reason, detail(a.Err))
		return
	}
	state, reason := review.Stand(c.Record, c.Digest, now)
	switch state {
	case gateway.StateNew:
		c.hold(state, reason, trusted)
	case gateway.StateChanged:
		c.hold(state, reason, trusted && c.Record.Quarantine == "")
	case gateway.StateApproved, gateway.StateDeprecated:
		c.State = state
		if err := c.Record.Proved(a.Def.OutputSchema); err != nil && c.ID.Kind == gateway.KindTool {
			c.withhold(gateway.ReasonNoEvidence, detail(err))
		}
	default:
		c.hold(state, reason, false)
		c.Detail = listed.Clip(c.Record.Quarantine)
	}
}

// doubt holds back what an upstream lists that is not the one that was reviewed,
// and tells replicas that disagree from a change.
func (r *Registry) doubt(c *candidate, by *Upstream, now time.Time) {
	if by.State == gateway.StateChanged && c.State.Served() && !c.Trusted {
		c.State, c.Reasons = gateway.StateChanged, slices.Clone(by.Reasons)
		c.Detail = by.detail()
	}
	if c.State == gateway.StateChanged && r.flaps.Disagree(c.ID, now) {
		c.Reasons = append(c.Reasons, gateway.ReasonReplicas)
	}
}

// hold gives a definition the state that a reviewer must end, unless its
// upstream is trusted without review.
func (c *candidate) hold(state gateway.ExposureState, reason gateway.Reason, trusted bool) {
	if trusted {
		c.State, c.Trusted = gateway.StateApproved, true
		return
	}
	c.State, c.Reasons = state, []gateway.Reason{reason}
}

// withhold gives a definition the state that no review can end.
func (c *candidate) withhold(reason gateway.Reason, why string) {
	c.State, c.Reasons, c.Detail, c.Trusted = gateway.StateWithheld, []gateway.Reason{reason}, why, false
}

// exposed is a name as hosts of the endpoint for all upstreams see it.
type exposed struct {
	kind gateway.Kind
	name string
}

// withholdTwins withholds all of one kind that would share one exposed name.
func withholdTwins(all []candidate) {
	names := make([]twins.Named, len(all))
	for i := range all {
		names[i] = twins.Named{ID: all[i].ID, Exposed: all[i].Exposed}
	}
	for i, why := range twins.Find(names) {
		all[i].withhold(gateway.ReasonNameCollision, listed.Clip(why))
	}
}

// show renders a definition for hosts and reviewers, with the facts under which
// it is or might be served.
func (r *Registry) show(c *candidate) {
	c.shown = r.present(c.Definition, c.facts(), c.Exposed)
	c.Findings = slices.Concat(c.shown.findings, c.Definition.Findings)
	if err := c.shown.err; err != nil {
		c.withhold(listed.ReasonOf(err, gateway.ReasonAdmissionFailed), detail(err))
		return
	}
	if code, found := c.shown.critical(c.Record); found {
		c.withhold(code, "a critical finding that no reviewer waived")
	}
}

// beside adds what the names of other upstreams' tools give rise to.
func beside(all []candidate) {
	neighbours := make([]findings.Neighbour, len(all))
	for i := range all {
		neighbours[i] = findings.Neighbour{ID: all[i].ID, Exposed: all[i].Exposed, Mentions: all[i].Definition.Mentions}
	}
	for i, more := range findings.Around(neighbours) {
		all[i].Findings = slices.Concat(all[i].Findings, more, all[i].against())
	}
}

// against returns what its review gives rise to.
func (c *candidate) against() []gateway.Finding {
	if c.ID.Kind != gateway.KindTool || c.Record == nil || c.Record.Definition != c.Digest {
		return nil
	}
	return findings.Against(c.ID.Name, c.Record.Facts.SideEffect)
}

// facts returns the reviewed facts, or the zero facts: a record speaks only for
// the definition that it names.
func (c *candidate) facts() *gateway.ExposureFacts {
	if c.Record != nil && c.Record.Definition == c.Digest {
		return &c.Record.Facts
	}
	return &gateway.ExposureFacts{}
}

// missing observes the records for which nothing is listed, and enters their names.
func (r *Registry) missing(s *Snapshot, all []candidate) []Observation {
	if r.exposure == nil {
		return nil
	}
	listed := make(map[gateway.ItemID]bool, len(all))
	for i := range all {
		listed[all[i].ID] = true
	}
	var none []Observation
	for id, rec := range r.exposure.Items {
		if listed[id] {
			continue
		}
		reason := gateway.ReasonToolAbsent
		if r.lists[id.Upstream] == nil {
			reason = gateway.ReasonUpstreamDown // it never gave a list
		}
		s.miss(id, r.await(id, rec))
		none = append(none, Observation{
			ID: id, Digest: rec.Definition, State: gateway.StateMissing, Reasons: []gateway.Reason{reason}, Record: rec,
		})
	}
	slices.SortFunc(s.awaited, func(a, b *Item) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	for i, item := range s.awaited {
		item.Index = len(s.all) + i
	}
	return none
}

// await returns what a record stands for whose upstream gave no list yet, where it will be
// served as soon as it is listed as reviewed.
func (r *Registry) await(id gateway.ItemID, rec *Record) *Item {
	state, _ := review.Stand(rec, rec.Definition, r.opts.Clock())
	if r.lists[id.Upstream] != nil || !state.Served() || r.upstream(id.Upstream).State == gateway.StateChanged {
		return nil
	}
	return &Item{ID: id, Exposed: listed.Exposed(id), Definition: &Definition{ID: id, Digest: rec.Definition}, Record: rec, Facts: &rec.Facts, State: state}
}

// detail returns an error's words, bounded: they may quote an upstream.
func detail(err error) string {
	return listed.Clip(err.Error())
}
