package run

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/audit/journal"
	"mcp-gateway/cmd/mcp-gateway/run/admins"
	"mcp-gateway/cmd/mcp-gateway/run/delivery"
	"mcp-gateway/cmd/mcp-gateway/run/home"
	"mcp-gateway/cmd/mcp-gateway/run/keep"
	"mcp-gateway/cmd/mcp-gateway/run/past"
	"mcp-gateway/cmd/mcp-gateway/run/served"
	"mcp-gateway/cmd/mcp-gateway/run/server"
	"mcp-gateway/cmd/mcp-gateway/run/signs"
	"mcp-gateway/cmd/mcp-gateway/run/tell"
	"mcp-gateway/cmd/mcp-gateway/run/terms"
	"mcp-gateway/cmd/mcp-gateway/run/whois"
	"mcp-gateway/config"
	"mcp-gateway/config/logs"
	"mcp-gateway/keyring"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/door"
	"mcp-gateway/proxy/legacy"
	"mcp-gateway/proxy/modern"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/refresh"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
	"mcp-gateway/store"
	"mcp-gateway/store/inputs"
	"mcp-gateway/telemetry"
)

// Options are what the command line decides.
type Options struct {
	ConfigPath string
	Version    string
	Log        *zap.Logger            // nil: nothing is logged
	Loud       func(level logs.Level) // is told what level a configuration in force asks for; nil for nobody
	Clock      func() time.Time       // nil: time.Now
	OnStatus   func(net.Addr)         // is told where health and metrics are served; nil for nobody
	Serves     bool                   // take the port of hosts before anything is begun
	Helper     []string               // the command that confines children; none: nothing can be confined
	Only       string                 // of an inspection: the one upstream that is asked; "" = those that need be
}

// Gateway is a whole gateway on one machine: no services beside it.
type Gateway struct {
	options Options
	config  *config.Config
	files   *files

	keys      *keyring.Ring
	names     *audit.Keys
	journal   *journal.Journal
	index     *index.Index
	keeper    *keep.Keeper
	store     *store.Store
	registry  *registry.Registry
	refresher *refresh.Refresher
	corridor  *proxy.Gateway
	sessions  *legacy.Front
	telemetry *telemetry.Telemetry // nil: nobody hears it
	admins    *admins.Desk
	handler   http.Handler
	server    server.Server

	mu    sync.Mutex // one reload at a time
	world *world
	loops context.Context                 // of the loops that keep lists fresh
	trust atomic.Pointer[map[string]bool] // upstreams served unreviewed
	whois whois.Registrar
	told  tell.Told

	delivery delivery.Desk
}

// What lies in the state directory.
const (
	JournalDir = "journal"
	KeysDir    = "keys"
	IndexFile  = "index.db"
)

// Open reads the configuration and makes everything that a gateway needs, in
// the order in which one needs another. Errors are gateway.Problems where a
// person can mend them in a file.
func Open(ctx context.Context, o Options) (g *Gateway, err error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	g = &Gateway{options: o, files: newFiles()}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close(context.WithoutCancel(ctx)))
			g = nil
		}
	}()
	if g.config, err = g.read(); err != nil {
		return g, err
	}
	next, err := g.plan(ctx, g.config)
	if err != nil {
		return g, err
	}
	if o.Serves {
		if err := g.server.Bind(ctx, g.config.Listen.MCP); err != nil {
			return g, err
		}
	}
	if err := g.openState(ctx); err != nil {
		return g, err
	}
	if err := g.build(); err != nil {
		return g, err
	}
	if err := g.settleDead(ctx); err != nil {
		return g, err
	}
	return g, g.enter(ctx, next)
}

// openState opens what lasts: keys, journal, index, observed definitions.
func (g *Gateway) openState(ctx context.Context) error {
	dir := g.config.State.Dir
	replica, err := home.Enter(dir, g.config.Replica)
	if err != nil {
		return err
	}
	if g.keys, err = keyring.Open(filepath.Join(dir, KeysDir)); err != nil {
		return err
	}
	g.names = audit.NewKeys(g.keys)
	if err := g.openTelemetry(ctx, replica); err != nil {
		return err
	}
	if g.store, err = store.Open(ctx, filepath.Join(dir, store.Name)); err != nil {
		return err
	}
	g.journal, err = journal.Open(filepath.Join(dir, JournalDir), journal.Options{
		Replica: audit.Ident(replica), Build: audit.Version(g.options.Version), Now: g.options.Clock,
		Seal: keep.Seal(g.keys, g.config.Audit.Export, g.log().Seal),
	})
	if err != nil {
		return err
	}
	if g.index, err = index.Open(filepath.Join(dir, IndexFile), filepath.Join(dir, JournalDir)); err != nil {
		return err
	}
	g.keeper, err = keep.New(ctx, keep.Options{
		Dir: g.journalDir(), Journal: g.journal, Index: g.index, Keys: g.keys,
		Export: g.config.Audit.Export, Clock: g.options.Clock, Log: g.options.Log,
		Detail: g.config.Audit.Detail, State: dir,
	})
	return err
}

// build makes the corridor and its front.
func (g *Gateway) build() error {
	g.delivery.Options = delivery.Options{
		Log: g.options.Log, Telemetry: g.telemetry, Note: g.note, Adopt: g.adopt,
		Replica: string(g.journal.Writer().Replica), Version: g.options.Version,
	}
	redactor := redact.New(g.config.Redact)
	g.registry = registry.New(registry.Options{
		Present: present.Items(terms.Cleaner(redactor, func() *proxy.World { return g.corridor.World() })),
		Trust:   g.trusted,
		Facts:   g.whois.Facts,
		Clock:   g.options.Clock,
	})
	seen, err := views.NewCache(views.Options{Clock: g.options.Clock})
	if err != nil {
		return err
	}
	g.refresher = refresh.New(refresh.Options{
		Registry: g.registry, History: g.store, Journal: g.journal, Clock: g.options.Clock, Log: g.log().List,
	})
	g.corridor, err = proxy.New(proxy.Options{
		Version: g.options.Version, Registry: g.registry, Refresh: g.refresher, Views: seen,
		Redactor: redactor, Journal: g.journal, Names: g.names, Keys: g.keys,
		Ledger: g.store, Tickets: g.store, Handles: g.store, Fates: past.Fates(g.journalDir()), Writer: g.journal.Writer().String(),
		Inputs: inputs.New(filepath.Join(g.config.State.Dir, inputs.Name)), Details: g.keeper,
		Clock: g.options.Clock, Log: g.log().Call, Settled: signs.Observe(g.telemetry),
	})
	if err != nil {
		return err
	}
	began := g.options.Clock()
	g.admins, err = admins.New(admins.Options{
		Config: g.config, Tickets: g.store, Keys: g.keys, Names: g.names, Journal: g.journal, Index: g.index, Registry: g.registry,
		Stand: func() signs.Standing { return g.stand(began) }, Clock: g.options.Clock, Log: g.options.Log,
		Refresh: served.By(g.corridor.World, g.refresher), Kept: g.keeper.Kept,
	})
	if err != nil {
		return err
	}
	return g.openDoors()
}

// openDoors makes the fronts over HTTP: hosts of both eras on the same URLs.
func (g *Gateway) openDoors() error {
	policy := door.NewPolicy(g.config.Listen.Origins, g.config.Listen.Hosts)
	stateless, err := modern.New(modern.Options{Gateway: g.corridor, Door: policy})
	if err != nil {
		return err
	}
	g.sessions, err = legacy.New(legacy.Options{Gateway: g.corridor, Door: policy, Clock: g.options.Clock})
	if err != nil {
		return err
	}
	g.handler = door.Paths(policy.Browsers(door.Switch(stateless, g.sessions)), policy.Browsers(door.Metadata(g.corridor.World)))
	return nil
}

// Handler serves hosts; for tests and for Serve.
func (g *Gateway) Handler() http.Handler { return g.handler }

// Scheme is how hosts speak to it: http or https.
func (g *Gateway) Scheme() string { return g.config.Listen.Scheme() }

// Registry tells what is served.
func (g *Gateway) Registry() *registry.Registry { return g.registry }

// Index answers questions about what happened.
func (g *Gateway) Index() *index.Index { return g.index }

// Names makes the pseudonyms that stand in events.
func (g *Gateway) Names() *audit.Keys { return g.names }

// Refresh fetches one upstream's list now.
func (g *Gateway) Refresh(ctx context.Context, upstream string) error {
	return g.refresher.Refresh(ctx, upstream)
}

// Serve listens until ctx ends, then lets calls under way finish.
func (g *Gateway) Serve(ctx context.Context, ready func(addr net.Addr)) error {
	if err := g.server.Bind(ctx, g.config.Listen.MCP); err != nil {
		return err
	}
	for _, remark := range g.config.Remarks() {
		g.options.Log.Warn(remark)
	}
	var background sync.WaitGroup
	work, stop := context.WithCancel(ctx)
	background.Go(func() { g.corridor.Run(work) })
	background.Go(func() { g.keeper.Run(work) })
	background.Go(func() { g.watch(work) })
	background.Go(func() { g.log().Status(g.serveStatus(work)) })
	background.Go(func() { g.admins.Serve(work) })
	if ready != nil {
		ready(g.server.Addr())
	}
	err := g.server.Serve(ctx, g.facing())
	stop()
	background.Wait()
	return err
}

// facing is how hosts are served.
func (g *Gateway) facing() server.Options {
	return server.Options{
		Handler: g.handler, Log: g.options.Log, Clock: g.options.Clock,
		Ending: []func(){g.corridor.StopListening, g.sessions.Close},
	}
}

// Close ends children and closes what lasts, journal last.
func (g *Gateway) Close(ctx context.Context) error {
	err := g.server.Release()
	g.files.stop()
	if g.sessions != nil {
		g.sessions.Close()
	}
	g.mu.Lock() // a policy may be delivered still
	w := g.world
	g.mu.Unlock()
	if w != nil {
		w.stop()
		g.refresher.Wait()
		g.delivery.Wait()
		w.close()
	}
	err = errors.Join(err, g.keeper.Close())
	if g.index != nil {
		err = errors.Join(err, g.index.Close())
	}
	if g.store != nil {
		err = errors.Join(err, g.store.Close())
	}
	if g.journal != nil {
		err = errors.Join(err, g.journal.Close(ctx))
	}
	g.log().Last(g.telemetry.Close(ctx)) // nothing rests on it
	return err
}
