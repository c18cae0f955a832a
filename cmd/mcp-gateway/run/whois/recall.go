package whois

import (
	"slices"

	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

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
