package whois

import (
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
