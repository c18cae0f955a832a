package modern

import (
	"context"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
)

// agree holds the mirrored headers against the decoded body, which alone has
// authority (2026-07-28, Request Metadata and Server Validation). The revision
// comes first, so that a host of another one learns which are served. What
// Mcp-Param headers mirror is checked once the tool's schema is known.
func agree(_ context.Context, c *proxy.Call) error {
	req := c.Request
	if req.ID == nil {
		return nil // this revision defines no headers for notifications
	}
	said, declared := c.Header.Get(protocol.HeaderVersion), req.Meta.Version
	switch {
	case req.Method == protocol.MethodInitialize && !protocol.IsModern(declared):
		return gateway.Fail(gateway.CodeUnsupportedVersion)
	case said == "", declared != "" && said != declared:
		return gateway.Wrong(gateway.CodeHeaderMismatch, protocol.HeaderVersion)
	case said != protocol.Revision20260728:
		return gateway.Fail(gateway.CodeUnsupportedVersion)
	}
	if err := req.Meta.Complete(); err != nil {
		return err
	}
	if err := protocol.CheckHeaders(c.Header, req, true); err != nil {
		return err
	}
	expect(c)
	return nil
}
