package records

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/gateway"
)

// SQL waits likewise, and asks one question over the view events, reading only.
func (a *Records) SQL(ctx context.Context, query string) (*index.Answer, error) {
	return a.index.SQL(ctx, query)
}

// Read reads events from the journal itself, from the cursor on.
func (a *Records) Read(ctx context.Context, from folder.Cursor, yield func(folder.Entry) error) error {
	return folder.Read(ctx, a.dir, from, yield)
}

// Journal is the folder that is read.
func (a *Records) Journal() string { return a.dir }

// Admits says whether a single event is one that the filter asks for.
func Admits(f *audit.Filter, e *audit.Event) bool {
	whose := cmp.Or(e.Principal, e.Approver) // as the index has it
	for _, c := range [...]struct{ want, have string }{
		{string(f.Principal), string(whose)}, {string(f.Subject), string(e.Subject)}, {string(f.Tenant), string(e.Tenant)},
		{string(f.Client), string(e.Client)}, {string(f.Replica), string(e.Replica)}, {string(f.Tool), string(e.Tool)},
		{string(f.Upstream), string(e.Upstream)}, {string(f.Effect), string(e.Effect)}, {string(f.Type), string(e.Type)},
		{string(f.Code), string(e.Code)}, {string(f.Outcome), string(e.Outcome)}, {string(f.State), string(e.State)},
	} {
		if !fits(c.want, c.have) {
			return false
		}
	}
	switch {
	case !f.Since.IsZero() && e.Time.Before(f.Since), !f.Until.IsZero() && !e.Time.Before(f.Until):
		return false
	case !f.Action.IsZero() && e.Action != f.Action, !f.Approval.IsZero() && e.Approval != f.Approval:
		return false
	case len(f.People) > 0 && !slices.Contains(f.People, whose):
		return false
	case len(f.Approvers) > 0 && !slices.Contains(f.Approvers, e.Approver):
		return false
	case len(f.Types) > 0 && !slices.Contains(f.Types, e.Type):
		return false
	case f.Refused && !slices.Contains(audit.Refusals(), e.Type):
		return false
	case f.Reason != "" && !slices.Contains(e.Reasons, f.Reason) && !slices.ContainsFunc(e.Obligations, func(w audit.Word) bool { return notes(w, f.Reason) }):
		return false
	}
	return true
}

// notes says whether a decision's word says that a rule only noted this.
func notes(w audit.Word, reason gateway.Reason) bool {
	mode, code, _ := strings.Cut(string(w), ".")
	return (mode == "warned" || mode == "watched") && (code == string(reason) || string(w) == string(reason))
}

func fits(want, have string) bool {
	if prefix, ok := strings.CutSuffix(want, "*"); ok {
		return strings.HasPrefix(have, prefix)
	}
	return want == "" || want == have
}
