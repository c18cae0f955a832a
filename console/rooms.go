package console

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/auth/staff"
	"mcp-gateway/gateway"
)

// Sizes of lists.
const (
	mostPending = 200
	pageSize    = 50
)

// row is one ticket in a list.
type row struct {
	ID, Tool, Upstream, Caller, Tenant string
	Effect                             gateway.SideEffect // "" where it is not known any more
	Own                                bool               // the caller is who looks
	State                              approval.State
	Created, Expires, Decided          time.Time
	By, Via, Reason                    string
}

// list is what a room of tickets shows.
type list struct {
	Rows []row
	Mark string // of what is shown: a page that shows it already is told nothing
	Next string // the last ticket of a full page
	May  bool   // open them
}

func (c *Console) begin(w http.ResponseWriter, r *http.Request, _ *staff.Member) {
	http.Redirect(w, r, Path+"pending", http.StatusSeeOther)
}

func (c *Console) nowhere(w http.ResponseWriter, _ *http.Request, who *staff.Member) {
	c.trouble(w, http.StatusNotFound, who, "There is nothing here.")
}

// pending shows what waits. The page asks again every two seconds; where nothing
// changed it is told so, and keeps what it has, with the reader's place in it.
func (c *Console) pending(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	l, err := c.tickets(r, who, approval.Query{States: []approval.State{approval.Pending}, Limit: mostPending})
	if err != nil {
		c.fail(w, who, err)
		return
	}
	switch {
	case polls(r) && r.URL.Query().Get("seen") == l.Mark:
		w.WriteHeader(http.StatusNoContent)
	case polls(r):
		c.pages.part(w, "pending", "waiting", l)
	default:
		c.pages.show(w, http.StatusOK, "pending", frame(who, "pending", l))
	}
}

// decided shows what was answered or ended, newest first.
func (c *Console) decided(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	l, err := c.tickets(r, who, approval.Query{
		States: []approval.State{approval.Approved, approval.Denied, approval.Expired, approval.Cancelled, approval.Consumed},
		Limit:  pageSize, Before: r.URL.Query().Get("before"),
	})
	if err != nil {
		c.fail(w, who, err)
		return
	}
	c.pages.show(w, http.StatusOK, "decided", frame(who, "decided", l))
}

func (c *Console) tickets(r *http.Request, who *staff.Member, q approval.Query) (*list, error) {
	p := person(who)
	found, err := c.o.Office.List(r.Context(), p, q)
	if err != nil {
		return nil, err
	}
	l := &list{Rows: make([]row, len(found)), May: who.Has(staff.Read)}
	mark := sha256.New()
	for i := range found {
		t := &found[i]
		b, v := &t.Binding, &t.Verdict
		l.Rows[i] = row{
			ID: t.ID, Tool: toolName(b.Tool), Upstream: b.Upstream, Caller: b.Subject, Tenant: b.Tenant, Effect: c.o.Office.Effect(t), Own: p.Calls(b),
			State: t.State, Created: t.Created, Expires: t.Expires, Decided: v.At, By: v.Approver, Via: v.Via, Reason: v.Reason,
		}
		mark.Write([]byte(t.ID))
	}
	if len(found) == q.Limit {
		l.Next = found[len(found)-1].ID
	}
	l.Mark = hex.EncodeToString(mark.Sum(nil)[:8])
	return l, nil
}

// remembered shows the consents that stand for later calls.
func (c *Console) remembered(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	stand, err := c.o.Office.Consents(r.Context(), person(who))
	if err != nil {
		c.fail(w, who, err)
		return
	}
	l := &list{May: who.Has(staff.Revoke)}
	for i := range stand {
		b, v := &stand[i].Binding, &stand[i].Verdict
		l.Rows = append(l.Rows, row{
			ID: stand[i].ID, Tool: toolName(b.Tool), Upstream: b.Upstream, Caller: b.Subject, Tenant: b.Tenant,
			Expires: stand[i].Expires, Decided: v.At, By: v.Approver, Via: v.Via, Reason: v.Reason,
		})
	}
	c.pages.show(w, http.StatusOK, "remembered", frame(who, "remembered", l))
}

func (c *Console) forget(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	if err := c.o.Office.Forget(r.Context(), person(who), r.PathValue("id")); err != nil {
		c.fail(w, who, err)
		return
	}
	http.Redirect(w, r, Path+"remembered", http.StatusSeeOther)
}
