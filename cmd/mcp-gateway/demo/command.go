package demo

import (
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/demo/scene"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/confine"
	"mcp-gateway/examples/incident/desk"
)

// Command returns `demo`.
func Command(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Start a gateway before example servers and play the boundary cases of a tool call",
		Long: "Starts a gateway before example servers and plays the boundary cases of a tool call. Prints the story, or with -o a\n" +
			"report of it; --report writes all three into a folder. Clock and inputs are fixed: every run reports the same bytes.\n" +
			"Exit 1 if anything came out otherwise than it must.",
		Args: cobra.NoArgs,
	}
	keep := cmd.Flags().String("keep", "", "keep the demo's files and journal in this `folder`")
	format := cmd.Flags().StringP("output", "o", "story", "story, json, md or jsonl")
	report := cmd.Flags().String("report", "", "write report.json, report.md and trace.jsonl into this `folder`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cli.OneOf("-o", *format, "story", "json", "md", "jsonl"); err != nil {
			return err
		}
		return tell(cmd.Context(), cmd.OutOrStdout(), version, *format, *report, *keep)
	}
	return cmd
}

// ServerCommand returns the hidden command that serves the example over stdio.
func ServerCommand() *cobra.Command {
	cmd := &cobra.Command{Use: scene.ServerName, Hidden: true, Args: cobra.NoArgs}
	var o desk.Options
	cmd.Flags().StringVar(&o.Record, "record", "", "append a line for each executed call to this `file`")
	cmd.Flags().StringVar(&o.Variant, "variant-file", "", "serve a changed definition while this `file` exists")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return desk.Serve(cmd.Context(), o) }
	return cmd
}

// GatewayCommand returns the hidden command that serves until it is killed, and
// prints its address once it has its upstreams' lists.
func GatewayCommand(version string) *cobra.Command {
	cmd := &cobra.Command{Use: scene.GatewayName, Hidden: true, Args: cobra.NoArgs}
	path := cmd.Flags().String("of", "", "the configuration `file`")
	at := cmd.Flags().String("at", "", "the `time` that it is, RFC 3339")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		now, err := time.Parse(time.RFC3339Nano, *at)
		if err != nil {
			return err
		}
		g, err := run.Open(cmd.Context(), run.Options{
			ConfigPath: *path, Version: version, Helper: confine.Helper(), Clock: func() time.Time { return now },
		})
		if err != nil {
			return err
		}
		return g.Serve(cmd.Context(), func(a net.Addr) {
			if err := g.Refresh(cmd.Context(), "tracker"); err != nil {
				cmd.PrintErrln(err)
				return
			}
			fmt.Fprintln(cmd.OutOrStdout(), a)
		})
	}
	return cmd
}
