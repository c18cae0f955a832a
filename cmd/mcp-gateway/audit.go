package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/verify"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/registry/diff"
)

// printable shows what would not show.
func printable(s string) string { return diff.Visible(strings.TrimSpace(s)) }

func auditCommand(f *flags) *cobra.Command {
	return group("audit", "Ask what happened", auditQueryCommand(f), auditVerifyCommand(f))
}

// question is what `audit query` takes.
type question struct {
	since, until, principal, tool, upstream, effect, kind, code, id, format string
	limit                                                                   int
}

func auditQueryCommand(f *flags) *cobra.Command {
	q := &question{}
	cmd := &cobra.Command{
		Use:   "query",
		Short: "Who called what, was it allowed, why, and what became of it",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return query(cmd, f, q) },
	}
	fl := cmd.Flags()
	fl.StringVar(&q.since, "since", "", "a duration back from now, such as 24h, or a time (RFC 3339)")
	fl.StringVar(&q.until, "until", "", "likewise; exclusive")
	fl.StringVar(&q.principal, "principal", "", "a configured subject or key id, or a pseudonym as events have it")
	fl.StringVar(&q.tool, "tool", "", "an exposed name")
	fl.StringVar(&q.upstream, "upstream", "", "an upstream's id")
	fl.StringVar(&q.effect, "effect", "", "allow, deny or ask")
	fl.StringVar(&q.kind, "type", "", "an event type, such as tool.decided")
	fl.StringVar(&q.code, "code", "", "a code, such as forbidden")
	fl.StringVar(&q.id, "id", "", "the id that an answer named")
	fl.IntVar(&q.limit, "limit", 100, "at most so many rows, newest first")
	fl.StringVarP(&q.format, "output", "o", "table", outputFormats)
	return cmd
}

func query(cmd *cobra.Command, f *flags, q *question) error {
	c, err := config.Load(f.config)
	if err != nil {
		return err
	}
	a, err := run.OpenAudit(c)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // it was only read
	filter, err := q.filter(time.Now())
	if err != nil {
		return err
	}
	if filter.Principal, err = a.Pseudonym(q.principal); err != nil {
		return &exitError{exitUsage, "error: --principal: " + err.Error()}
	}
	rows, err := a.Query(cmd.Context(), filter)
	if err != nil {
		return err
	}
	t := &table{columns: []string{"time", "type", "principal", "tool", "effect", "reasons", "code", "outcome", "ms", "id"}}
	for _, r := range rows {
		t.add(auditRow(&r, a)...)
	}
	return t.write(cmd.OutOrStdout(), q.format)
}

func auditRow(r *audit.Row, a *run.Audit) []string {
	tool, id, ms := string(r.Tool), r.Event, ""
	if tool == "" && r.ToolRef != "" {
		tool = "(unknown) " + string(r.ToolRef)
	}
	if !r.Action.IsZero() {
		id = r.Action
	}
	if r.Duration > 0 {
		ms = strconv.FormatFloat(float64(r.Duration.Microseconds())/1000, 'f', 1, 64)
	}
	return []string{
		r.Time.Local().Format("2006-01-02 15:04:05.000"), string(r.Type), a.Who(r), tool, string(r.Effect),
		joined(r.Reasons), string(r.Code), string(r.Outcome),
		ms, id.String(),
	}
}

func (q *question) filter(now time.Time) (audit.Filter, error) {
	f := audit.Filter{
		Tool: audit.Ident(q.tool), Upstream: audit.Ident(q.upstream), Effect: gateway.Effect(q.effect),
		Type: audit.Type(q.kind), Code: gateway.Code(q.code), Limit: q.limit,
	}
	if err := oneOf("--effect", q.effect, gateway.Allow, gateway.Deny, gateway.Ask); err != nil {
		return f, err
	}
	if err := oneOf("--type", q.kind, audit.Types()...); err != nil {
		return f, err
	}
	if err := oneOf("--code", q.code, gateway.Codes()...); err != nil {
		return f, err
	}
	var err error
	if q.id != "" {
		var ok bool
		if f.Action, ok = audit.ParseID(q.id); !ok {
			return f, &exitError{exitUsage, fmt.Sprintf("error: --id: %q is no id", q.id)}
		}
	}
	if f.Since, err = moment("--since", q.since, now); err != nil {
		return f, err
	}
	f.Until, err = moment("--until", q.until, now)
	return f, err
}

func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(-d), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, &exitError{exitUsage, fmt.Sprintf("error: %s: %q is neither a duration such as 24h nor a time such as 2026-09-01T00:00:00Z", flag, text)}
	}
	return at, nil
}

func auditVerifyCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Verify the journal's chains offline; exit 4 on the first thing that is wrong",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load(f.config)
			if err != nil {
				return err
			}
			report, err := verify.Journal(filepath.Join(c.State.Dir, run.JournalDir), verify.Against{})
			if err != nil {
				return err
			}
			for _, p := range report.Problems {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "writers %d, events %d, problems %d\n", len(report.Writers), report.Events, len(report.Problems))
			if !report.OK() {
				return &exitError{code: exitBadChain}
			}
			return nil
		},
	}
}
