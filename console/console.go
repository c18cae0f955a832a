package console

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/approval/office"
	"mcp-gateway/auth/staff"
	"mcp-gateway/console/sessions"
)

// Path is where the console lies.
const Path = "/console/"

// mostForm bounds what a form may hold, in bytes.
const mostForm = 16 << 10

// policy is the Content-Security-Policy: what is not ours is not loaded, run, framed or
// sent to; and of ours nothing that stands inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Options are what a console is made of. All but Origin are required.
type Options struct {
	Office         *office.Office
	Staff          func() *staff.Roster
	Idle, Absolute time.Duration // of sessions
	Secure         bool          // browsers reach it by https
	Origin         string        // by which browsers reach it, such as https://gateway.example
	// Entered and Refused put on record who came in or left, and whose key was refused
	// or lacks a right; nil is nobody's.
	Entered func(ctx context.Context, m *staff.Member, in bool) error
	Refused func(ctx context.Context, m *staff.Member)
	Failed  func(err error) // is told of causes that are not told to who asks
	Clock   func() time.Time
}

// Console answers browsers. It is safe for concurrent use.
type Console struct {
	o        Options
	sessions *sessions.Sessions
	tries    staff.Tries
	pages    *pages
}

// New returns the console.
func New(o Options) (*Console, error) {
	p, err := newPages()
	if err != nil {
		return nil, err
	}
	return &Console{o: o, sessions: sessions.New(o.Idle, o.Absolute), pages: p}, nil
}

// Handler serves what lies below Path.
func (c *Console) Handler() (http.Handler, error) {
	mux := http.NewServeMux()
	mux.Handle("GET "+Path+"static/", c.pages.static())
	mux.HandleFunc("GET "+Path+"login", c.door)
	mux.HandleFunc("POST "+Path+"login", c.enter)
	for pattern, r := range map[string]room{
		"POST " + Path + "logout":                   {staff.See, c.leave},
		"GET " + Path + "{$}":                       {staff.See, c.begin},
		"GET " + Path + "pending":                   {staff.See, c.pending},
		"GET " + Path + "decided":                   {staff.See, c.decided},
		"GET " + Path + "remembered":                {staff.See, c.remembered},
		"POST " + Path + "remembered/{id}/revoke":   {staff.Revoke, c.forget},
		"GET " + Path + "approvals/{id}":            {staff.Read, c.detail},
		"POST " + Path + "approvals/{id}/{verdict}": {staff.See, c.answer},
		"GET " + Path:                               {staff.See, c.nowhere},
	} {
		mux.Handle(pattern, c.guard(r))
	}
	foreign := http.NewCrossOriginProtection()
	if c.o.Origin != "" {
		if err := foreign.AddTrustedOrigin(c.o.Origin); err != nil {
			return nil, err
		}
	}
	return c.headers(foreign.Handler(mux)), nil
}

// headers are on every answer.
func (c *Console) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
		h.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, mostForm)
		next.ServeHTTP(w, r)
	})
}

// room is a page, for whoever holds the right to it.
type room struct {
	needs staff.Right
	serve func(w http.ResponseWriter, r *http.Request, who *staff.Member)
}

// guard lets those in who are signed in and hold the right. Others are led to the door.
func (c *Console) guard(to room) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(c.cookie())
		if err != nil && r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			c.pages.show(w, http.StatusOK, "again", nil) // a link from elsewhere comes without the cookie; its own does not
			return
		}
		who := c.member(r, cookie)
		if who == nil {
			c.toDoor(w, r)
			return
		}
		if !who.Has(to.needs) {
			c.o.Refused(r.Context(), who)
			c.trouble(w, http.StatusForbidden, who, "No role of your key may do that.")
			return
		}
		to.serve(w, r, who)
	})
}

// member returns who is signed in; nil for nobody, or for one whose key was taken away.
func (c *Console) member(r *http.Request, cookie *http.Cookie) *staff.Member {
	if cookie == nil {
		return nil
	}
	key, ok := c.sessions.Key(cookie.Value, c.o.Clock(), !polls(r))
	if !ok {
		return nil
	}
	who := c.o.Staff().Member(key)
	if who == nil {
		c.sessions.End(cookie.Value)
	}
	return who
}

// polls says whether a page asks by itself.
func polls(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// toDoor leads to the sign-in page, and back from there.
func (c *Console) toDoor(w http.ResponseWriter, r *http.Request) {
	if polls(r) {
		w.Header().Set("HX-Redirect", Path+"login")
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	to := Path + "login"
	if r.Method == http.MethodGet {
		to += "?next=" + strings.TrimPrefix(r.URL.EscapedPath(), Path)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// cookie is the name of the session's cookie. The prefix binds it to this very host.
func (c *Console) cookie() string {
	if c.o.Secure {
		return "__Host-mcp-gateway"
	}
	return "mcp-gateway"
}

func person(m *staff.Member) *approval.Person {
	return &approval.Person{Subject: m.Subject, Tenant: m.Tenant, Groups: m.Groups, Via: "console", Key: m.ID}
}

// source is where a request came from, as far as tries are counted by it.
func source(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}

// fail shows an error, and tells its cause where who asks isn't told it.
func (c *Console) fail(w http.ResponseWriter, who *staff.Member, err error) {
	c.failAt(w, who, err, "")
}

// failAt does so of something that was tried at a page, and leads back there; "" = none.
func (c *Console) failAt(w http.ResponseWriter, who *staff.Member, err error, page string) {
	var r office.Refusal
	if !errors.As(err, &r) || r == office.Unrecorded {
		c.o.Failed(err)
	}
	status, sentence := told(r)
	if status == http.StatusNotFound {
		page = ""
	}
	c.pages.show(w, status, "trouble", frame(who, "", mishap{sentence, page}))
}

// told is a refusal as a status and a sentence.
func told(r office.Refusal) (int, string) {
	switch r {
	case office.NoTicket:
		return http.StatusNotFound, "There is no such call."
	case office.Settled:
		return http.StatusConflict, "It was decided already, or its time is over."
	case office.NoReason:
		return http.StatusBadRequest, "Say why, in at most 500 bytes."
	case office.NotRemembered:
		return http.StatusConflict, "The policy lets no consent stand for later calls here."
	case office.Unrecorded:
		return http.StatusServiceUnavailable, "It could not be put on record, so it was not done."
	case office.Refusal(approval.ReasonOwnCall), office.Refusal(approval.ReasonNoGroup), office.Refusal(approval.ReasonUnseen):
		return http.StatusForbidden, barred(approval.Reason(r))
	}
	return http.StatusInternalServerError, "It could not be done; the operator's log says why."
}

// barred says why somebody may not approve; "" if they may.
func barred(r approval.Reason) string {
	switch r {
	case approval.ReasonOwnCall:
		return "This is your own call: another person must approve it."
	case approval.ReasonNoGroup:
		return "The policy asks for an approver of a group in which you are not."
	case approval.ReasonUnseen:
		return "What the call brought is not kept any more."
	}
	return string(r)
}
