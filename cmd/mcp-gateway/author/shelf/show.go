package shelf

import (
	"fmt"

	"github.com/spf13/cobra"

	"mcp-gateway/rego/policy"
)

// Show returns "policy show". It prints what a policy may start from and refer to:
// both are in the binary, and nowhere else on the machine of who has only that.
func Show() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the shipped policy, or the library that every policy may refer to",
		Long: "Print the shipped policy, which decides where the configuration names none and is a model to start from. " +
			"With --lib print the library, data.mcp.lib and data.mcp.scopes, which every policy may refer to without bringing it along.",
		Args: cobra.NoArgs,
	}
	lib := cmd.Flags().Bool("lib", false, "print the library instead")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !*lib {
			text, err := policy.Files().ReadFile(policy.Shipped)
			if err == nil {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return err
		}
		between := ""
		for _, m := range policy.Library() {
			if _, err := fmt.Fprint(cmd.OutOrStdout(), between, m.Text); err != nil {
				return err
			}
			between = "\n"
		}
		return nil
	}
	return cmd
}
