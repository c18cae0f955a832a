package console

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"mcp-gateway/approval"
	"mcp-gateway/approval/office"
	"mcp-gateway/auth/staff"
	"mcp-gateway/gateway"
	"mcp-gateway/registry/diff"
)

// call is what the page of one ticket shows.
type call struct {
	row
	Client, Issuer        string
	Definition, Arguments gateway.Digest
	Sheet                 *approval.Sheet // nil where it is not kept any more
	Text                  string          // the arguments, indented, with nothing in them that hides
	Data                  []string
	Needs                 []string
	Barred                string // why who looks may not approve; "" if they may
	MayAnswer, MayRevoke  bool
	Remember              string // for how long a yes may stand; "" = for this call alone
	Action                string
}

// detail shows one call. A page that is open asks again by itself, and is loaded anew
// once the call stands otherwise: answered by another, used, or expired.
func (c *Console) detail(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	if polls(r) {
		state, err := c.o.Office.State(r.Context(), person(who), r.PathValue("id"))
		switch {
		case err != nil:
			c.fail(w, who, err)
		case string(state) == r.URL.Query().Get("seen"):
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("HX-Refresh", "true")
		}
		return
	}
	v, err := c.o.Office.Show(r.Context(), person(who), r.PathValue("id"))
	if err != nil {
		c.fail(w, who, err)
		return
	}
	c.pages.show(w, http.StatusOK, "detail", frame(who, "", c.viewed(v, who)))
}

func (c *Console) viewed(v *office.View, who *staff.Member) *call {
	b, d := &v.Binding, &v.Verdict
	k := &call{
		row: row{
			ID: v.ID, Tool: toolName(b.Tool), Upstream: b.Upstream, Caller: b.Subject, Tenant: b.Tenant, Own: person(who).Calls(b),
			State: v.State, Created: v.Created, Expires: v.Expires, Decided: d.At, By: d.Approver, Via: d.Via, Reason: d.Reason,
		},
		Client: b.Client, Issuer: b.Issuer, Definition: b.Definition, Arguments: b.Arguments, Sheet: v.Sheet, Action: v.Action,
		Barred: barred(v.Bars),
	}
	open := v.State == approval.Pending
	k.MayAnswer = open && who.Has(staff.Answer)
	k.MayRevoke = (open || v.State == approval.Approved) && who.Has(staff.Revoke)
	if v.Sheet == nil {
		return k
	}
	k.Effect, k.Text, k.Needs = v.Sheet.SideEffect, indented(v.Sheet.Arguments), approval.Words(v.Sheet.Needs)
	for _, pointer := range slices.Sorted(maps.Keys(v.Sheet.Data)) {
		k.Data = append(k.Data, pointer+" is "+v.Sheet.Data[pointer])
	}
	if stands := approval.Remembers(v.Sheet.Needs); stands > 0 {
		k.Remember = stands.String()
	}
	return k
}

// indented lays arguments out by line. Every token stays as it was sent; what would
// hide in a text is shown by its number.
func indented(arguments []byte) string {
	var text bytes.Buffer
	if json.Indent(&text, arguments, "", "  ") != nil {
		return diff.Visible(string(arguments))
	}
	lines := strings.Split(text.String(), "\n")
	for i, line := range lines {
		lines[i] = diff.Visible(line)
	}
	return strings.Join(lines, "\n")
}

// verdicts are the answers by their place, with the right that each needs.
func verdict(word string) (to approval.State, needs staff.Right, ok bool) {
	switch word {
	case "approve":
		return approval.Approved, staff.Answer, true
	case "deny":
		return approval.Denied, staff.Answer, true
	case "revoke":
		return approval.Cancelled, staff.Revoke, true
	}
	return "", "", false
}

func (c *Console) answer(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	to, needs, ok := verdict(r.PathValue("verdict"))
	if !ok {
		c.nowhere(w, r, who)
		return
	}
	if !who.Has(needs) {
		c.o.Refused(r.Context(), who)
		c.trouble(w, http.StatusForbidden, who, "No role of your key may do that.")
		return
	}
	id := r.PathValue("id")
	answer := office.Answer{State: to, Reason: r.PostFormValue("reason"), Remember: r.PostFormValue("remember") == "yes"}
	if _, err := c.o.Office.Decide(r.Context(), person(who), id, answer); err != nil {
		c.failAt(w, who, err, "approvals/"+id)
		return
	}
	http.Redirect(w, r, Path+"approvals/"+id, http.StatusSeeOther)
}

// toolName is a tool's name without its kind, where the kind says no more.
func toolName(tool string) string { return strings.TrimPrefix(tool, "tool:") }
