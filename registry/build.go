package registry

import (
	"slices"
	"strings"

	"mcp-gateway/gateway"
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

	s := &Snapshot{tables: make(map[shelf]*table, 2*len(r.lists)+2), observations: make([]Observation, 0, len(all))}
	if r.exposure != nil {
		s.exposure = r.exposure.Revision
	}
	s.file(all)
	for i := range all {
		s.observations = append(s.observations, all[i].Observation)
	}
	s.observations = append(s.observations, r.missing(all)...)
	sortObservations(s.observations)
	return s
}

// candidates compares every listed definition with its record.
func (r *Registry) candidates() []candidate {
	var all []candidate
	for _, upstream := range r.upstreams() {
		trusted := r.opts.Trust(upstream)
		for _, a := range r.lists[upstream].admitted {
			c := candidate{Observation: Observation{
				ID: a.def.ID, Digest: a.def.Digest, Definition: a.def, FirstSeen: a.at,
				Record: r.exposure.Of(a.def.ID),
			}}
			if a.def.Name != "" {
				c.Exposed = exposedName(a.def.ID)
			}
			c.judge(a, trusted)
			all = append(all, c)
		}
	}
	return all
}

// judge says where one definition stands.
func (c *candidate) judge(a *admission, trusted bool) {
	switch rec := c.Record; {
	case a.reason != "":
		c.withhold(a.reason, detail(a.err))
	case rec == nil:
		c.hold(gateway.StateNew, gateway.ReasonUnreviewed, trusted)
	case rec.Definition != c.Digest:
		c.hold(gateway.StateChanged, gateway.ReasonDefinitionChanged, trusted && rec.Quarantine == "")
	case rec.Quarantine != "":
		c.hold(gateway.StateQuarantined, gateway.ReasonQuarantined, false)
		c.Detail = clip(rec.Quarantine)
	default:
		c.State = gateway.StateApproved
		if err := rec.Proved(a.def.OutputSchema); err != nil && a.def.ID.Kind == gateway.KindTool {
			c.withhold(gateway.ReasonNoEvidence, detail(err))
		}
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

// withholdTwins withholds all of one kind that would share one exposed name, listed
// twice by one upstream or meeting after shortening: which of them a call meant
// must never depend on the order of lists or reviews. URIs keep their spelling, and
// two upstreams may well offer the same one: see Snapshot.file.
func withholdTwins(all []candidate) {
	byName := make(map[exposed][]int, len(all))
	for i := range all {
		if c := &all[i]; c.Exposed != "" {
			name := exposed{c.ID.Kind, c.Exposed}
			byName[name] = append(byName[name], i)
		}
	}
	for name, twins := range byName {
		if len(twins) == 1 {
			continue
		}
		ids := make([]string, len(twins))
		listed := make(map[gateway.ItemID]int, len(twins))
		for i, at := range twins {
			ids[i] = all[at].ID.String()
			listed[all[at].ID]++
		}
		slices.Sort(ids)
		why := clip(name.name + " would name " + strings.Join(ids, " and "))
		for _, at := range twins {
			c := &all[at]
			if c.Exposed != c.ID.Name || listed[c.ID] > 1 {
				c.withhold(gateway.ReasonNameCollision, why)
			}
		}
	}
}

// show renders a definition for hosts and reviewers, with the facts under which
// it is or might be served.
func (r *Registry) show(c *candidate) {
	c.shown = r.present(c.Definition, c.facts(), c.Exposed)
	c.Findings = c.shown.findings
	if err := c.shown.err; err != nil {
		c.withhold(reasonOf(err, gateway.ReasonAdmissionFailed), detail(err))
		return
	}
	if code, found := c.shown.critical(c.Record); found {
		c.withhold(code, "a critical finding that no reviewer waived")
	}
}

// facts returns the reviewed facts, or the zero facts: a record speaks only for
// the definition that it names.
func (c *candidate) facts() *gateway.ExposureFacts {
	if c.Record != nil && c.Record.Definition == c.Digest {
		return &c.Record.Facts
	}
	return &gateway.ExposureFacts{}
}

// missing observes the records for which nothing is listed.
func (r *Registry) missing(all []candidate) []Observation {
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
		none = append(none, Observation{
			ID: id, Digest: rec.Definition, State: gateway.StateMissing, Reasons: []gateway.Reason{reason}, Record: rec,
		})
	}
	return none
}

// detail returns an error's words, bounded: they may quote an upstream.
func detail(err error) string {
	if err == nil {
		return ""
	}
	return clip(err.Error())
}

// clip bounds a text that is shown to operators.
func clip(s string) string {
	const most = 400
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
