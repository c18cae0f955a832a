package terms

import (
	"net/url"
	"slices"

	"mcp-gateway/config"
	"mcp-gateway/proxy"
	"mcp-gateway/redact"
)

// Content makes by upstream its content safe to pass on. Links may lead to where
// the upstream itself is, and where the configuration says.
func Content(c *config.Config) map[string]*redact.Redactor {
	all := make(map[string]*redact.Redactor, len(c.Upstreams))
	base := redact.New(c.Redact)
	for id, u := range c.Upstreams {
		rules := u.Content
		rules.Source = id
		if u.HTTP != nil {
			if own, err := url.Parse(u.HTTP.URL); err == nil {
				rules.Hosts = append(slices.Clone(rules.Hosts), own.Hostname())
				rules.Origin = redact.Origin(u.HTTP.URL)
			}
		}
		all[id] = base.With(rules)
	}
	return all
}

// Cleaner gives the Redactor of an upstream by the settings in force, or else base.
func Cleaner(base *redact.Redactor, world func() *proxy.World) func(upstream string) *redact.Redactor {
	return func(id string) *redact.Redactor {
		if w := world(); w != nil && w.Content[id] != nil {
			return w.Content[id]
		}
		return base
	}
}

// Planned gives the Redactor of an upstream by a configuration.
func Planned(c *config.Config) func(upstream string) *redact.Redactor {
	all, base := Content(c), redact.New(c.Redact)
	return func(id string) *redact.Redactor {
		if all[id] != nil {
			return all[id]
		}
		return base
	}
}
