package modern

import (
	"context"
	"net/http"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
)

// accept judges a request by its headers, before anything is read: rows S1 to
// S3 of the transport (2026-07-28, Streamable HTTP, Security & Endpoint), media
// types, and a length that is over the limit already.
func (f *Front) accept(_ context.Context, c *proxy.Call) error {
	if c.Arrival.Method != http.MethodPost {
		return gateway.Fail(gateway.CodeMethodNotAllowed)
	}
	return f.door.AdmitPost(c)
}
