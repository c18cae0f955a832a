package tell

import (
	"net/http"
	"net/netip"

	"mcp-gateway/egress"
	"mcp-gateway/telemetry"
)

// Reach returns what makes the client of a receiver of OTLP. The receiver is named by
// who runs the gateway, as configured URLs are, and is reached as they are: through the
// dial guard, into those networks besides public ones, by no redirect and no proxy.
func Reach(networks []netip.Prefix) func(telemetry.Receiver) *http.Client {
	return func(r telemetry.Receiver) *http.Client {
		client := egress.NewClient(egress.Options{AllowHosts: []string{r.Host}, AllowPrefixes: networks, Timeout: r.Timeout, TLS: r.TLS})
		client.Timeout = r.Timeout
		return client
	}
}
