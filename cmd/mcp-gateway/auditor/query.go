package auditor

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/gateway"
)

// question is what narrows a query, an export or a tail.
type question struct {
	since, until, principal, subject, tenant, client, replica string
	tool, upstream, effect, kind, code, outcome, state        string
	reason, id, issuer                                        string
	refused                                                   bool
}

func (q *question) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&q.since, "since", "", "a duration back from now, such as 24h, or a time (RFC 3339)")
	fl.StringVar(&q.until, "until", "", "likewise; exclusive")
	fl.StringVar(&q.principal, "principal", "", "a subject or key id, a whole identity as 'ISSUER|SUBJECT' or 'ISSUER|SUBJECT|TENANT|CLIENT', or a pseudonym as events have it; exit 2 if it is nobody's")
	fl.StringVar(&q.subject, "subject", "", "a subject: as events name it in clear, or else as --principal finds it; exit 2 if it is nobody's")
	fl.StringVar(&q.issuer, "issuer", "", "the `URL` of the issuer that --subject or --principal is a subject of; every configured one where absent")
	fl.StringVar(&q.tenant, "tenant", "", "a tenant")
	fl.StringVar(&q.client, "client", "", "a client, such as the id of a key")
	fl.StringVar(&q.replica, "replica", "", "the gateway that wrote it")
	fl.StringVar(&q.tool, "tool", "", "an exposed name; one that ends in * stands for all that begin so")
	fl.StringVar(&q.upstream, "upstream", "", "an upstream's id")
	fl.StringVar(&q.effect, "effect", "", "allow, deny or ask: what policy said; what was stopped before it has none")
	fl.BoolVar(&q.refused, "refused", false, "what was refused, whatever stopped it: an unknown tool, wrong arguments, policy, a limit")
	fl.StringVar(&q.kind, "type", "", "an event type, such as tool.decided")
	fl.StringVar(&q.code, "code", "", "a code, such as forbidden")
	fl.StringVar(&q.outcome, "outcome", "", "an outcome, such as outcome_unknown")
	fl.StringVar(&q.state, "state", "", "how a definition stands in review, such as changed")
	fl.StringVar(&q.reason, "reason", "", "one of the reasons, such as scope_missing")
	fl.StringVar(&q.id, "id", "", "the id that an answer named")
}

func (d *desk) query() *cobra.Command {
	q, by, count, limit, format := &question{}, []string(nil), false, 100, ""
	cmd := &cobra.Command{
		Use:   "query",
		Short: "Who called what, was it allowed, why, and what became of it",
		Long: "Who called what, was it allowed, why, and what became of it.\n\n" +
			"Without --group-by or --count each action is one row, newest first: a call with what became of it, or one other event.\n" +
			"Columns to group by: " + strings.Join(index.Columns(), ", ") + ".",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := d.open(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // it was only read
			f, err := q.filter(cmd.Context(), time.Now(), a)
			if err != nil {
				return err
			}
			if f.Limit = limit; count || len(by) > 0 {
				return counts(cmd, a, f, by, format)
			}
			return rows(cmd, a, f, format)
		},
	}
	q.flags(cmd)
	fl := cmd.Flags()
	fl.StringSliceVar(&by, "group-by", nil, "count rows by these `columns`, most first")
	fl.BoolVar(&count, "count", false, "only how many")
	fl.IntVar(&limit, "limit", 100, "at most so many rows or groups")
	fl.StringVarP(&format, "output", "o", "table", cli.Formats)
	return cmd
}

func rows(cmd *cobra.Command, a *records.Records, f audit.Filter, format string) error {
	found, err := a.Query(cmd.Context(), f)
	if err != nil {
		return err
	}
	t := &cli.Table{Columns: rowColumns()}
	for i := range found {
		t.Add(rowCells(&found[i], a)...)
	}
	return t.Write(cmd.OutOrStdout(), format)
}

func rowColumns() []string {
	return []string{"time", "type", "principal", "tool", "state", "effect", "reasons", "code", "outcome", "ms", "id"}
}

func rowCells(r *audit.Row, a *records.Records) []string {
	tool, id, ms := string(r.Tool), r.Event, ""
	switch {
	case tool == "" && r.ToolRef != "" && r.Upstream != "":
		tool = a.Item(r.Method, r.Upstream, r.Of)
	case tool == "" && r.ToolRef != "":
		tool = "(unknown) " + string(r.ToolRef)
	case tool == "":
		tool = string(r.Upstream)
	}
	if !r.Action.IsZero() {
		id = r.Action
	}
	if r.Duration > 0 {
		ms = strconv.FormatFloat(float64(r.Duration.Microseconds())/1000, 'f', 1, 64)
	}
	return []string{
		r.Time.Local().Format("2006-01-02 15:04:05.000"), string(r.Type), a.Actor(r), tool, string(r.State),
		string(r.Effect), cli.Joined(r.Reasons), string(r.Code), string(r.Outcome), ms, id.String(),
	}
}

func counts(cmd *cobra.Command, a *records.Records, f audit.Filter, by []string, format string) error {
	groups, err := a.Count(cmd.Context(), f, by)
	if errors.Is(err, index.ErrColumn) {
		return cli.Misused("--group-by: want some of %s", strings.Join(index.Columns(), ", "))
	}
	if err != nil {
		return err
	}
	t := &cli.Table{Columns: append(by, "rows")}
	for _, g := range groups {
		for i, column := range by {
			if column == "principal" {
				g.Values[i] = a.Who(&audit.Row{Principal: audit.Keyed(g.Values[i])})
			}
		}
		t.Add(append(g.Values, strconv.FormatUint(g.Rows, 10))...)
	}
	return t.Write(cmd.OutOrStdout(), format)
}

// filter checks the flags: a word that matches nothing by its very form is
// refused rather than answered with nothing.
func (q *question) filter(ctx context.Context, now time.Time, a *records.Records) (audit.Filter, error) {
	f := audit.Filter{
		Tool: audit.Ident(q.tool), Upstream: audit.Ident(q.upstream), Effect: gateway.Effect(q.effect),
		Type: audit.Type(q.kind), Code: gateway.Code(q.code), Outcome: gateway.Outcome(q.outcome),
		State: gateway.ExposureState(q.state), Reason: gateway.Reason(q.reason), Subject: audit.Label(q.subject),
		Tenant: audit.Label(q.tenant), Client: audit.Label(q.client), Replica: audit.Ident(q.replica),
		Refused: q.refused,
	}
	err := errors.Join(
		cli.OneOf("--effect", q.effect, gateway.Allow, gateway.Deny, gateway.Ask),
		cli.OneOf("--type", q.kind, audit.Types()...),
		cli.OneOf("--code", q.code, gateway.Codes()...),
	)
	if err != nil {
		return f, err
	}
	if err := a.Narrow(ctx, &f, records.Person{Principal: q.principal, Subject: q.subject, Issuer: q.issuer}); err != nil {
		return f, err
	}
	if q.id != "" {
		var ok bool
		if f.Action, ok = audit.ParseID(q.id); !ok {
			return f, cli.Misused("--id: %q is no id", q.id)
		}
	}
	if f.Since, err = cli.Moment("--since", q.since, now); err != nil {
		return f, err
	}
	f.Until, err = cli.Moment("--until", q.until, now)
	return f, err
}
