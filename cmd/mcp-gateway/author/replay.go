package author

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/workbench"
)

func (d *desk) replay() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay --bundle FOLDER|BUNDLE",
		Short: "Decide again what is on record, by another policy; exit 3 if it decides otherwise",
		Long: "Decide again what is on record, by another policy, from the inputs that were kept. Flips are counted by tool and class of principal (tenant and groups). " +
			"A decision that comes to look at arguments, or at anything else that is not kept, is counted as undecidable.",
		Args: cobra.NoArgs,
	}
	since := cmd.Flags().Duration("since", 24*time.Hour, "how far back")
	bundle := cmd.Flags().String("bundle", "", "the `folder or bundle` to try")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	_ = cmd.MarkFlagRequired("bundle")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.Load(*d.config)
		if err != nil {
			return err
		}
		p, err := load(cmd.Context(), *bundle, nil)
		if err != nil {
			return err
		}
		r := &rerun{records: openRecords(c), policy: p, flips: map[flip]int{}}
		if err := r.decisions(cmd.Context(), time.Now().Add(-*since), func(e *audit.Event) error { return r.again(cmd.Context(), e) }); err != nil {
			return err
		}
		t := &cli.Table{Columns: []string{"tool", "class", "was", "would be", "reasons", "count"}}
		for f, n := range r.flips {
			t.Add(f.tool, f.class, f.was, f.now, f.reasons, strconv.Itoa(n))
		}
		slices.SortFunc(t.Rows, slices.Compare)
		fmt.Fprintf(cmd.ErrOrStderr(), "%d decisions: %d the same, %d flips, %d undecidable, %d without their input\n", r.all, r.same, r.flipped, r.undecidable, r.lost)
		if len(t.Rows) > 0 || *format != "table" {
			if err := t.Write(cmd.OutOrStdout(), *format); err != nil {
				return err
			}
		}
		if r.flipped > 0 {
			return &cli.Error{Code: cli.Differs}
		}
		return nil
	}
	return cmd
}

// rerun decides again and counts.
type rerun struct {
	*records
	policy                                *check.Policy
	all, same, flipped, undecidable, lost int
	flips                                 map[flip]int
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
	now, err := workbench.Replay(ctx, r.policy, input, e.Time)
	effect, reasons := gateway.Deny, "policy_error" // whatever goes wrong denies
	switch {
	case err == nil && now.Undecidable != "":
		r.undecidable++
		return nil
	case err == nil:
		effect, reasons = now.Effect, cli.Joined(now.Reasons)
	}
	if effect == e.Effect {
		r.same++
		return nil
	}
	r.flipped++
	r.flips[flip{string(e.Tool), class(input), string(e.Effect), string(effect), reasons}]++
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
