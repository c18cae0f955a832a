package door

import (
	"net/http"
	"strings"

	"mcp-gateway/protocol"
)

// Browsers lets pages of the configured origins call next (WHATWG Fetch, CORS
// protocol): it answers preflights and names the origin on answers. Pages of
// other origins get neither, and the fronts refuse what they send.
func (p *Policy) Browsers(next http.Handler) http.Handler {
	if len(p.origins) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if origin == "" || !p.origins[strings.ToLower(origin)] {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		h.Add("Vary", "Origin")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
			h.Set("Access-Control-Allow-Headers", allowedHeaders(r.Header.Get("Access-Control-Request-Headers")))
			h.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		h.Set("Access-Control-Expose-Headers", strings.Join([]string{protocol.HeaderSession, protocol.HeaderVersion, "WWW-Authenticate", "Retry-After"}, ", "))
		next.ServeHTTP(w, r)
	})
}

// allowedHeaders are those of the asked for ones that the protocol knows;
// Mcp-Param-* headers bear names of tools' parameters.
func allowedHeaders(asked string) string {
	var allowed []string
	for name := range strings.SplitSeq(asked, ",") {
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		switch name {
		case "Authorization", "Content-Type", "Accept", "Last-Event-Id",
			protocol.HeaderVersion, protocol.HeaderMethod, protocol.HeaderName, protocol.HeaderSession:
			allowed = append(allowed, name)
		default:
			if strings.HasPrefix(name, protocol.HeaderParamPrefix) {
				allowed = append(allowed, name)
			}
		}
	}
	return strings.Join(allowed, ", ")
}
