package auth

import (
	"strings"

	"mcp-gateway/gateway"
)

// Challenge returns the WWW-Authenticate value of a refusal, or "" if it bears
// none. It says what RFC 6750 section 3 and 2026-07-28, Authorization, Error
// Handling ask for: the error, unless there was no credential at all; every scope
// that the operation needs, at once; and where the endpoint's metadata lie. It
// tells of nothing but that endpoint and that operation.
func (a *Authenticator) Challenge(r Request, refused *gateway.Error) string {
	var problem, text string
	scopes := a.scopes
	switch refused.Code {
	case gateway.CodeUnauthenticated:
		if len(r.Header["Authorization"]) > 0 {
			problem, text = "invalid_token", "The credential was not accepted."
		}
	case gateway.CodeMalformedCredential:
		problem, text = "invalid_request", "One credential is wanted, in one Authorization header."
	case gateway.CodeInsufficientScope:
		problem, text = "insufficient_scope", "The operation needs more scopes than the credential holds."
		scopes = refused.Scopes
	default:
		return ""
	}
	var b strings.Builder
	b.WriteString(`Bearer realm="mcp-gateway"`)
	add := func(name, value string) {
		if value != "" {
			b.WriteString(`, ` + name + `="` + value + `"`) // none of the values holds a quote or a backslash
		}
	}
	add("error", problem)
	add("error_description", text)
	if len(a.issuers) > 0 {
		add("scope", strings.Join(scopes, " "))
		add("resource_metadata", a.metadataURL(r.Endpoint))
	}
	return b.String()
}
