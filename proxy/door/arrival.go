package door

import (
	"cmp"
	"errors"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/egress"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
)

// Path is the endpoint for all upstreams under exposed names; Path + "/" + id
// is the one of a single upstream under its own names.
const Path = "/mcp"

// Arrival says of a request what the corridor needs to know, but for what its
// front alone knows.
func Arrival(w http.ResponseWriter, r *http.Request, era audit.Era) proxy.Arrival {
	scope := ""
	if r.URL.Path != Path {
		scope = cmp.Or(strings.TrimPrefix(r.URL.Path, Path+"/"), "/") // "/mcp/" is no endpoint: "/" is nobody's id
	}
	if twoLengths(r) { // whoever passed it on may have read another request in it (RFC 9112, 6.1)
		w.Header().Set("Connection", "close")
	}
	return proxy.Arrival{
		Transport: string(audit.HTTP),
		Era:       era,
		Method:    r.Method,
		Host:      r.Host,
		Source:    source(r.RemoteAddr),
		Length:    r.ContentLength,
		Scope:     scope,
		Query:     r.URL.RawQuery,
		Header:    r.Header,
		Body:      func(limit int) ([]byte, error) { return readBody(w, r, limit) },
	}
}

// bodyTime is how long a host may take to send its request.
const bodyTime = 30 * time.Second

// readBody bounds the time of reading. What fails there is the host's doing: one that
// stalls is CodeRequestTimeout, one that leaves, and chunks that are none,
// CodeMalformed. The bound is lifted afterwards: it would otherwise look like a host
// that left in the middle of a long call. It stays where reading failed, or the server
// would wait for the rest before it answers.
func readBody(w http.ResponseWriter, r *http.Request, limit int) ([]byte, error) {
	if twoLengths(r) {
		return nil, gateway.Because(gateway.CodeMalformed, errTwoLengths)
	}
	rc := http.NewResponseController(w)
	bounded := rc.SetReadDeadline(time.Now().Add(bodyTime)) == nil
	body, err := egress.ReadSized(r.Body, r.ContentLength, limit)
	var known *gateway.Error
	switch {
	case err == nil && bounded:
		_ = rc.SetReadDeadline(time.Time{}) // it worked a moment ago
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = gateway.Because(gateway.CodeRequestTimeout, err)
	case err != nil && !errors.As(err, &known):
		err = gateway.Because(gateway.CodeMalformed, err)
	}
	return body, err
}

// source is the address without its port, for counting floods.
func source(remote string) string {
	if ap, err := netip.ParseAddrPort(remote); err == nil {
		return ap.Addr().String()
	}
	return remote
}
