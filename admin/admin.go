package admin

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/approval/office"
	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/auth/staff"
	"mcp-gateway/gateway"
)

// mostBody bounds a request's body, in bytes.
const mostBody = 16 << 10

// Options are what an API is made of. All are required.
type Options struct {
	Office *office.Office
	// Staff returns those who hold keys now.
	Staff func() *staff.Roster
	// Local returns who holds the token of the socket now.
	Local func() *staff.Member
	// Refused puts on record that a key was refused, or lacks the right to what it asked.
	Refused func(ctx context.Context, m *staff.Member)
	// Status says how the gateway stands, Upstreams its part about them.
	Status, Upstreams func() any
	Tools             func() []Tool // every tool that was seen
	// Refresh fetches an upstream's list and serves by it; known says whether there is
	// such an upstream. An upstream that gives none is a *gateway.Error.
	Refresh func(ctx context.Context, upstream string) (known bool, err error)
	// Events returns a page of what is on record; index.ErrCursor where cursor is none.
	Events func(ctx context.Context, f audit.Filter, cursor string) (rows []audit.Row, next string, err error)
	// Count returns how many rows have the same values of some columns, most first;
	// index.ErrColumn where one is none.
	Count func(ctx context.Context, f audit.Filter, by []string) ([]index.Group, error)
	// Detail returns the kept arguments of an action, once it is durable who looks and why;
	// detail.ErrNone where nothing is kept that they may see.
	Detail func(ctx context.Context, who *staff.Member, action audit.ID, why gateway.Reason) (Detail, error)
	Failed func(err error) // is told of causes that are not told to who asks
	Clock  func() time.Time
}

// API answers requests of operators. It is safe for concurrent use.
type API struct {
	o     Options
	tries staff.Tries
	mux   *http.ServeMux
}

// New returns the API.
func New(o Options) *API {
	a := &API{o: o, mux: http.NewServeMux()}
	for pattern, route := range map[string]route{
		"GET /v1/status":                  {staff.See, a.status},
		"GET /v1/upstreams":               {staff.See, a.upstreams},
		"GET /v1/tools":                   {staff.See, a.tools},
		"POST /v1/upstreams/{id}/refresh": {staff.Refresh, a.refresh},
		"GET /v1/events":                  {staff.Audit, a.events},
		"GET /v1/events/counts":           {staff.Audit, a.counts},
		"GET /v1/details/{action}":        {staff.Detail, a.detail},
		"GET /v1/approvals":               {staff.See, a.list},
		"GET /v1/approvals/{id}":          {staff.Read, a.show},
		"POST /v1/approvals/{id}/approve": {staff.Answer, a.decide(approval.Approved)},
		"POST /v1/approvals/{id}/deny":    {staff.Answer, a.decide(approval.Denied)},
		"POST /v1/approvals/{id}/revoke":  {staff.Revoke, a.decide(approval.Cancelled)},
		"GET /v1/remembered":              {staff.See, a.remembered},
		"POST /v1/remembered/{id}/revoke": {staff.Revoke, a.forget},
	} {
		a.mux.Handle(pattern, a.guard(route))
	}
	a.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, Unknown, "There is nothing here.")
	})
	return a
}

// route is what is done for whoever holds the right to it.
type route struct {
	needs staff.Right
	run   func(w http.ResponseWriter, r *http.Request, who *staff.Member)
}

// tokenKey marks a request that came by the socket.
type tokenKey struct{}

// Handler serves a listener. token is that of the socket; nil where there is none.
func (a *API) Handler(token func() staff.Digest) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token != nil {
			r = r.WithContext(context.WithValue(r.Context(), tokenKey{}, token()))
		}
		a.mux.ServeHTTP(w, r)
	})
}

// guard lets a request through that names a key, and holds the right.
func (a *API) guard(to route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
			refuse(w, http.StatusForbidden, Forbidden, "This API is not for pages.")
			return
		}
		who := a.who(r)
		if who == nil {
			a.wrong(w, r)
			return
		}
		if !who.Has(to.needs) {
			a.o.Refused(r.Context(), who)
			refuse(w, http.StatusForbidden, Forbidden, "No role of this key may do that.")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		to.run(w, r, who)
	})
}

// wrong answers a key that is nobody's. Too many of them are answered shortly, and put
// on record no more; a right key is never refused for others' wrong ones, since nobody
// guesses 256 bits.
func (a *API) wrong(w http.ResponseWriter, r *http.Request) {
	now, from := a.o.Clock(), source(r)
	if wait := a.tries.Wait(from, now); wait > 0 {
		tooMany(w, wait)
		return
	}
	a.tries.Wrong(from, now)
	a.o.Refused(r.Context(), nil)
	w.Header().Set("WWW-Authenticate", "Bearer")
	refuse(w, http.StatusUnauthorized, Unauthenticated, "This needs a key of those who run the gateway, as a bearer token.")
}

// source is where a request came from, as far as tries are counted by it.
func source(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return "socket"
	}
	return host
}

// who returns whose key a request names; nil for nobody's.
func (a *API) who(r *http.Request) *staff.Member {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || key == "" {
		return nil
	}
	digest := staff.DigestOf(key)
	if token, ok := r.Context().Value(tokenKey{}).(staff.Digest); ok && token == digest {
		return a.o.Local()
	}
	return a.o.Staff().Member(digest)
}

// fail answers an error, and tells its cause where who asks isn't told it.
func (a *API) fail(w http.ResponseWriter, err error) {
	var r office.Refusal
	if !errors.As(err, &r) || r == office.Unrecorded {
		a.o.Failed(err)
	}
	faultOf(err).send(w)
}
