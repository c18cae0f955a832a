package matrix

import "mcp-gateway/protocol"

// expected is what a cell must hold. All works but what stands here, each with its
// reason.
func expected(h *host, upstream kind, feature string) string {
	if feature == "elicitation" && protocol.IsModern(h.revision) && !protocol.IsModern(upstream.revision) {
		// A server of the old era asks on an open call and waits; a modern host has
		// no call on which it could be asked.
		return refused(protocol.MethodElicit + " -32601")
	}
	return works
}
