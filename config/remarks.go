package config

// Remarks are what the file may say and seldom means, a sentence each. They refuse
// nothing.
func (c *Config) Remarks() []string {
	var all []string
	if c.Listen.TLS == nil && !c.Listen.Local() {
		all = append(all, "listen.mcp "+c.Listen.MCP+" speaks plain HTTP to other machines: unless a proxy before it speaks TLS, keys are read on the way; see listen.tls")
	}
	if a := &c.Auth; len(a.Keys) == 0 && len(a.Issuers) == 0 && a.Stdio == nil && a.Anonymous == nil {
		all = append(all, "auth lets nobody in: there are no api_keys, issuers or stdio")
	}
	return all
}
