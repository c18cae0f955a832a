package registry

import (
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry/identity"
	"mcp-gateway/registry/review"
)

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
	Issuer  gateway.Digest        // which authority vouched for its host last; "" = not known, or none does
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
	if u.Launch == "" {
		u.before(r.facts(id, nil))
	}
	return u
}

// before fills in what can be known of an upstream before it is met.
func (u *Upstream) before(f *identity.Facts) {
	if f != nil {
		u.Launch, u.Issuer = f.Launch(), f.Issuer
	}
}

func (r *Registry) facts(id string, l *Listing) *identity.Facts {
	if r.opts.Facts == nil {
		return nil
	}
	return r.opts.Facts(id, l)
}

// upstream is Upstream, with Launch and Issuer only where one was reviewed, for files are
// read; the caller holds the lock. What is not known of one is no change of it.
func (r *Registry) upstream(id string) Upstream {
	var u Upstream
	rec := r.exposure.Upstream(id)
	if rec != nil && rec.Launch+rec.Issuer != "" {
		u.before(r.facts(id, nil))
	}
	met := review.Met{Launch: u.Launch, Issuer: u.Issuer}
	if u.Issuer == "" && rec != nil {
		met.Issuer = rec.Issuer
	}
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

// itself is something of an upstream itself, as a definition of its own.
func (u *Upstream) itself(id, name string, raw []byte) Seen {
	at := gateway.ItemID{Kind: gateway.KindUpstream, Upstream: id, Name: name}
	return Seen{ID: at, Digest: protocol.DigestOf(raw), Raw: raw, State: u.State, Reasons: u.Reasons}
}

// Unmet is what is remembered of an upstream that was not met: what it would have been met
// as.
func (r *Registry) Unmet(id string) []Seen {
	u := r.Upstream(id)
	if f := r.facts(id, nil); f != nil {
		return []Seen{u.itself(id, ItselfUnmet, f.Object())}
	}
	return nil
}

// detail says what an upstream is now, where that is not what was reviewed.
func (u *Upstream) detail() string {
	switch u.Reasons[0] {
	case gateway.ReasonLaunchChanged:
		return "the upstream would now be started or reached as " + string(u.Launch)
	case gateway.ReasonIssuerChanged:
		return "its host is now vouched for by " + string(u.Issuer)
	case gateway.ReasonIdentityChanged:
		return "the upstream is now " + string(u.Identity)
	default:
		return "its instructions are now " + string(u.Instructions)
	}
}
