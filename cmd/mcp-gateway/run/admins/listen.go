package admins

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"mcp-gateway/console"
)

// listenAgain is how often an address that is in use is tried again.
const listenAgain = 2 * time.Second

// Waits says whether the listener's address is in use, so that it is not served yet.
func (d *Desk) Waits() bool { return d.waits.Load() }

// listen serves the listener of the configuration, if there is one.
func (d *Desk) listen(ctx context.Context) error {
	if d.o.Config.Admin.Listen == "" {
		return nil
	}
	listener, err := d.bind(ctx)
	if listener == nil || err != nil {
		return err
	}
	answers := http.NewServeMux()
	api := d.api.Handler(nil)
	told := []zap.Field{zap.String("url", "http://"+listener.Addr().String())}
	answers.Handle("/", api)
	if d.page != nil {
		answers.Handle(console.Path, d.page)
		answers.Handle("GET /{$}", toPage(api))
		told = append(told, zap.String("console", Page(d.o.Config)+console.Path))
	}
	server := d.server(d.hosts(answers))
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // what is asked here is short
	defer stop()
	d.o.Log.Info("operators", told...)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// bind takes the address, and waits for it as long as another process has it: which may be
// a gateway that ends. That is said once. It returns nil when ctx ended first.
func (d *Desk) bind(ctx context.Context) (net.Listener, error) {
	tick := time.NewTicker(listenAgain)
	defer tick.Stop()
	for {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", d.o.Config.Admin.Listen)
		if !errors.Is(err, unix.EADDRINUSE) {
			d.waits.Store(false)
			return listener, err
		}
		if !d.waits.Swap(true) {
			d.o.Log.Warn("the operators' listener is not served yet: its address is in use, and is tried again", zap.Error(err))
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-tick.C:
		}
	}
}
