package admin

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/shape"
	"mcp-gateway/auth/staff"
	"mcp-gateway/gateway"
)

// members are what a question may name besides cursor.
func members() []string {
	return []string{
		"since", "until", "id", "approval", "principal", "approver", "subject", "tenant", "client", "replica", "tool", "upstream",
		"effect", "reason", "code", "outcome", "state", "type", "refused", "unresolved", "limit",
	}
}

// asked reads a question. wrong says of a member that is not known, given twice or not of
// its form what it should be: it is refused rather than left out.
func asked(values url.Values) (f audit.Filter, cursor, wrong string) {
	f.Limit = pageSize
	for name, given := range values {
		switch {
		case name == "cursor" && len(given) == 1 && given[0] != "":
			cursor = given[0]
			continue
		case name != "cursor" && !slices.Contains(members(), name):
			return f, "", fmt.Sprintf("%q is no member of a question; there are %s and cursor.", name, strings.Join(members(), ", "))
		case len(given) != 1:
			return f, "", name + " is given more than once."
		}
		if wants := set(&f, name, given[0]); wants != "" || given[0] == "" {
			return f, "", name + " wants " + wants + "."
		}
	}
	return f, cursor, ""
}

// set puts a member into the filter, or says what it wants.
func set(f *audit.Filter, name, v string) (wants string) {
	var err error
	ok := v != ""
	switch name {
	case "limit":
		f.Limit, err = strconv.Atoi(v)
		ok, wants = f.Limit >= 1 && f.Limit <= mostPage, fmt.Sprintf("a number from 1 to %d", mostPage)
	case "since":
		f.Since, err = time.Parse(time.RFC3339, v)
		wants = "a time (RFC 3339)"
	case "until":
		f.Until, err = time.Parse(time.RFC3339, v)
		wants = "a time (RFC 3339)"
	case "id":
		f.Action, ok = audit.ParseID(v)
		wants = "an id"
	case "approval":
		f.Approval, ok = audit.ParseID(v)
		wants = "the id of a ticket"
	case "refused":
		f.Refused = v == "true"
		ok, wants = f.Refused, "true"
	case "unresolved":
		f.Unresolved = v == "true"
		ok, wants = f.Unresolved, "true"
	default:
		return word(f, name, v)
	}
	if ok && err == nil {
		return ""
	}
	return wants
}

// word takes a member that is one word.
func word(f *audit.Filter, name, v string) (wants string) {
	switch name {
	case "principal", "approver":
		if name == "approver" {
			f.Approvers = []audit.Keyed{audit.Keyed(v)}
		} else {
			f.Principal = audit.Keyed(v)
		}
		if !shape.Keyed(v) {
			return "a pseudonym as events have it"
		}
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
	case "reason":
		f.Reason = gateway.Reason(v)
	case "outcome":
		f.Outcome = gateway.Outcome(v)
		return oneOf(f.Outcome, gateway.Outcomes())
	case "state":
		f.State = gateway.ExposureState(v)
		return oneOf(f.State, gateway.ExposureStates())
	case "effect":
		f.Effect = gateway.Effect(v)
		return oneOf(f.Effect, []gateway.Effect{gateway.Allow, gateway.Deny, gateway.Ask})
	case "type":
		f.Type = audit.Type(v)
		return oneOf(f.Type, audit.Types())
	case "code":
		f.Code = gateway.Code(v)
		return oneOf(f.Code, gateway.Codes())
	}
	if v == "" {
		return "a word"
	}
	return ""
}

// oneOf says which words there are, where v is none of them.
func oneOf[T ~string](v T, known []T) (wants string) {
	if slices.Contains(known, v) {
		return ""
	}
	words := make([]string, len(known))
	for i, w := range known {
		words[i] = string(w)
	}
	return "one of " + strings.Join(words, ", ")
}

// unseen returns the members of a question whose word stands in no event that this
// person may see.
func (a *API) unseen(ctx context.Context, f *audit.Filter, who *staff.Member) ([]string, error) {
	var names []string
	for _, one := range []struct {
		name  string
		asked bool
		alone audit.Filter
	}{
		{"principal", f.Principal != "", audit.Filter{Principal: f.Principal}},
		{"approver", len(f.Approvers) > 0, audit.Filter{Approvers: f.Approvers}},
		{"subject", f.Subject != "", audit.Filter{Subject: f.Subject}},
		{"tenant", f.Tenant != "" && who.Tenant == "", audit.Filter{Tenant: f.Tenant}},
		{"client", f.Client != "", audit.Filter{Client: f.Client}},
		{"replica", f.Replica != "", audit.Filter{Replica: f.Replica}},
		{"tool", f.Tool != "", audit.Filter{Tool: f.Tool}},
		{"upstream", f.Upstream != "", audit.Filter{Upstream: f.Upstream}},
		{"reason", f.Reason != "", audit.Filter{Reason: f.Reason}},
	} {
		if !one.asked {
			continue
		}
		one.alone.Limit = 1
		if who.Tenant != "" {
			one.alone.Tenant = audit.Label(who.Tenant)
		}
		rows, _, err := a.o.Events(ctx, one.alone, "")
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			names = append(names, one.name)
		}
	}
	return names, nil
}
