package author

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/gateway"
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/workbench"
)

func (d *desk) check() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [FOLDER|BUNDLE]",
		Short: "Check a policy as the gateway does; print every problem, or what it may answer",
		Long: "Check a policy as the gateway does when it loads one: syntax, types, fields and words of the input in every phase, " +
			"entry points, reasons, modes, and that nothing unverified allows anything; and the tests beside it, for fields, words and names that there are not. Exit 2 on problems.",
		Args: cobra.MaximumNArgs(1),
	}
	key := cmd.Flags().String("key", "", "the public `file` (PEM) by which a bundle must be signed")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		from, err := d.from(args)
		if err != nil {
			return err
		}
		pem, err := keyFile(*key)
		if err != nil {
			return err
		}
		p, err := load(cmd.Context(), from, pem)
		if err != nil {
			return err
		}
		if err := vet(from); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "revision %s, %d rules, no problems\n", p.Revision, len(p.Rules))
		if pem == nil && packed(from) {
			fmt.Fprintln(cmd.ErrOrStderr(), "warning: whether it is signed was not looked at; --key names by whom")
		}
		if unnamed(p) {
			fmt.Fprintln(cmd.ErrOrStderr(), "warning: nothing denies as \"scope_missing\", so a token that lacks a scope is not told which to ask for: "+
				"write `deny contains \"scope_missing\" if lib.scope_missing`")
		}
		t := &cli.Table{Columns: []string{"reason", "mode"}}
		for code, mode := range p.Words {
			t.Add(string(code), string(mode))
		}
		slices.SortFunc(t.Rows, slices.Compare)
		return t.Write(cmd.OutOrStdout(), *format)
	}
	return cmd
}

// packed says whether a policy comes as a bundle.
func packed(from string) bool {
	info, err := os.Stat(from)
	return err == nil && !info.IsDir()
}

// vet checks the tests beside the policy of a folder.
func vet(from string) error {
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return nil
	}
	suite, err := check.LoadSuite(opened(from))
	if err != nil {
		return err
	}
	return workbench.Vet(suite)
}

// unnamed says that a policy of the simple form, which decides by allow alone where no
// rule denies, has no denial for want of scopes.
func unnamed(p *check.Policy) bool {
	allows := slices.ContainsFunc(p.Rules, func(r check.Rule) bool { return r.Path == "data.mcp.gateway.allow" })
	_, named := p.Words[gateway.ReasonScopeMissing]
	return allows && !named
}
