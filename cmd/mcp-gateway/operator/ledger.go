package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/past"
	"mcp-gateway/gateway"
	"mcp-gateway/receipt"
	"mcp-gateway/registry/diff"
)

func (d *desk) listActions() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List actions, newest first", Args: cobra.NoArgs}
	unknown := cmd.Flags().Bool("unknown", false, "only those whose outcome is unknown")
	limit := cmd.Flags().Int("limit", 100, "at most so many")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return d.reading(cmd, func(s *state) error {
			f := receipt.Filter{Limit: *limit + 1} // one more tells that there are more
			if *unknown {
				f.States = []gateway.Outcome{gateway.OutcomeUnknown}
			}
			actions, err := s.store.Actions(cmd.Context(), f)
			if err != nil {
				return err
			}
			if len(actions) > *limit {
				actions = actions[:*limit]
				fmt.Fprintf(cmd.ErrOrStderr(), "the newest %d, and there are more; --limit N\n", *limit)
			}
			t := &cli.Table{Columns: []string{"began", "action", "tool", "state", "attempt", "external id", "approval"},
				Kinds: map[string]cli.Kind{"began": cli.Time, "attempt": cli.Number}}
			for i := range actions {
				a := &actions[i]
				t.Add(cli.Stamp(a.Began), a.Action, a.Item.String(), string(a.State), fmt.Sprint(a.Attempt), a.ExternalID, a.Approval)
			}
			return t.Write(cmd.OutOrStdout(), *format)
		})
	}
	return cmd
}

// known is all that ledger and journal know of an action.
type known struct {
	Action     string          `json:"action"`
	Tool       string          `json:"tool"`
	State      gateway.Outcome `json:"state"`
	Attempt    int             `json:"attempt"`
	KeyFrom    string          `json:"key_from"`
	Began      string          `json:"began"`
	Settled    string          `json:"settled,omitempty"`
	Code       gateway.Code    `json:"code,omitempty"`
	ExternalID string          `json:"external_id,omitempty"`
	Approval   string          `json:"approval,omitempty"`
	ToldBy     receipt.Source  `json:"told_by,omitempty"`
	DecidedBy  string          `json:"decided_by,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Receipts   []knownReceipt  `json:"receipts,omitempty"`
	Events     []knownEvent    `json:"events,omitempty"`
}

type knownReceipt struct {
	At      string          `json:"at"`
	Outcome gateway.Outcome `json:"outcome"`
	Digest  gateway.Digest  `json:"digest"`
}

type knownEvent struct {
	At      string          `json:"at"`
	Type    audit.Type      `json:"type"`
	Writer  string          `json:"writer"`
	Seq     uint64          `json:"seq"`
	Outcome gateway.Outcome `json:"outcome,omitempty"`
	Code    gateway.Code    `json:"code,omitempty"`
	Reasons string          `json:"reasons,omitempty"`
}

func (d *desk) showAction() *cobra.Command {
	cmd := &cobra.Command{Use: "show ACTION", Short: "Show what ledger and journal know of an action", Args: cobra.ExactArgs(1)}
	format := cmd.Flags().StringP("output", "o", "table", "table or json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.OneOf("-o", *format, "table", "json"); err != nil {
			return err
		}
		return d.reading(cmd, func(s *state) error {
			e, err := s.action(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			k, err := s.known(cmd.Context(), e)
			if err != nil {
				return err
			}
			if *format == "table" {
				return k.write(cmd.OutOrStdout())
			}
			out := json.NewEncoder(cmd.OutOrStdout())
			out.SetIndent("", "  ")
			return out.Encode(k)
		})
	}
	return cmd
}

// action returns an entry of the ledger, or says that there is none.
func (s *state) action(ctx context.Context, id string) (*receipt.Entry, error) {
	e, err := s.store.Action(ctx, id)
	if errors.Is(err, receipt.ErrNoAction) {
		return nil, &cli.Error{Code: cli.Failed, Text: "error: there is no action " + diff.Visible(id)}
	}
	return e, err
}

func (s *state) known(ctx context.Context, e *receipt.Entry) (*known, error) {
	k := &known{
		Action: e.Action, Tool: e.Item.String(), State: e.State, Attempt: e.Attempt, KeyFrom: string(e.Source), Began: stamp(e.Began),
		Settled: stamp(e.Settled), Code: e.Code, ExternalID: e.ExternalID, Approval: e.Approval,
		ToldBy: e.Told, DecidedBy: e.By, Reason: e.Why,
	}
	kept, err := s.store.Receipts(ctx, e.Action, 100)
	if err != nil {
		return nil, err
	}
	for _, r := range kept {
		k.Receipts = append(k.Receipts, knownReceipt{stamp(r.At), r.Outcome, r.Digest})
	}
	id, _ := audit.ParseID(e.Action)
	for _, v := range past.Story(ctx, filepath.Join(s.dir, run.JournalDir), id) {
		k.Events = append(k.Events, knownEvent{
			stamp(v.Time), v.Type, fmt.Sprintf("%s-%06d", v.Replica, v.Boot), v.Seq, v.Outcome, v.Code, cli.Joined(v.Reasons),
		})
	}
	return k, nil
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func (k *known) write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, line := range [][2]string{
		{"action", k.Action}, {"tool", k.Tool}, {"state", string(k.State)}, {"attempt", fmt.Sprint(k.Attempt)}, {"key from", k.KeyFrom},
		{"began", k.Began}, {"settled", k.Settled}, {"code", string(k.Code)}, {"external id", diff.Visible(k.ExternalID)}, {"approval", k.Approval},
		{"told by", string(k.ToldBy)}, {"named", diff.Visible(k.DecidedBy)}, {"reason", diff.Visible(k.Reason)},
	} {
		if line[1] != "" {
			fmt.Fprintf(out, "%s\t%s\n", line[0], line[1])
		}
	}
	for _, r := range k.Receipts {
		fmt.Fprintf(out, "receipt\t%s  %s  %s\n", r.At, r.Outcome, r.Digest)
	}
	for _, e := range k.Events {
		fmt.Fprintf(out, "event\t%s  %s #%d  %s %s %s %s\n", e.At, e.Writer, e.Seq, e.Type, e.Outcome, e.Code, e.Reasons)
	}
	return out.Flush()
}
