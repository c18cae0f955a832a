package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcp-gateway/auth/staff"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/operator/approvals"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/clerk"
	"mcp-gateway/confine"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/reconcile"
	"mcp-gateway/receipt"
	"mcp-gateway/registry/diff"
)

// word is what a person says became of an action.
type word struct {
	ask        bool
	outcome    string
	reason     string
	externalID string
	key        string // where the admin key is that says so; "" = the owner of the state
}

func (d *desk) reconcile() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reconcile ACTION",
		Short: "Say what became of an action whose outcome is unknown, or ask its status tool",
		Long: "Shows what ledger and journal know of the action, then settles it: by your word with --outcome and --reason, or by\n" +
			"what the reviewed status tool finds with --ask. One that is known to have run, and whose external id is not, is named\n" +
			"in the same ways: --external-id and --reason, or --ask. Either is on record, and a new receipt names who says so and\n" +
			"which receipt it supersedes. The idempotency key stays taken. Exit 1 if there is nothing to settle, or nothing is found.",
		Args: cobra.ExactArgs(1),
	}
	w := &word{}
	cmd.Flags().BoolVar(&w.ask, "ask", false, "ask the upstream's reviewed status tool now")
	cmd.Flags().StringVar(&w.outcome, "outcome", "", "what became of it: committed, accepted, partial or failed")
	cmd.Flags().StringVar(&w.reason, "reason", "", "how you know; kept with the action")
	cmd.Flags().StringVar(&w.externalID, "external-id", "", "what the upstream calls what it did")
	cmd.Flags().StringVar(&w.key, "key", "", "say so as who holds this admin key: env:NAME or file:PATH; the owner of the state directory where absent")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := w.check(); err != nil {
			return err
		}
		if w.ask {
			return d.askStatus(cmd.Context(), cmd.OutOrStdout(), args[0])
		}
		return d.with(cmd.Context(), func(s *state) error { return d.say(cmd.Context(), cmd.OutOrStdout(), s, args[0], w) })
	}
	return cmd
}

// check refuses what can't be meant.
func (w *word) check() error {
	outcome := gateway.Outcome(w.outcome)
	if w.ask {
		if w.outcome+w.reason+w.externalID != "" {
			return cli.Misused("--ask asks the upstream; it goes with no word of yours")
		}
		return nil
	}
	if w.outcome == "" && w.externalID == "" {
		return cli.Misused("--outcome: say what became of it, or --ask the upstream")
	}
	if w.outcome == "" {
		outcome = gateway.OutcomeCommitted // as it stands: see say
	} else if err := cli.OneOf("--outcome", w.outcome, gateway.OutcomeCommitted, gateway.OutcomeAccepted, gateway.OutcomePartial, gateway.OutcomeFailed); err != nil {
		return err
	}
	switch {
	case w.reason == "":
		return cli.Misused("--reason: say how you know")
	case w.externalID != "" && outcome == gateway.OutcomeFailed:
		return cli.Misused("--external-id: what failed left nothing to name")
	case w.externalID != "" && !receipt.ValidKey(w.externalID):
		return cli.Misused("--external-id: wants 1 to 256 bytes of text without control characters")
	}
	return nil
}

// say settles an action by a person's word.
func (d *desk) say(ctx context.Context, out io.Writer, s *state, id string, w *word) error {
	e, err := s.open(ctx, out, id)
	if err != nil {
		return err
	}
	switch unknown := e.State == gateway.OutcomeUnknown; {
	case unknown && w.outcome == "":
		return cli.Misused("--outcome: say what became of it; nobody knows")
	case !unknown && (w.externalID == "" || w.outcome != "" && w.outcome != string(e.State)):
		return &cli.Error{Code: cli.Failed, Text: "error: its outcome is not unknown: " + string(e.State) + "; it lacks its --external-id alone"}
	}
	me, err := approvals.Person(s.config, w.key)
	if err != nil {
		return err
	}
	if !me.Has(staff.Answer) {
		return &cli.Error{Code: cli.Failed, Text: "error: No role of this key may do that. (forbidden)"}
	}
	k, err := clerk.Open(s.config, filepath.Join(s.dir, run.JournalDir), s.ring, s.store, d.version)
	if err != nil {
		return err
	}
	outcome := gateway.Outcome(w.outcome)
	if w.outcome == "" {
		outcome = e.State
	}
	after, err := k.Book.Reconcile(ctx, e, effect.Verdict{
		Outcome: outcome, ExternalID: w.externalID, Source: receipt.SourceOperator, By: me.Subject, Key: me.ID, Why: w.reason,
	})
	if err = errors.Join(err, k.Close(ctx)); errors.Is(err, receipt.ErrRaced) {
		return &cli.Error{Code: cli.Failed, Text: "error: somebody else settled or repeated it meanwhile; look again"}
	}
	if err != nil {
		return err
	}
	return s.settled(ctx, out, after)
}

// open shows an action and returns it if there is something to settle: its outcome, or
// what its upstream calls it.
func (s *state) open(ctx context.Context, out io.Writer, id string) (*receipt.Entry, error) {
	e, err := s.action(ctx, id)
	if err != nil {
		return nil, err
	}
	k, err := s.known(ctx, e)
	if err == nil {
		err = k.write(out)
	}
	if err == nil && e.State != gateway.OutcomeUnknown && !effect.Nameless(e) {
		err = &cli.Error{Code: cli.Failed, Text: "error: its outcome is not unknown: " + string(e.State)}
	}
	return e, err
}

// settled tells the new outcome and its receipt.
func (s *state) settled(ctx context.Context, out io.Writer, e *receipt.Entry) error {
	kept, err := s.store.Receipts(ctx, e.Action, 1)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s is %s now", e.Action, e.State)
	if e.ExternalID != "" {
		fmt.Fprintf(out, ", external id %s", diff.Visible(e.ExternalID))
	}
	if len(kept) == 1 {
		fmt.Fprintf(out, "; receipt %s", kept[0].Digest)
	}
	fmt.Fprintln(out)
	return nil
}

// askStatus asks the status tool by a gateway that serves nobody.
func (d *desk) askStatus(ctx context.Context, out io.Writer, id string) error {
	err := d.with(ctx, func(s *state) error {
		_, err := s.open(ctx, out, id)
		return err
	})
	if err != nil {
		return err
	}
	g, err := run.Open(ctx, run.Options{ConfigPath: *d.config, Version: d.version, Helper: confine.Helper()})
	if err != nil {
		return err
	}
	e, err := g.AskStatus(ctx, id)
	if err = errors.Join(unasked(err), g.Close(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	switch {
	case e.State == gateway.OutcomeUnknown:
		return &cli.Error{Code: cli.Failed, Text: "\nthe status tool finds nothing of it: its outcome stays unknown"}
	case effect.Nameless(e):
		return &cli.Error{Code: cli.Failed, Text: "\nthe status tool finds nothing of it: it stays without an external id"}
	}
	return d.with(ctx, func(s *state) error { return s.settled(ctx, out, e) })
}

// unasked says why no status tool could be asked, and what is left to do.
func unasked(err error) error {
	const look = "; look there yourself, and say what became of it with --outcome and --reason"
	for _, why := range []struct {
		is   error
		text string
	}{
		{reconcile.ErrNoStatus, "the review of the tool names no status tool" + look},
		{reconcile.ErrNotServed, "the tool or its status tool is not served as it was reviewed; review it again, or" + look[1:]},
		{reconcile.ErrNotRead, "the status tool is not reviewed as a read, so it is not asked" + look},
		{reconcile.ErrUnkeyed, "the upstream was not given the key that its status tool is asked by" + look},
		{reconcile.ErrBehalf, "its upstream is only called with what a caller's own token is exchanged for, and the gateway keeps no caller's token;\n" +
			"the caller's repeat with the same key asks in that caller's right. Else look" + look[len("; look"):]},
		{reconcile.ErrNoAnswer, "the status tool gave no answer that keeps its contract; try again, or" + look[1:]},
	} {
		if errors.Is(err, why.is) {
			return &cli.Error{Code: cli.Failed, Text: "\nerror: " + why.text}
		}
	}
	return err
}
