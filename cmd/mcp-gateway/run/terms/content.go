package terms

import (
	"cmp"
	"net/url"
	"slices"

	"mcp-gateway/config"
	"mcp-gateway/proxy"
	"mcp-gateway/redact"
	"mcp-gateway/redact/bound"
)

// Content makes by upstream its content safe to pass on. Links may lead to where
// the upstream itself is, and where the configuration says.
func Content(c *config.Config) map[string]*redact.Redactor {
	all := make(map[string]*redact.Redactor, len(c.Upstreams))
	base := redact.New(c.Redact)
	for id, u := range c.Upstreams {
		rules := u.Content
		rules.Source = id
		rules.Limits = bound.Limits{Item: c.Limits.Item, Result: c.Limits.Result}
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

// Message is how much one message of an upstream may be.
func Message(c *config.Config) int { return cmp.Or(c.Limits.Message, 2*c.Limits.Result) }

// Line is how long a line of a process may be: any message of it, with what stands
// around it.
func Line(c *config.Config) int { return max(16<<20, Message(c), c.Limits.List) + 64<<10 }

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
