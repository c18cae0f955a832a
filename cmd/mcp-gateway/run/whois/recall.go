package whois

import (
	"slices"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/registry/identity"
)

// Recall takes from what was ever seen which authority vouched for each upstream when it
// was met last: a command that meets none says the same of it as a gateway that does.
func (r *Registrar) Recall(history []registry.Seen) {
	last := map[string]time.Time{}
	for _, s := range history {
		if s.ID.Kind != gateway.KindUpstream || s.ID.Name == registry.ItselfInstructions || s.Last.Before(last[s.ID.Upstream]) {
			continue
		}
		raw, _ := protocol.Member(s.Raw, "issuer")
		if is, _ := protocol.Text(raw); is != "" {
			last[s.ID.Upstream] = s.Last
			r.issuers.Store(s.ID.Upstream, gateway.Digest(is))
		}
	}
}

// Last returns when each upstream gave its last list.
func Last(history []registry.Seen) map[string]time.Time {
	last := make(map[string]time.Time)
	for _, s := range history {
		unmet := s.ID.Kind == gateway.KindUpstream && s.ID.Name == registry.ItselfUnmet
		if !unmet && s.Last.After(last[s.ID.Upstream]) {
			last[s.ID.Upstream] = s.Last
		}
	}
	return last
}

// Told returns the instructions of an upstream that have that digest; nil where they were
// never observed.
func Told(history []registry.Seen, id string, digest gateway.Digest) []byte {
	if identity.Same(digest, protocol.DigestOf([]byte("null"))) {
		return []byte("null")
	}
	return seen(history, id, func(s *registry.Seen) bool {
		return s.ID.Name == registry.ItselfInstructions && identity.Same(s.Digest, digest)
	})
}

// Reviewed returns the facts of which a review of an upstream speaks, the last that fit
// it: by its identity, else by its launch and who vouched for it. nil where no such were
// ever observed.
func Reviewed(history []registry.Seen, id string, rec *registry.UpstreamRecord) []byte {
	return seen(history, id, func(s *registry.Seen) bool {
		if s.ID.Name == registry.ItselfInstructions {
			return false
		}
		if rec.Identity != "" {
			return identity.Same(s.Digest, rec.Identity)
		}
		f := identity.Parse(s.Raw)
		return (rec.Launch == "" || identity.Same(f.Launch(), rec.Launch)) && (rec.Issuer == "" || identity.Same(f.Issuer, rec.Issuer))
	})
}

// seen returns what was seen last of an upstream itself that fits.
func seen(history []registry.Seen, id string, fits func(*registry.Seen) bool) []byte {
	var found *registry.Seen
	for i := range history {
		s := &history[i]
		if s.ID.Kind == gateway.KindUpstream && s.ID.Upstream == id && fits(s) && (found == nil || s.Last.After(found.Last)) {
			found = s
		}
	}
	if found == nil {
		return nil
	}
	return found.Raw
}

// Met begins a list with what is remembered of who gave it.
func Met(f registry.UpstreamFact) *registry.Listing {
	l := &registry.Listing{Era: f.Era, Revision: f.Revision}
	if f.Capabilities != "" {
		l.Capabilities = []byte(f.Capabilities)
	}
	if f.Instructions != "" {
		l.Instructions = []byte(f.Instructions)
	}
	return l
}

// Put adds what was seen to the list of its kind.
func Put(l *registry.Listing, s registry.Seen) {
	switch s.ID.Kind {
	case gateway.KindTool:
		l.Tools = append(l.Tools, s.Raw)
	case gateway.KindPrompt:
		l.Prompts = append(l.Prompts, s.Raw)
	case gateway.KindResource:
		l.Resources = append(l.Resources, s.Raw)
	case gateway.KindTemplate:
		l.Templates = append(l.Templates, s.Raw)
	}
}

// Listed says whether anything that an upstream offers was ever seen. One that only
// ever failed is asked again.
func Listed(id string, f registry.UpstreamFact, history []registry.Seen) bool {
	return f.Up || slices.ContainsFunc(history, func(s registry.Seen) bool { return s.ID.Upstream == id })
}
