package lifecycle

import "mcp-gateway/audit"

// Capabilities are what hosts of an era are offered, as a raw object.
func Capabilities(audit.Era) string { return `{"tools":{"listChanged":true}}` }
