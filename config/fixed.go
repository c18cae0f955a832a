package config

import "reflect"

// Keep makes next hold the settings of c that a running gateway can't take up, so
// that everything else of next can come into force at once, and names those in
// which the two differed.
func (c *Config) Keep(next *Config) []string {
	var names []string
	if c.Listen.MCP != next.Listen.MCP { // the one may follow from the other
		next.Listen.URL = c.Listen.URL
	}
	fix(&names, "listen.mcp", &c.Listen.MCP, &next.Listen.MCP)
	if (c.Listen.TLS == nil) != (next.Listen.TLS == nil) { // which certificate it is may change
		fix(&names, "listen.tls", &c.Listen.TLS, &next.Listen.TLS)
	}
	fix(&names, "listen.url", &c.Listen.URL, &next.Listen.URL)
	fix(&names, "listen.status", &c.Listen.Status, &next.Listen.Status)
	fix(&names, "listen.origins", &c.Listen.Origins, &next.Listen.Origins)
	fix(&names, "listen.hosts", &c.Listen.Hosts, &next.Listen.Hosts)
	fix(&names, "state.dir", &c.State.Dir, &next.State.Dir)
	fix(&names, "replica", &c.Replica, &next.Replica)
	fix(&names, "redact", &c.Redact, &next.Redact)
	fix(&names, "audit.export", &c.Audit.Export, &next.Audit.Export)
	fix(&names, "audit.detail", &c.Audit.Detail, &next.Audit.Detail)
	fix(&names, "admin.listen", &c.Admin.Listen, &next.Admin.Listen)
	fix(&names, "console", &c.Console, &next.Console)
	for id, u := range c.Upstreams { // what was made of definitions is kept
		if v := next.Upstreams[id]; v != nil {
			fix(&names, "upstreams."+id+".unsafe_uncleaned", &u.Content.Uncleaned, &v.Content.Uncleaned)
		}
	}
	return names
}

func fix[T any](names *[]string, name string, mine, theirs *T) {
	if !reflect.DeepEqual(*mine, *theirs) {
		*names = append(*names, name)
		*theirs = *mine
	}
}
