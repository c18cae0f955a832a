package admins

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"mcp-gateway/admin"
	"mcp-gateway/admin/local"
	"mcp-gateway/approval"
	"mcp-gateway/approval/office"
	"mcp-gateway/audit"
	"mcp-gateway/audit/detail"
	"mcp-gateway/audit/index"
	"mcp-gateway/audit/journal"
	"mcp-gateway/auth/staff"
	"mcp-gateway/cmd/mcp-gateway/run/signs"
	"mcp-gateway/config"
	settings "mcp-gateway/config/admins"
	"mcp-gateway/console"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/registry"
)

// Bounds of the listeners: what is asked here is short.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = time.Minute
	headerBytes   = 16 << 10
)

// sweepEvery is how often what nobody answered in time is put on record.
const sweepEvery = 15 * time.Second

// Options are what a desk is made of. All are required.
type Options struct {
	Config   *config.Config
	Tickets  approval.Tickets
	Keys     *keyring.Ring
	Names    *audit.Keys
	Journal  *journal.Journal
	Index    *index.Index
	Registry *registry.Registry
	Stand    func() signs.Standing // how the gateway stands
	Refresh  func(ctx context.Context, upstream string) (known bool, err error)
	Kept     func(ctx context.Context, action audit.ID) (detail.Kept, error) // arguments, still encrypted
	Clock    func() time.Time
	Log      *zap.Logger
}

// Desk is where those who run a gateway are answered.
type Desk struct {
	o      Options
	office *office.Office
	api    *admin.API
	page   http.Handler // nil where there is no console
	now    atomic.Pointer[people]
	waits  atomic.Bool // the listener's address is in use
}

// people are those of the configuration that is in force.
type people struct {
	roster *staff.Roster
	local  *staff.Member
}

// New returns the desk of a gateway.
func New(o Options) (*Desk, error) {
	d := &Desk{o: o}
	if err := d.Set(o.Config); err != nil {
		return nil, err
	}
	d.office = &office.Office{Tickets: o.Tickets, Ring: o.Keys, Clock: o.Clock, Record: d.record, Recorded: d.recorded}
	d.api = admin.New(admin.Options{
		Office: d.office, Clock: o.Clock,
		Staff:     func() *staff.Roster { return d.now.Load().roster },
		Local:     func() *staff.Member { return d.now.Load().local },
		Refused:   d.refused,
		Failed:    func(err error) { o.Log.Error("an operator's request failed", zap.Error(err)) },
		Status:    func() any { return o.Stand() },
		Upstreams: func() any { return o.Stand().Upstreams },
		Tools:     d.tools,
		Refresh:   o.Refresh,
		Events:    o.Index.Page,
		Count:     o.Index.Count,
		Detail:    d.look,
	})
	return d, d.open(o.Config.Console)
}

// open makes the console where the configuration has one.
func (d *Desk) open(c *settings.Console) error {
	if c == nil {
		return nil
	}
	made, err := console.New(console.Options{
		Office: d.office, Clock: d.o.Clock, Idle: c.Idle, Absolute: c.Absolute,
		Staff:  func() *staff.Roster { return d.now.Load().roster },
		Secure: strings.HasPrefix(c.URL, "https:"), Origin: Page(d.o.Config),
		Entered: d.entered, Refused: d.refused,
		Failed: func(err error) { d.told("an approver's request failed", err) },
	})
	if err != nil {
		return err
	}
	d.page, err = made.Handler()
	return err
}

// Set puts the people of a configuration in force.
func (d *Desk) Set(c *config.Config) error {
	roster, err := staff.New(c.Admin.Keys)
	if err != nil {
		return err
	}
	d.now.Store(&people{roster, &c.Admin.Local})
	return nil
}

// Serve answers on the listener and on the socket until ctx ends.
func (d *Desk) Serve(ctx context.Context) {
	var listener sync.WaitGroup
	listener.Go(func() { d.told("the operators' listener is not served", d.listen(ctx)) })
	d.ServeSocket(ctx)
	listener.Wait()
}

// ServeSocket answers on the socket alone until ctx ends, as a gateway does that serves
// the one host which started it: the listener is for whoever serves for good.
func (d *Desk) ServeSocket(ctx context.Context) {
	go d.sweep(ctx)
	err := local.Serve(ctx, d.o.Config.State.Dir, string(d.o.Journal.Writer().Replica), func(token staff.Digest) *http.Server {
		return d.server(d.api.Handler(func() staff.Digest { return token }))
	})
	d.told("the operators' socket is not served", err)
}

func (d *Desk) told(what string, err error) {
	if err != nil {
		d.o.Log.Error(what, zap.Error(err))
	}
}

func (d *Desk) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: headerBytes, ErrorLog: zap.NewStdLog(d.o.Log),
	}
}

// sweep ends what nobody answers in time, and puts on record what a gateway that died
// could not: at once, and then every so often.
func (d *Desk) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := d.office.Sweep(ctx); err != nil && ctx.Err() == nil {
			d.told("tickets whose time is over were not ended", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tools is every tool that was seen, in the words of its review.
func (d *Desk) tools() []admin.Tool {
	var all []admin.Tool
	for _, o := range d.o.Registry.Observations() {
		if o.ID.Kind != gateway.KindTool {
			continue
		}
		t := admin.Tool{Upstream: o.ID.Upstream, Name: o.ID.Name, State: string(o.State), Definition: string(o.Digest)}
		if o.Record != nil {
			t.SideEffect, t.Owner = string(o.Record.Facts.Class()), o.Record.Facts.Owner
		}
		all = append(all, t)
	}
	return all
}
