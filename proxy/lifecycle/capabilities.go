package lifecycle

import "mcp-gateway/audit"

// Capabilities are what hosts of an era are offered, as a raw object: every era the
// same. An upstream that lacks one of them offers nothing of its kind.
func Capabilities(audit.Era) string {
	return `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},` +
		`"completions":{},"logging":{}}`
}
