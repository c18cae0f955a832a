package run

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"

	"golang.org/x/sys/unix"

	"go.uber.org/zap"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/run/tell"
	"mcp-gateway/config"
)

// Reload reads all files anew. A configuration with problems changes nothing, and
// its event says which; a good one is put in force, but for what needs a restart: that
// is said, and holds back nothing else. Calls under way finish under the old one.
func (g *Gateway) Reload(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	err := g.reload(ctx)
	if err != nil && ctx.Err() == nil {
		err = errors.Join(err, g.note(ctx, audit.Event{Type: audit.ConfigRefused, Reasons: tell.Codes(err)}))
	}
	return err
}

func (g *Gateway) reload(ctx context.Context) error {
	next, err := g.read()
	if err != nil {
		return err
	}
	kept := g.config.Keep(next)
	p, err := g.plan(ctx, next)
	if err != nil {
		return err
	}
	if err := g.enter(ctx, p); err != nil {
		return err
	}
	g.log().Kept(kept)
	return nil
}

// read reads the configuration and says where its files can't be watched.
func (g *Gateway) read() (*config.Config, error) {
	c, watching, err := g.files.read(g.options.ConfigPath)
	if watching != nil {
		g.options.Log.Warn("files are not watched; send SIGHUP after a change", zap.Error(watching))
	}
	return c, err
}

// Renew is what SIGHUP asks for: a reload, and every upstream's list anew, soon and
// whatever became of the files.
func (g *Gateway) Renew(ctx context.Context) error {
	err := g.Reload(ctx)
	for id := range g.Upstreams() {
		g.refresher.Stale(id)
	}
	return err
}

// watch renews on SIGHUP and reloads whenever a file changed, until ctx ends.
func (g *Gateway) watch(ctx context.Context) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, unix.SIGHUP)
	defer signal.Stop(hangup)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			g.log().Reload(g.Renew(ctx))
		case <-g.files.changed:
			g.log().Reload(g.Reload(ctx))
		}
	}
}

// files are those on which the world depends, watched. What changed them while
// they were not yet read is told like any later change.
type files struct {
	changed chan struct{}
	paths   []string
	stop    context.CancelFunc
}

func newFiles() *files { return &files{changed: make(chan struct{}, 1), stop: func() {}} }

// read reads the configuration after the watch over what it names has begun, so
// that no change falls between. An error of watching is no error of reading.
func (f *files) read(path string) (c *config.Config, watching, err error) {
	for {
		if c, err = config.Load(path); err != nil {
			return nil, nil, err
		}
		paths := append([]string{c.File, c.Exposure}, c.Policy.Paths()...)
		paths = append(paths, c.Listen.TLS.Files()...)
		if slices.Equal(paths, f.paths) {
			return c, nil, nil
		}
		if watching = f.watch(paths); watching != nil {
			return c, watching, nil
		}
	}
}

// watch watches these in place of those before, which stay if that fails.
func (f *files) watch(paths []string) error {
	ctx, stop := context.WithCancel(context.Background())
	err := config.Watch(ctx, paths, func() {
		select {
		case f.changed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		stop()
		return err
	}
	f.stop()
	f.paths, f.stop = paths, stop
	return nil
}
