package admins

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"

	"mcp-gateway/config"
	"mcp-gateway/console"
)

// Destinations says by upstream where its calls go, in words for approvers.
func Destinations(c *config.Config) map[string]string {
	all := make(map[string]string, len(c.Upstreams))
	for id, u := range c.Upstreams {
		switch {
		case u.HTTP != nil:
			all[id] = u.HTTP.URL
			if parsed, err := url.Parse(u.HTTP.URL); err == nil { // a query may hold what is nobody's affair
				parsed.RawQuery, parsed.User = "", nil
				all[id] = parsed.String()
			}
		case u.Stdio != nil && len(u.Stdio.Command) > 0:
			all[id] = "the process " + filepath.Base(u.Stdio.Command[0]) + " on this machine"
		}
	}
	return all
}

// Page is the address of the console, without a path; "" where there is none.
func Page(c *config.Config) string {
	if c.Console == nil {
		return ""
	}
	return strings.TrimSuffix(c.Console.URL, "/")
}

// toPage leads a browser that was given the listener's address to the console; others
// are answered as ever.
func toPage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			http.Redirect(w, r, console.Path, http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hosts refuses requests that name another host than this machine or the console's: a
// page of a name that was turned to this address would.
func (d *Desk) hosts(next http.Handler) http.Handler {
	own := ""
	if u, err := url.Parse(Page(d.o.Config)); err == nil {
		own = u.Host
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if r.Host == own && own != "" || strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback() {
			next.ServeHTTP(w, r)
			return
		}
		http.Error(w, "not a name of this gateway", http.StatusMisdirectedRequest)
	})
}
