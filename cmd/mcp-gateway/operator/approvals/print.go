package approvals

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"mcp-gateway/admin"
	"mcp-gateway/approval"
	"mcp-gateway/gateway"
	"mcp-gateway/registry/diff"
)

// printTicket shows the very call that waits. What callers and arguments hold is shown
// so that nothing of it hides or moves the cursor.
func printTicket(w io.Writer, t *admin.Ticket) {
	line := func(what, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-12s%s\n", what, diff.Visible(text))
		}
	}
	line("id", t.ID)
	line("state", string(t.State))
	line("caller", fmt.Sprintf("%s (issuer %s, tenant %s, client %s)", t.Caller.Subject, t.Caller.Issuer, t.Caller.Tenant, t.Caller.Client))
	line("tool", named(t.Upstream, t.Tool))
	line("definition", string(t.Definition))
	if s := t.Sheet; s != nil {
		printSheet(line, s)
	}
	line("digest", string(t.Arguments))
	line("created", t.Created.Format(time.RFC3339))
	line("expires", t.Expires.Format(time.RFC3339))
	if d := t.Decision; d != nil {
		line("decided by", fmt.Sprintf("%s (%s) %s", d.By, d.Via, d.Reason))
	}
	line("you may not", string(t.Bars))
}

func printSheet(line func(what, text string), s *approval.Sheet) {
	effect := string(s.SideEffect)
	if !s.Reversible {
		effect += ", can't be taken back"
	}
	if !s.Contained {
		effect += ", reaches people or systems outside"
	}
	line("effect", effect)
	line("arguments", string(s.Arguments))
	line("not shown", strings.Join(s.Hidden, ", "))
	line("goes to", s.Destination)
	line("notifies", strings.Join(s.Notifies, ", "))
	for _, pointer := range slices.Sorted(maps.Keys(s.Data)) {
		line("data", pointer+" is "+s.Data[pointer])
	}
	line("evidence", s.Evidence)
	line("purpose", s.Purpose)
	line("owner", s.Owner)
	reasons := make([]string, len(s.Reasons))
	for i, r := range s.Reasons {
		reasons[i] = string(r)
	}
	line("because", strings.Join(reasons, ", "))
	line("needs", strings.Join(approval.Words(s.Needs), "; "))
}

// named writes what is asked about as every other command names it; bound is its kind and
// name, as a ticket binds them.
func named(upstream, bound string) string {
	kind, name, ok := strings.Cut(bound, ":")
	switch {
	case !ok:
		return upstream + "/" + bound
	case kind == gateway.KindTool.String():
		kind = string(gateway.KindTool)
	}
	return gateway.ItemID{Kind: gateway.Kind(kind), Upstream: upstream, Name: name}.String()
}
