package terms

import (
	"net/url"
	"slices"

	"mcp-gateway/config"
	"mcp-gateway/redact"
)

// Content makes by upstream its content safe to pass on. Links may lead to where
// the upstream itself is, and where the configuration says.
func Content(c *config.Config) map[string]*redact.Redactor {
	all := make(map[string]*redact.Redactor, len(c.Upstreams))
	base := redact.New(c.Redact)
	for id, u := range c.Upstreams {
		rules := u.Content
		if u.HTTP != nil {
			if own, err := url.Parse(u.HTTP.URL); err == nil {
				rules.Hosts = append(slices.Clone(rules.Hosts), own.Hostname())
			}
		}
		all[id] = base.With(rules)
	}
	return all
}
