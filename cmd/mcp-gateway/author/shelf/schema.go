package shelf

import (
	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/rego/contract"
)

// Schema returns "policy schema", which prints what policy is asked about.
func Schema() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema (draft-07) of what policy is asked about",
		Args:  cobra.NoArgs,
	}
	phase := cmd.Flags().String("phase", "", "only of visible, decision or result, as `opa check --schema` takes it")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cli.OneOf("--phase", *phase, contract.Phases()...); err != nil {
			return err
		}
		raw := contract.Document()
		if *phase != "" {
			raw = contract.Schema(contract.Phase(*phase))
		}
		_, err := cmd.OutOrStdout().Write(raw)
		return err
	}
	return cmd
}
