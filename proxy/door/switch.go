package door

import (
	"net/http"

	"mcp-gateway/protocol"
)

// Switch serves both eras on the same URLs, routed per request and by headers
// alone, so that nothing of a body is read before its host is known. The
// revision's header decides where it is sent; revisions that did not have it,
// and initialize, come without. Hosts of 2026-07-28 must send it: where a body
// names that revision after all, the legacy front refuses it as the modern would.
func Switch(modern, legacy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isLegacy(r) {
			legacy.ServeHTTP(w, r)
			return
		}
		modern.ServeHTTP(w, r)
	})
}

func isLegacy(r *http.Request) bool {
	version := r.Header.Get(protocol.HeaderVersion)
	switch {
	case version != "":
		return protocol.IsKnown(version) && !protocol.IsModern(version)
	case r.Method == http.MethodPost:
		return true
	default:
		return r.Header.Get(protocol.HeaderSession) != ""
	}
}
