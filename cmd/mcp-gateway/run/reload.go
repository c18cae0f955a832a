package run

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"go.uber.org/zap"

	"mcp-gateway/config"
	"mcp-gateway/gateway"
)

// Reload reads all files anew. A configuration with problems changes nothing;
// a good one is put in force whole. Calls under way finish under the old one.
func (g *Gateway) Reload(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	next, err := config.Load(g.options.ConfigPath)
	if err != nil {
		return err
	}
	if fixed := g.config.Immutable(next); len(fixed) > 0 {
		return gateway.Problems{{
			Pos: gateway.Pos{File: next.File}, Code: "not_reloadable",
			Message: strings.Join(fixed, ", ") + " can't change while the gateway runs; restart it",
		}}
	}
	p, err := g.plan(ctx, next)
	if err != nil {
		return err
	}
	return g.enter(ctx, p)
}

// watch reloads on SIGHUP and whenever a file changed, until ctx ends.
func (g *Gateway) watch(ctx context.Context) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, unix.SIGHUP)
	defer signal.Stop(hangup)
	files := make(chan struct{}, 1)
	err := config.Watch(ctx, g.watched(), func() {
		select {
		case files <- struct{}{}:
		default:
		}
	})
	if err != nil {
		g.options.Log.Warn("files are not watched; send SIGHUP after a change", zap.Error(err))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
		case <-files:
		}
		g.logReload(g.Reload(ctx))
	}
}

// watched are the files on which the world depends.
func (g *Gateway) watched() []string {
	paths := []string{g.config.File, g.config.Exposure}
	if dir := g.config.Policy.Dir; dir != "" {
		rules, err := filepath.Glob(filepath.Join(dir, "*"))
		if !errors.Is(err, filepath.ErrBadPattern) {
			paths = append(paths, rules...)
		}
	}
	return paths
}
