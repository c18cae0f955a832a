package door

import (
	"net/http"
	"strings"

	"mcp-gateway/auth"
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

// Paths serves hosts on the endpoints and the metadata where they are looked for. A
// path counts as it came: one that is spelled oddly is no other's, and none is
// answered by a redirect, which would lead a credential elsewhere.
func Paths(hosts, metadata http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == Path || strings.HasPrefix(path, Path+"/"):
			hosts.ServeHTTP(w, r)
		case strings.HasPrefix(path, auth.MetadataPath+"/"):
			metadata.ServeHTTP(w, r)
		default:
			http.NotFound(w, r)
		}
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
