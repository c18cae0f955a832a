package admin

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/audit/shape"
	"mcp-gateway/auth/staff"
	"mcp-gateway/gateway"
)

// Event is one row of the record: a call with what became of it, or one other event.
type Event struct {
	ID        string                `json:"id"` // of the action, of an event without one its own
	Time      time.Time             `json:"time"`
	Type      audit.Type            `json:"type"`
	Replica   audit.Ident           `json:"replica"`
	Boot      uint64                `json:"boot"`
	Seq       uint64                `json:"seq"`
	Principal audit.Keyed           `json:"principal,omitempty"`
	Subject   audit.Label           `json:"subject,omitempty"`
	Tenant    audit.Label           `json:"tenant,omitempty"`
	Client    audit.Label           `json:"client,omitempty"`
	Method    audit.Method          `json:"method,omitempty"`
	Upstream  audit.Ident           `json:"upstream,omitempty"`
	Tool      audit.Ident           `json:"tool,omitempty"`
	ToolRef   audit.Keyed           `json:"tool_ref,omitempty"`
	State     gateway.ExposureState `json:"state,omitempty"`
	Effect    gateway.Effect        `json:"effect,omitempty"`
	Reasons   []gateway.Reason      `json:"reasons,omitempty"`
	Code      gateway.Code          `json:"code,omitempty"`
	Outcome   gateway.Outcome       `json:"outcome,omitempty"`
	Micros    int64                 `json:"duration_us,omitempty"`
}

// Events is a page of them; Next asks for the one after it, "" is the end.
type Events struct {
	Events []Event `json:"events"`
	Next   string  `json:"next,omitempty"`
}

// events: the question of audit query, newest first. A member who sees one tenant's
// calls sees that tenant's events.
func (a *API) events(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	f, cursor, ok := asked(r.URL.Query())
	if !ok {
		refuse(w, http.StatusBadRequest, Malformed, "Wants members of audit query, such as since, until, principal (a pseudonym as events have it), tool (an exposed name), effect, refused, cursor and limit (1 to 1000).")
		return
	}
	if who.Tenant != "" {
		f.Tenant = audit.Label(who.Tenant)
	}
	rows, next, err := a.o.Events(r.Context(), f, cursor)
	if errors.Is(err, index.ErrCursor) {
		refuse(w, http.StatusBadRequest, Malformed, "The cursor is none that a page gave.")
		return
	}
	if err != nil {
		a.fail(w, err)
		return
	}
	page := Events{Events: make([]Event, len(rows)), Next: next}
	for i := range rows {
		page.Events[i] = eventOf(&rows[i])
	}
	send(w, http.StatusOK, &page)
}

// Counts is how many rows of the record have the same values of the columns By, most
// first.
type Counts struct {
	By     []string `json:"by"`
	Groups []Group  `json:"groups"`
	More   bool     `json:"more,omitempty"` // there are more than limit
}

// Group is one of them.
type Group struct {
	Values []string `json:"values"`
	Rows   uint64   `json:"rows"`
}

// counts: the same question, ?by=effect,code besides, answered with numbers.
func (a *API) counts(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	values := r.URL.Query()
	by := strings.Split(values.Get("by"), ",")
	repeated := len(values["by"]) != 1
	values.Del("by")
	f, cursor, ok := asked(values)
	if !ok || repeated || cursor != "" {
		refuse(w, http.StatusBadRequest, Malformed, "Wants columns in by, such as effect,code, and members of audit query; no cursor.")
		return
	}
	if who.Tenant != "" {
		f.Tenant = audit.Label(who.Tenant)
	}
	most := f.Limit
	f.Limit++
	groups, err := a.o.Count(r.Context(), f, by)
	if errors.Is(err, index.ErrColumn) {
		refuse(w, http.StatusBadRequest, Malformed, "by wants some of "+strings.Join(index.Columns(), ", ")+".")
		return
	}
	if err != nil {
		a.fail(w, err)
		return
	}
	out := Counts{By: by, More: len(groups) > most}
	groups = groups[:min(most, len(groups))]
	out.Groups = make([]Group, len(groups))
	for i, g := range groups {
		out.Groups[i] = Group{g.Values, g.Rows}
	}
	send(w, http.StatusOK, &out)
}

// asked reads a question; a member that is not known, given twice or not of its form
// is refused rather than left out.
func asked(values url.Values) (f audit.Filter, cursor string, ok bool) {
	f.Limit = pageSize
	for name, given := range values {
		if len(given) != 1 || !set(&f, &cursor, name, given[0]) {
			return f, "", false
		}
	}
	return f, cursor, true
}

func set(f *audit.Filter, cursor *string, name, v string) (ok bool) {
	ok = v != ""
	var err error
	switch name {
	case "cursor":
		*cursor = v
	case "limit":
		f.Limit, err = strconv.Atoi(v)
		ok = err == nil && f.Limit >= 1 && f.Limit <= mostPage
	case "since":
		f.Since, err = time.Parse(time.RFC3339, v)
		ok = err == nil
	case "until":
		f.Until, err = time.Parse(time.RFC3339, v)
		ok = err == nil
	case "id":
		f.Action, ok = audit.ParseID(v)
	case "refused":
		f.Refused = v == "true"
		ok = f.Refused
	case "unresolved":
		f.Unresolved = v == "true"
		ok = f.Unresolved
	default:
		return word(f, name, v) && ok
	}
	return ok
}

// word takes a member that is one word.
func word(f *audit.Filter, name, v string) bool {
	switch name {
	case "principal":
		f.Principal = audit.Keyed(v)
		return shape.Keyed(v)
	case "subject":
		f.Subject = audit.Label(v)
	case "tenant":
		f.Tenant = audit.Label(v)
	case "client":
		f.Client = audit.Label(v)
	case "replica":
		f.Replica = audit.Ident(v)
	case "tool":
		f.Tool = audit.Ident(v)
	case "upstream":
		f.Upstream = audit.Ident(v)
	case "outcome":
		f.Outcome = gateway.Outcome(v)
		return slices.Contains(gateway.Outcomes(), f.Outcome)
	case "state":
		f.State = gateway.ExposureState(v)
		return slices.Contains(gateway.ExposureStates(), f.State)
	case "reason":
		f.Reason = gateway.Reason(v)
	case "effect":
		f.Effect = gateway.Effect(v)
		return slices.Contains([]gateway.Effect{gateway.Allow, gateway.Deny, gateway.Ask}, f.Effect)
	case "type":
		f.Type = audit.Type(v)
		return slices.Contains(audit.Types(), f.Type)
	case "code":
		f.Code = gateway.Code(v)
		return slices.Contains(gateway.Codes(), f.Code)
	default:
		return false
	}
	return true
}

func eventOf(r *audit.Row) Event {
	id := r.Event
	if !r.Action.IsZero() {
		id = r.Action
	}
	return Event{
		ID: id.String(), Time: r.Time, Type: r.Type, Replica: r.Position.Replica, Boot: r.Position.Boot, Seq: r.Position.Seq,
		Principal: r.Principal, Subject: r.Subject, Tenant: r.Tenant, Client: r.Client, Method: r.Method,
		Upstream: r.Upstream, Tool: r.Tool, ToolRef: r.ToolRef, State: r.State, Effect: r.Effect, Reasons: r.Reasons,
		Code: r.Code, Outcome: r.Outcome, Micros: r.Duration.Microseconds(),
	}
}
