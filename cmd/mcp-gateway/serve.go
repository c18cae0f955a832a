package main

import (
	"context"
	"errors"
	"net"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/confine"
)

func serveCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve hosts until interrupted",
		Long: "Serve hosts on listen.mcp: /mcp for all upstreams under exposed names, /mcp/ID for one under its own.\n" +
			"Files that change are taken up as they change, and on SIGHUP: whole, or not at all.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), f) },
	}
}

func serve(ctx context.Context, f *flags) (err error) {
	log, err := f.logger()
	if err != nil {
		return err
	}
	shield(log)
	g, err := run.Open(ctx, run.Options{ConfigPath: f.config, Version: buildVersion(), Log: log, Loud: f.loud.take, Serves: true, Helper: confine.Helper()})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, g.Close(context.WithoutCancel(ctx)))
		log.Info("stopped")
	}()
	defer context.AfterFunc(ctx, func() { log.Info("stopping: calls under way finish") })()
	return g.Serve(ctx, func(addr net.Addr) {
		log.Info("serving", zap.String("url", g.Scheme()+"://"+addr.String()+"/mcp"), zap.String("version", buildVersion()))
	})
}
