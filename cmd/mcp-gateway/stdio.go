package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/confine"
)

func stdioCommand(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stdio",
		Short: "Serve the host that starts this command, over standard input and output",
		Long: "Serve one host over standard input and output, which carry the protocol and nothing else; logs go to\n" +
			"standard error. The host is who auth.stdio says. Revisions from 2025-03-26 to 2026-07-28 are served.",
		Args: cobra.NoArgs,
	}
	upstream := cmd.Flags().String("upstream", "", "serve this upstream alone, under its own names")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return serveStdio(cmd.Context(), f, cmd.InOrStdin(), cmd.OutOrStdout(), *upstream)
	}
	return cmd
}

func serveStdio(ctx context.Context, f *flags, in io.Reader, out io.Writer, upstream string) (err error) {
	log, err := f.logger()
	if err != nil {
		return err
	}
	shield(log)
	g, err := run.Open(ctx, run.Options{ConfigPath: f.config, Version: buildVersion(), Log: log, Loud: f.loud.take, Helper: confine.Helper()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close(context.WithoutCancel(ctx))) }()
	return g.ServeStdio(ctx, in, out, upstream)
}
