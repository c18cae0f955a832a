package author

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run/delivery"
	"mcp-gateway/config"
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/workbench"
)

func (d *desk) explain() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain ID",
		Short: "Explain a decision on record: which rules decided",
		Long: "Explain a decision on record, by the id of its event or of its action: what was decided and why, by which policy, and which rules take part when the same input is decided again. " +
			"Arguments are not kept: rules that look at them show as not met.",
		Args: cobra.ExactArgs(1),
	}
	bundle := cmd.Flags().String("bundle", "", "explain by this `folder or bundle` instead of the configured policy")
	trace := cmd.Flags().Bool("trace", false, "print the whole evaluation, to standard error")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := config.Load(*d.config)
		if err != nil {
			return err
		}
		r := openRecords(c)
		e, err := r.find(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		input, err := r.input(e.Input)
		if err != nil {
			return err
		}
		from := delivery.Place(c)
		if *bundle != "" {
			if from, err = *bundle, there(*bundle); err != nil {
				return err
			}
		}
		p, err := load(cmd.Context(), from, nil)
		if err != nil {
			return err
		}
		return tellDecision(cmd, e, input, p, *trace)
	}
	return cmd
}

func tellDecision(cmd *cobra.Command, e *audit.Event, input []byte, p *check.Policy, trace bool) error {
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "decided   %s %s at %s\n", e.Effect, cli.Joined(e.Reasons), e.Time.UTC().Format(time.RFC3339))
	fmt.Fprintf(w, "tool      %s\npolicy    %s\ninput     %s\n", e.Tool, e.Policy, e.Input)
	if len(e.Obligations) > 0 {
		fmt.Fprintf(w, "besides   %s\n", cli.Joined(e.Obligations))
	}
	if !strings.HasPrefix(p.Revision, string(e.Policy)) {
		fmt.Fprintf(w, "note      explained by another policy, %s\n", p.Revision)
	}
	again, err := workbench.Replay(cmd.Context(), p, input, nil, e.Time)
	if err != nil {
		return err
	}
	if again.Undecidable != "" {
		fmt.Fprintf(w, "note      the policy looked at %s, which is not kept; rules about it show as not met\n", again.Undecidable)
	}
	asked, err := workbench.At(input, e.Time)
	if err != nil {
		return err
	}
	a, err := workbench.Eval(cmd.Context(), p, contract.PhaseDecision, asked, trace)
	if err != nil {
		return err
	}
	fmt.Fprint(cmd.ErrOrStderr(), a.Trace)
	fmt.Fprintf(w, "again     %s\n\n", orNone(a.Value))
	t := &cli.Table{Columns: []string{"rule", "at", "title"}}
	for _, f := range a.Fired {
		t.Add(f.Rule, f.Pos.String(), f.Title)
	}
	return t.Write(w, "table")
}

func orNone(value []byte) string {
	if value == nil {
		return "no answer, which is a denial"
	}
	return string(value)
}
