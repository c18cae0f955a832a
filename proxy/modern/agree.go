package modern

import (
	"context"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
)

// agree holds the mirrored headers against the decoded body, which alone has
// authority: rows S4 to S6, S9 and S10 (2026-07-28, Request Metadata). What
// Mcp-Param headers mirror is checked once the tool's schema is known.
func agree(_ context.Context, c *proxy.Call) error {
	req := c.Request
	if req.ID == nil {
		return nil // this revision defines no headers for notifications
	}
	version := c.Header.Get(protocol.HeaderVersion)
	switch {
	case req.Method == protocol.MethodInitialize && !protocol.IsModern(req.Meta.Version):
		return gateway.Fail(gateway.CodeUnsupportedVersion)
	case version == "":
		return gateway.Fail(gateway.CodeHeaderMismatch)
	case req.Meta.Version == "" || req.Meta.ClientCapabilities == nil:
		return gateway.Fail(gateway.CodeInvalidParams)
	case version != req.Meta.Version:
		return gateway.Fail(gateway.CodeHeaderMismatch)
	case version != protocol.Revision20260728:
		return gateway.Fail(gateway.CodeUnsupportedVersion)
	case c.Header.Get(protocol.HeaderMethod) != req.Method:
		return gateway.Fail(gateway.CodeHeaderMismatch)
	}
	return agreeName(c)
}

// agreeName compares Mcp-Name, decoded, with the member of params that it mirrors.
func agreeName(c *proxy.Call) error {
	member := ""
	switch c.Request.Method {
	case protocol.MethodToolsCall, protocol.MethodPromptsGet:
		member = "name"
	case protocol.MethodResourcesRead:
		member = "uri"
	default:
		return nil
	}
	raw, _ := protocol.Member(c.Request.Params, member)
	want, ok := protocol.Text(raw)
	if !ok {
		return gateway.Fail(gateway.CodeInvalidParams)
	}
	if len(c.Header[protocol.HeaderName]) != 1 {
		return gateway.Fail(gateway.CodeHeaderMismatch)
	}
	got, err := protocol.DecodeHeader(c.Header[protocol.HeaderName][0])
	if err != nil || got != want {
		return gateway.Fail(gateway.CodeHeaderMismatch)
	}
	return nil
}
