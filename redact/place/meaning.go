package place

import "strings"

// own begins the _meta keys by which the gateway speaks.
const own = "mcp-gateway/"

// meant are the members of results, messages, blocks, resources and icons by which
// hosts and the gateway act.
var meant = map[string]bool{
	"_meta": true, "annotations": true, "blob": true, "cacheScope": true, "completion": true, "content": true, "contents": true,
	"data": true, "icons": true, "inputRequests": true, "isError": true, "messages": true, "mimeType": true, "nextCursor": true,
	"requestState": true, "resource": true, "resultType": true, "role": true, "src": true, "structuredContent": true,
	"task": true, "text": true, "ttlMs": true, "type": true, "uri": true,
}

// Means reports whether a member of that name at the place is more than data. One that
// gets such a name only by cleaning was judged as if it had another.
func (p Place) Means(name string) bool {
	return p.CleansNames() && (p != Free && meant[name] || strings.HasPrefix(name, own))
}

// IsKind reports whether the protocol has blocks of that type.
func IsKind(name []byte) bool {
	switch string(name) {
	case "text", "image", "audio", "resource_link", "resource", "tool_use", "tool_result":
		return true
	}
	return false
}
