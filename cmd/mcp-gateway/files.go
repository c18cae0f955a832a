package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/custody"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
	"mcp-gateway/protocol"
)

func validateCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "validate",
		Short: "Check configuration, exposure and policy; print every problem",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			remarks, err := run.Validate(cmd.Context(), f.config)
			if err != nil {
				return &cli.Error{Code: cli.Usage, Text: err.Error()}
			}
			for _, r := range remarks {
				fmt.Fprintln(cmd.ErrOrStderr(), "note:", r)
			}
			fmt.Fprintln(cmd.OutOrStdout(), f.config+": no problems")
			return nil
		},
	}
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the toolchain and the revisions of MCP that are spoken",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "mcp-gateway %s\n%s %s/%s\nMCP %s\n",
				buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(protocol.Revisions(), ", "))
			return err
		},
	}
}

func configCommand() *cobra.Command {
	return cli.Group("config", "About the configuration file", &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of upstreams.yaml, for editors",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(config.Schema())
			return err
		},
	})
}

func keysCommand(f *flags) *cobra.Command {
	keys := cli.Group("keys", "API keys of hosts, and the gateway's own keys", &cobra.Command{
		Use:   "new",
		Short: "Make an API key",
		Long:  "Make an API key. It is printed once and kept nowhere; only its SHA-256 goes into auth.api_keys.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, sum := auth.NewKey()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "key     %s\nsha256  %s\n", key, sum)
			return err
		},
	})
	keys.AddCommand(custody.Commands(&f.config)...)
	return keys
}
