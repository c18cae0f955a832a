package admin

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
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
	Approver  audit.Keyed           `json:"approver,omitempty"`
	Approval  string                `json:"approval,omitempty"` // the ticket
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

// Events is a page of them; Next asks for the one after it, "" is the end. Where nothing
// was found, Unseen are the members of the question whose word no event has at all: "has
// done nothing" and "is not known" are different answers.
type Events struct {
	Events []Event  `json:"events"`
	Next   string   `json:"next,omitempty"`
	Unseen []string `json:"unseen,omitempty"`
}

// events: the question of audit query, newest first. A member who sees one tenant's
// calls sees that tenant's events.
func (a *API) events(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	f, cursor, wrong := asked(r.URL.Query())
	if wrong != "" {
		refuse(w, http.StatusBadRequest, Malformed, wrong)
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
	if len(rows) == 0 && cursor == "" {
		if page.Unseen, err = a.unseen(r.Context(), &f, who); err != nil {
			a.fail(w, err)
			return
		}
	}
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
	More   bool     `json:"more,omitempty"`   // there are more than limit
	Unseen []string `json:"unseen,omitempty"` // as of Events
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
	f, cursor, wrong := asked(values)
	switch {
	case wrong != "":
		refuse(w, http.StatusBadRequest, Malformed, wrong)
		return
	case repeated || cursor != "":
		refuse(w, http.StatusBadRequest, Malformed, "Wants columns once in by, such as effect,code, and no cursor.")
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
	if len(groups) == 0 {
		f.Limit = most
		if out.Unseen, err = a.unseen(r.Context(), &f, who); err != nil {
			a.fail(w, err)
			return
		}
	}
	send(w, http.StatusOK, &out)
}

func eventOf(r *audit.Row) Event {
	id := r.Event
	if !r.Action.IsZero() {
		id = r.Action
	}
	return Event{
		ID: id.String(), Time: r.Time, Type: r.Type, Replica: r.Position.Replica, Boot: r.Position.Boot, Seq: r.Position.Seq,
		Principal: r.Principal, Approver: r.Approver, Approval: ticketOf(r), Subject: r.Subject, Tenant: r.Tenant, Client: r.Client, Method: r.Method,
		Upstream: r.Upstream, Tool: r.Tool, ToolRef: r.ToolRef, State: r.State, Effect: r.Effect, Reasons: r.Reasons,
		Code: r.Code, Outcome: r.Outcome, Micros: r.Duration.Microseconds(),
	}
}

func ticketOf(r *audit.Row) string {
	if r.Approval.IsZero() {
		return ""
	}
	return r.Approval.String()
}
