package demo

import (
	"github.com/spf13/cobra"

	"mcp-gateway/examples/incident/desk"
)

// serverName is the hidden command by which the demo's gateway starts the
// example server: this program itself, so that nothing else is needed.
const serverName = "example-incident-server"

// Command returns `demo`.
func Command(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Start a gateway before an example server and walk it as a host",
		Args:  cobra.NoArgs,
	}
	keep := cmd.Flags().String("keep", "", "keep the demo's files and journal in this `folder`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return tell(cmd.Context(), cmd.OutOrStdout(), version, *keep)
	}
	return cmd
}

// ServerCommand returns the hidden command that serves the example over stdio.
func ServerCommand() *cobra.Command {
	cmd := &cobra.Command{Use: serverName, Hidden: true, Args: cobra.NoArgs}
	var o desk.Options
	cmd.Flags().StringVar(&o.Record, "record", "", "append a line for each executed call to this `file`")
	cmd.Flags().StringVar(&o.Variant, "variant-file", "", "serve a changed definition while this `file` exists")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return desk.Serve(cmd.Context(), o) }
	return cmd
}
