package modern

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"mcp-gateway/auth"
	"mcp-gateway/egress"
	"mcp-gateway/proxy"
)

// Path is the endpoint for all upstreams under exposed names; Path + "/" + id
// is the one of a single upstream under its own names.
const Path = "/mcp"

// Options configure a Front.
type Options struct {
	Gateway *proxy.Gateway
	Origins []string // browser origins that may call; none by default
	Hosts   []string // Host values that are accepted besides loopback names; with or without port
}

// Front serves hosts of revision 2026-07-28. It is safe for concurrent use.
type Front struct {
	gateway  *proxy.Gateway
	pipeline *proxy.Pipeline
	origins  map[string]bool
	hosts    map[string]bool
}

// New returns a Front whose corridor is proved.
func New(o Options) (*Front, error) {
	f := &Front{gateway: o.Gateway, origins: set(o.Origins), hosts: set(o.Hosts)}
	pipeline, err := o.Gateway.Corridor(proxy.Door{Accept: f.accept, Agree: agree})
	if err != nil {
		return nil, err
	}
	f.pipeline = pipeline
	return f, nil
}

func set(values []string) map[string]bool {
	m := make(map[string]bool, len(values))
	for _, v := range values {
		m[strings.ToLower(v)] = true
	}
	return m
}

// ServeHTTP takes one request through the corridor.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := f.gateway.Arrive(arrival(w, r))
	f.pipeline.Do(r.Context(), c)
	write(w, r.Context(), c, f.gateway.Answer(c))
}

// arrival says of a request what the corridor needs to know.
func arrival(w http.ResponseWriter, r *http.Request) proxy.Arrival {
	scope := ""
	if r.URL.Path != Path {
		scope = cmp.Or(strings.TrimPrefix(r.URL.Path, Path+"/"), "/") // "/mcp/" is no endpoint: "/" is nobody's id
	}
	return proxy.Arrival{
		Transport: "http",
		Method:    r.Method,
		Host:      r.Host,
		Source:    source(r.RemoteAddr),
		Length:    r.ContentLength,
		Scope:     scope,
		Header:    r.Header,
		Body:      func(limit int) ([]byte, error) { return readBody(w, r, limit) },
	}
}

// bodyTime is how long a host may take to send its request.
const bodyTime = 30 * time.Second

// readBody bounds the time of reading. The bound is lifted afterwards: it would
// otherwise look like a host that left in the middle of a long call.
func readBody(w http.ResponseWriter, r *http.Request, limit int) ([]byte, error) {
	rc := http.NewResponseController(w)
	if rc.SetReadDeadline(time.Now().Add(bodyTime)) == nil {
		defer func() { _ = rc.SetReadDeadline(time.Time{}) }() // it worked a moment ago
	}
	return egress.ReadBody(r.Body, limit)
}

// source is the address without its port, for counting floods.
func source(remote string) string {
	if ap, err := netip.ParseAddrPort(remote); err == nil {
		return ap.Addr().String()
	}
	return remote
}

// write sends the answer. Nothing is sent to a host that has gone away.
func write(w http.ResponseWriter, ctx context.Context, c *proxy.Call, a proxy.Answer) {
	if ctx.Err() != nil {
		return
	}
	h := w.Header()
	h["Cache-Control"] = noStore
	h["X-Content-Type-Options"] = noSniff
	switch a.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", auth.Challenge(c.Header))
	case http.StatusMethodNotAllowed:
		h.Set("Allow", http.MethodPost)
	}
	if a.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(a.RetryAfter))
	}
	if a.Body == nil {
		w.WriteHeader(a.Status)
		return
	}
	h["Content-Type"] = mediaType
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // the host may have gone; its disconnect is seen elsewhere
}

// Header values that never change, shared so that an answer allocates none.
var (
	noStore   = []string{"no-store"}
	noSniff   = []string{"nosniff"}
	mediaType = []string{"application/json"}
)
