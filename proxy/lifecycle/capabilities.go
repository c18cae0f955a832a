package lifecycle

import "mcp-gateway/audit"

// Capabilities are what hosts of an era are offered, as a raw object.
func Capabilities(era audit.Era) string {
	if era == audit.Modern {
		return `{"tools":{}}`
	}
	return `{"tools":{"listChanged":true}}`
}
