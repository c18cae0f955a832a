package auth

import "net/http"

// Challenge returns the WWW-Authenticate value of the 401 for a request with
// these headers. As RFC 6750 section 3.1 has it, a request without credentials
// is told the scheme only, one with a wrong credential that it is invalid.
func Challenge(h http.Header) string {
	if len(h["Authorization"]) == 0 {
		return `Bearer realm="mcp-gateway"`
	}
	return `Bearer realm="mcp-gateway", error="invalid_token", error_description="The credential was not accepted."`
}
