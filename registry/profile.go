package registry

import (
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry/review"
)

// Profile is what an upstream was observed to be, as it was last put on record.
type Profile struct {
	Identity     gateway.Digest
	Instructions gateway.Digest // of "null" where it gives none
	Capabilities gateway.Digest // likewise
	Era          string
	Revision     string
	Refused      gateway.Reason // why it is not met, being what it may not be; "" = it is
	At           time.Time      // when it was put on record
}

// Differs names what is different from what was observed before, nil where nothing
// was.
func (p *Profile) Differs(before *Profile) []gateway.Reason {
	if before == nil {
		return []gateway.Reason{gateway.ReasonMet}
	}
	var all []gateway.Reason
	for _, c := range [...]struct {
		same   bool
		reason gateway.Reason
	}{
		{p.Identity == before.Identity, gateway.ReasonIdentityChanged},
		{p.Era == before.Era, gateway.ReasonEraChanged},
		{p.Revision == before.Revision, gateway.ReasonRevisionChanged},
		{p.Capabilities == before.Capabilities, gateway.ReasonCapabilitiesChanged},
		{p.Instructions == before.Instructions, gateway.ReasonInstructionsChanged},
		{before.Refused == "", gateway.ReasonRestored},
	} {
		if !c.same {
			all = append(all, c.reason)
		}
	}
	return all
}

// digestOf is the digest of what an upstream gave, or of null.
func digestOf(raw []byte) gateway.Digest {
	if raw == nil {
		raw = []byte("null")
	}
	return protocol.DigestOf(raw)
}

// Upstream is where an upstream stands.
type Upstream struct {
	Profile
	Launch  gateway.Digest        // what it would be started as now; "" = not known
	State   gateway.ExposureState // new, approved or changed
	Reasons []gateway.Reason
	Told    bool // its instructions are those that were reviewed
	Listed  bool // it gave a list
}

// Upstream says what an upstream is by its last list, and where it stands.
func (r *Registry) Upstream(id string) Upstream {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.upstream(id)
	if u.Launch == "" && r.opts.Launch != nil {
		u.Launch = r.opts.Launch(id)
	}
	return u
}

// upstream is Upstream, with Launch only where it was reviewed, for it reads files; the
// caller holds the lock. The identity of one that never listed is not known, and no
// change.
func (r *Registry) upstream(id string) Upstream {
	var u Upstream
	rec := r.exposure.Upstream(id)
	if rec != nil && rec.Launch != "" && r.opts.Launch != nil {
		u.Launch = r.opts.Launch(id)
	}
	met := review.Met{Launch: u.Launch}
	if l := r.lists[id]; l != nil {
		u.Listed = true
		u.Profile = Profile{
			Identity: l.info.Identity, Instructions: digestOf(l.info.Instructions), Capabilities: digestOf(l.info.Capabilities),
			Era: l.info.Era, Revision: l.info.Revision,
		}
		met.Identity, met.Instructions = u.Identity, u.Instructions
	} else if rec != nil {
		met.Identity, met.Instructions = rec.Identity, rec.Instructions
	}
	u.State, u.Reasons = rec.Stand(met)
	u.Told = u.Listed && u.State == gateway.StateApproved && rec.Tells(u.Instructions)
	return u
}

// detail says what an upstream is now, where that is not what was reviewed.
func (u *Upstream) detail() string {
	switch u.Reasons[0] {
	case gateway.ReasonLaunchChanged:
		return "the upstream would now be started as " + string(u.Launch)
	case gateway.ReasonIdentityChanged:
		return "the upstream is now " + string(u.Identity)
	default:
		return "its instructions are now " + string(u.Instructions)
	}
}
