package protocol

import (
	"net/http"

	"mcp-gateway/protocol/headers"
)

// NameMember returns the member of params that Mcp-Name mirrors for the method,
// or "" if the method has no such header.
func NameMember(method string) string {
	switch method {
	case MethodToolsCall, MethodPromptsGet:
		return "name"
	case MethodResourcesRead:
		return "uri"
	default:
		return ""
	}
}

// CheckHeaders compares the standard headers with the body: the version with
// _meta, Mcp-Method with the method, Mcp-Name, decoded, with the name or URI. A
// repeated or different header is CodeHeaderMismatch in every era; an absent
// one only if required, which it is from 2026-07-28 on.
func CheckHeaders(h http.Header, r *Request, required bool) error {
	if err := checkHeader(h, HeaderVersion, r.Meta.Version, r.Meta.Version != "", required); err != nil {
		return err
	}
	if err := checkHeader(h, HeaderMethod, r.Method, true, required); err != nil {
		return err
	}
	member := NameMember(r.Method)
	if member == "" {
		return nil // Mcp-Name has no meaning here, so none can be wrong
	}
	raw, _ := Member(r.Params, member)
	name, ok := Text(raw)
	if values := h[HeaderName]; len(values) == 1 {
		decoded, err := headers.DecodeHeader(values[0])
		if err != nil {
			return err
		}
		if !ok || decoded != name {
			return headers.Wrong(HeaderName, "differs from the body")
		}
		return nil
	}
	return checkHeader(h, HeaderName, name, ok, required && ok)
}

// checkHeader compares an unencoded header with the body's value, if known.
func checkHeader(h http.Header, key, want string, known, required bool) error {
	switch values := h[key]; {
	case len(values) > 1:
		return headers.Wrong(key, "is repeated")
	case len(values) == 0 && required:
		return headers.Wrong(key, "is missing")
	case len(values) == 1 && known && values[0] != want:
		return headers.Wrong(key, "differs from the body")
	default:
		return nil
	}
}
