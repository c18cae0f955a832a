package auditor

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/cmd/mcp-gateway/auditor/answer"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/gateway"
)

// question is what narrows a query, an export or a tail.
type question struct {
	since, until, principal, subject, tenant, client, replica string
	tool, upstream, effect, code, outcome, state              string
	reason, id, issuer, approver, approval                    string
	kinds                                                     []string
	refused, calls, unresolved                                bool
}

func (q *question) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	cli.OnceVar(fl, &q.since, "since", "a duration back from now, such as 24h, or a time (RFC 3339)")
	cli.OnceVar(fl, &q.until, "until", "likewise; exclusive")
	cli.OnceVar(fl, &q.principal, "principal", "a subject or key id, a whole identity as 'ISSUER|SUBJECT' or 'ISSUER|SUBJECT|TENANT|CLIENT', or a pseudonym as events have it; exit 2 if it is nobody's")
	cli.OnceVar(fl, &q.subject, "subject", "a subject: as events name it in clear, or else as --principal finds it; exit 2 if it is nobody's")
	cli.OnceVar(fl, &q.issuer, "issuer", "the `URL` of the issuer that --subject or --principal is a subject of; every configured one where absent")
	cli.OnceVar(fl, &q.approver, "approver", "whose word it was, named as by --principal: tickets answered and the calls that went ahead by that, actions settled, calls labelled, arguments read")
	cli.OnceVar(fl, &q.tenant, "tenant", "a tenant")
	cli.OnceVar(fl, &q.client, "client", "a client, such as the id of a key")
	cli.OnceVar(fl, &q.replica, "replica", "the gateway that wrote it")
	cli.OnceVar(fl, &q.tool, "tool", "an exposed name, or UPSTREAM/TOOL; one that ends in * stands for all that begin so; exit 2 if no event and no configuration knows it")
	cli.OnceVar(fl, &q.upstream, "upstream", "an upstream's id; exit 2 if nothing knows it")
	cli.OnceVar(fl, &q.effect, "effect", "allow, deny or ask: what policy said; what was stopped before it has none")
	fl.BoolVar(&q.refused, "refused", false, "what was refused, whatever stopped it: an unknown tool, wrong arguments, policy, a limit")
	fl.StringSliceVar(&q.kinds, "type", nil, "an event type, such as tool.decided; several are any of them")
	fl.BoolVar(&q.calls, "calls", false, "only calls, sent or refused: no lists, no approvals, nothing of those who run the gateway")
	cli.OnceVar(fl, &q.code, "code", "a code, such as forbidden")
	cli.OnceVar(fl, &q.outcome, "outcome", "an outcome, such as outcome_unknown")
	cli.OnceVar(fl, &q.state, "state", "how a definition stands in review, such as changed")
	cli.OnceVar(fl, &q.reason, "reason", "one of the reasons, such as scope_missing; also what a rule in mode warn or audit only noted, which alone is warned.CODE or watched.CODE")
	cli.OnceVar(fl, &q.id, "id", "the id that an answer named")
	cli.OnceVar(fl, &q.approval, "approval", "a `ticket`: who asked for it, what was answered, and the calls that went ahead by it")
}

func (d *desk) query() *cobra.Command {
	q, by, count, most, format := &question{}, []string(nil), false, answer.Bound{}, ""
	cmd := &cobra.Command{
		Use:   "query",
		Short: "Who called what, was it allowed, why, and what became of it",
		Long: "Who called what, was it allowed, why, and what became of it.\n\n" +
			"Without --group-by or --count each action is one row, newest first: a call with what became of it, or one other event.\n" +
			"An answer is whole in json, jsonl and csv; a table holds 100 rows unless --limit or --all says otherwise. What is\n" +
			"left out is told on standard error. An unknown outcome that was settled since says so; --unresolved leaves those out.\n" +
			"Columns to group by: " + strings.Join(index.Columns(), ", ") + ".",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := d.open(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // it was only read
			if most.Limit < 1 && cmd.Flags().Changed("limit") || most.All && most.Limit > 0 {
				return cli.Misused("--limit: wants a number from 1, and goes without --all")
			}
			f, err := q.filter(cmd.Context(), time.Now(), a)
			if err != nil {
				return err
			}
			f.Unresolved = q.unresolved
			if f.Limit = most.In(format); count || len(by) > 0 {
				return answer.Counts(cmd, a, f, by, format)
			}
			return answer.Rows(cmd, a, f, format)
		},
	}
	q.flags(cmd)
	fl := cmd.Flags()
	fl.StringSliceVar(&by, "group-by", nil, "count rows by these `columns`, most first")
	fl.BoolVar(&count, "count", false, "only how many")
	fl.IntVar(&most.Limit, "limit", 0, "at most so many rows or groups; 100 in tables where absent, else all")
	fl.BoolVar(&most.All, "all", false, "all rows or groups, in tables too")
	fl.BoolVar(&q.unresolved, "unresolved", false, "only actions whose outcome is unknown, and that nobody settled since")
	fl.StringVarP(&format, "output", "o", "table", cli.Formats)
	return cmd
}

// filter checks the flags: a word that matches nothing by its very form is
// refused rather than answered with nothing.
func (q *question) filter(ctx context.Context, now time.Time, a *records.Records) (audit.Filter, error) {
	f := audit.Filter{
		Tool: audit.Ident(q.tool), Upstream: audit.Ident(q.upstream), Effect: gateway.Effect(q.effect),
		Code: gateway.Code(q.code), Outcome: gateway.Outcome(q.outcome),
		State: gateway.ExposureState(q.state), Reason: gateway.Reason(q.reason), Subject: audit.Label(q.subject),
		Tenant: audit.Label(q.tenant), Client: audit.Label(q.client), Replica: audit.Ident(q.replica),
		Refused: q.refused,
	}
	err := errors.Join(
		cli.OneOf("--effect", q.effect, gateway.Allow, gateway.Deny, gateway.Ask),
		cli.OneOf("--code", q.code, gateway.Codes()...),
		cli.OneOf("--outcome", q.outcome, gateway.Outcomes()...),
		cli.OneOf("--state", q.state, gateway.ExposureStates()...),
	)
	for _, t := range q.kinds {
		err = errors.Join(err, cli.OneOf("--type", t, audit.Types()...))
		f.Types = append(f.Types, audit.Type(t))
	}
	if q.calls && len(q.kinds) > 0 {
		err = errors.Join(err, cli.Misused("--calls: goes without --type"))
	}
	if q.calls {
		f.Types = []audit.Type{audit.ToolDecided, audit.ToolRefused}
	}
	if err != nil {
		return f, err
	}
	if err := a.Narrow(ctx, &f, records.Person{Principal: q.principal, Subject: q.subject, Issuer: q.issuer, Approver: q.approver}); err != nil {
		return f, err
	}
	if err := a.Words(ctx, &f); err != nil {
		return f, err
	}
	for _, id := range []struct {
		flag, text string
		into       *audit.ID
	}{{"--id", q.id, &f.Action}, {"--approval", q.approval, &f.Approval}} {
		var ok bool
		if *id.into, ok = audit.ParseID(id.text); !ok && id.text != "" {
			return f, cli.Misused("%s: %q is no id", id.flag, id.text)
		}
	}
	if f.Since, err = cli.Moment("--since", q.since, now); err != nil {
		return f, err
	}
	f.Until, err = cli.Moment("--until", q.until, now)
	if err == nil && !f.Since.IsZero() && !f.Until.IsZero() && f.Until.Before(f.Since) {
		err = cli.Misused("--until: %s is before --since %s", q.until, q.since)
	}
	return f, err
}
