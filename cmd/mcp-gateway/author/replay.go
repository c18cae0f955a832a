package author

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/audit/detail"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/workbench"
	"mcp-gateway/store/details"
)

func (d *desk) replay() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay --bundle FOLDER|BUNDLE",
		Short: "Decide again what is on record, by another policy; exit 3 if it decides otherwise, 1 if nothing could be decided",
		Long: "Decide again what is on record, by another policy, from the inputs that were kept. Flips are counted by tool and class of principal (tenant and groups). " +
			"A decision that comes to look at arguments, or at anything else that is not kept, is counted as undecidable, and the rules that looked are named. Where not one decision could be taken again, nothing is shown, and the exit code is 1.\n\n" +
			"With --detail the arguments that audit.detail keeps are used where a decision comes to look at them. Each look is an event, detail.read, with the reason replay.",
		Args: cobra.NoArgs,
	}
	since := cmd.Flags().Duration("since", 24*time.Hour, "how far back")
	bundle := cmd.Flags().String("bundle", "", "the `folder or bundle` to try")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	use := cmd.Flags().Bool("detail", false, "use kept arguments where a decision looks at them; each look is an event")
	_ = cmd.MarkFlagRequired("bundle")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *since <= 0 {
			return cli.Misused("--since: wants how far back, such as 24h")
		}
		if err := there(*bundle); err != nil {
			return err
		}
		c, err := config.Load(*d.config)
		if err != nil {
			return err
		}
		p, err := load(cmd.Context(), *bundle, nil)
		if err != nil {
			return err
		}
		r := &rerun{records: openRecords(c), policy: p, flips: map[flip]int{}, looks: map[string]int{}}
		if *use {
			if r.details, err = openKept(cmd.Context(), c); err != nil {
				return err
			}
			defer func() { _ = r.details.Close() }() // it was only read
		}
		if err := r.decisions(cmd.Context(), time.Now().Add(-*since), func(e *audit.Event) error { return r.again(cmd.Context(), e) }); err != nil {
			return err
		}
		if err := r.withDetails(cmd.Context(), c, d.version); err != nil {
			return err
		}
		t := &cli.Table{Columns: []string{"tool", "class", "was", "would be", "reasons", "count"}}
		for f, n := range r.flips {
			t.Add(f.tool, f.class, f.was, f.now, f.reasons, strconv.Itoa(n))
		}
		slices.SortFunc(t.Rows, slices.Compare)
		fmt.Fprintf(cmd.ErrOrStderr(), "%d decisions: %d the same, %d flips, %d undecidable, %d without their input\n", r.all, r.same, r.flipped, r.undecidable, r.lost)
		r.tellLooks(cmd.ErrOrStderr())
		if *use {
			fmt.Fprintf(cmd.ErrOrStderr(), "the kept arguments of %d were looked at, each on record\n", r.looked)
		}
		if len(t.Rows) > 0 || *format != "table" {
			if err := t.Write(cmd.OutOrStdout(), *format); err != nil {
				return err
			}
		}
		return r.verdict()
	}
	return cmd
}

// rerun decides again and counts.
type rerun struct {
	*records
	policy                                *check.Policy
	all, same, flipped, undecidable, lost int
	flips                                 map[flip]int
	looks                                 map[string]int // at what is not kept, by the rule and its place

	details *details.DB   // nil: kept arguments are not used
	waits   []waiting     // for their arguments
	kept    []detail.Kept // theirs
	looked  int           // at kept arguments
}

// flip is one kind of difference.
type flip struct{ tool, class, was, now, reasons string }

func (r *rerun) again(ctx context.Context, e *audit.Event) error {
	r.all++
	input, err := r.input(e.Input)
	if errors.Is(err, fs.ErrNotExist) || e.Input == "" {
		r.lost++
		return nil
	}
	if err != nil {
		return err
	}
	now, err := workbench.Replay(ctx, r.policy, input, nil, e.Time)
	if err == nil && now.Undecidable == workbench.Arguments && r.details != nil {
		if waits, err := r.wait(ctx, e, input); waits || err != nil {
			return err
		}
	}
	r.count(e, input, &now, err)
	return nil
}

// count takes one decision into the figures.
func (r *rerun) count(e *audit.Event, input []byte, now *workbench.Replayed, err error) {
	effect, reasons := gateway.Deny, "policy_error" // whatever goes wrong denies
	switch {
	case err == nil && now.Undecidable != "":
		r.undecidable++
		r.looks[fmt.Sprintf("%s by %s at %s", now.Undecidable, cmp.Or(now.By.Rule, "the policy"), now.By.Pos)]++
		return
	case err == nil:
		effect, reasons = now.Effect, cli.Joined(now.Reasons)
	}
	if effect == e.Effect {
		r.same++
		return
	}
	r.flipped++
	r.flips[flip{string(e.Tool), class(input), string(e.Effect), string(effect), reasons}]++
}

// tellLooks says which rules came to look at what is not kept.
func (r *rerun) tellLooks(w io.Writer) {
	for _, what := range slices.Sorted(maps.Keys(r.looks)) {
		fmt.Fprintf(w, "  %d undecidable for a look at %s\n", r.looks[what], what)
	}
}

// verdict is what the figures come to, as an exit code.
func (r *rerun) verdict() error {
	switch {
	case r.flipped > 0:
		return &cli.Error{Code: cli.Differs}
	case r.all > 0 && r.same == 0:
		return &cli.Error{Code: cli.Failed, Text: "error: not one decision could be taken again, so nothing is shown of this policy"}
	}
	return nil
}

// class is the kind of principal that an input is about.
func class(input []byte) string {
	raw, _ := protocol.Lookup(input, "/subject/properties/tenant")
	out, _ := protocol.Text(raw)
	groups, _ := protocol.Lookup(input, "/subject/properties/groups")
	for g := range protocol.Elements(groups) {
		name, _ := protocol.Text(g)
		out += "+" + name
	}
	return out
}
