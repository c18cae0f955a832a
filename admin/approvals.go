package admin

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mcp-gateway/approval"
	"mcp-gateway/approval/office"
	"mcp-gateway/auth/staff"
	"mcp-gateway/protocol"
)

// Sizes of a page.
const (
	pageSize = 100
	mostPage = 1000
)

// headerVia says through which program a key comes: a word for the ticket, no proof.
const headerVia = "Mcp-Gateway-Via"

func person(r *http.Request, m *staff.Member) *approval.Person {
	via := "api"
	if r.Header.Get(headerVia) == "cli" {
		via = "cli"
	}
	return &approval.Person{Subject: m.Subject, Tenant: m.Tenant, Groups: m.Groups, Via: via, Key: m.ID}
}

// list: ?state=pending,approved&cursor=ID&limit=N, newest first.
func (a *API) list(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	q, ok := query(r)
	if !ok {
		refuse(w, http.StatusBadRequest, Malformed, "Wants state, cursor and limit (1 to 1000).")
		return
	}
	found, err := a.o.Office.List(r.Context(), person(r, who), q)
	if err != nil {
		a.fail(w, err)
		return
	}
	page := Tickets{Approvals: make([]Ticket, len(found))}
	for i := range found {
		page.Approvals[i] = TicketOf(&found[i])
	}
	if len(found) == q.Limit {
		page.Next = found[len(found)-1].ID
	}
	send(w, http.StatusOK, &page)
}

func query(r *http.Request) (approval.Query, bool) {
	q := approval.Query{Limit: pageSize}
	values := r.URL.Query()
	for _, text := range values["state"] {
		for word := range strings.SplitSeq(text, ",") {
			if !slices.Contains(approval.States(), approval.State(word)) {
				return q, false
			}
			q.States = append(q.States, approval.State(word))
		}
	}
	q.Before = values.Get("cursor")
	if text := values.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostPage {
			return q, false
		}
		q.Limit = n
	}
	return q, true
}

func (a *API) show(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	v, err := a.o.Office.Show(r.Context(), person(r, who), r.PathValue("id"))
	if err != nil {
		a.fail(w, err)
		return
	}
	out := ViewOf(v)
	send(w, http.StatusOK, &out)
}

func (a *API) decide(to approval.State) func(http.ResponseWriter, *http.Request, *staff.Member) {
	return func(w http.ResponseWriter, r *http.Request, who *staff.Member) {
		var v Verdict
		if !read(w, r, &v) {
			return
		}
		answer := office.Answer{State: to, Reason: v.Reason, Remember: v.Remember}
		t, err := a.o.Office.Decide(r.Context(), person(r, who), r.PathValue("id"), answer)
		if err != nil {
			a.fail(w, err)
			return
		}
		out := TicketOf(t)
		send(w, http.StatusOK, &out)
	}
}

// read reads a body strictly: JSON by its media type, one object, no member twice and
// none that isn't known, also not in another case.
func read(w http.ResponseWriter, r *http.Request, into *Verdict) bool {
	if r.Header.Get("Content-Type") == "application/json" {
		raw, err := io.ReadAll(r.Body)
		if err == nil && protocol.Check(raw, protocol.DefaultLimits()) == nil && onlyOf(raw, "reason", "remember") && json.Unmarshal(raw, into) == nil {
			return true
		}
	}
	refuse(w, http.StatusBadRequest, Malformed, "Wants application/json as documented, of at most 16 KiB.")
	return false
}

// onlyOf says whether an object has no other members than these.
func onlyOf(raw []byte, names ...string) bool {
	for name := range protocol.Members(raw) {
		if !slices.Contains(names, string(name)) {
			return false
		}
	}
	return true
}

func (a *API) remembered(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	stand, err := a.o.Office.Consents(r.Context(), person(r, who))
	if err != nil {
		a.fail(w, err)
		return
	}
	all := Consents{Remembered: make([]Consent, len(stand))}
	for i := range stand {
		all.Remembered[i] = ConsentOf(&stand[i])
	}
	send(w, http.StatusOK, &all)
}

func (a *API) forget(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	var v Verdict
	if !read(w, r, &v) {
		return
	}
	if err := a.o.Office.Forget(r.Context(), person(r, who), r.PathValue("id")); err != nil {
		a.fail(w, err)
		return
	}
	send(w, http.StatusOK, struct{}{})
}
