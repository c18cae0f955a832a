package door

import (
	"net/http"
	"strings"

	"mcp-gateway/auth"
	"mcp-gateway/proxy"
)

// Metadata serves the protected resource metadata of every endpoint (RFC 9728
// section 3): public, the same for everybody, and about nothing but how to get a
// token for the endpoint. world returns the settings in force.
func Metadata(world func() *proxy.World) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		now := world()
		endpoint, scoped := strings.CutPrefix(r.URL.Path, auth.MetadataPath+auth.EndpointPath+"/")
		known := r.URL.Path == auth.MetadataPath+auth.EndpointPath || scoped && now.Upstreams[endpoint] != nil
		if !scoped {
			endpoint = ""
		}
		var document []byte
		if known {
			document = now.Identifier.Metadata(endpoint)
		}
		if document == nil {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "max-age=300")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(document) // who asked may have gone
	})
}
