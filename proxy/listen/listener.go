package listen

import (
	"context"
	"runtime"
	"sync"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/history"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/record"
	"mcp-gateway/proxy/ruling"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/proxy/throttle"
	"mcp-gateway/registry"
	"mcp-gateway/registry/uri"
	"mcp-gateway/registry/views"
	"mcp-gateway/rego"
)

// Options are what a Listener works with. All are required.
type Options struct {
	Sight  *sight.Sight
	Worlds *call.Worlds
	Record *record.Recorder
	Hop    *present.Hop
	// History is how often each principal called.
	History *history.Book
}

// Listener tells hosts of both eras what changes. It is safe for concurrent use.
type Listener struct {
	Options
	slots   *throttle.Slots // open requests by principal
	prints  printer
	feeds   feeds
	looks   chan struct{} // of a few places: calls go on beside a storm of changes
	stop    sync.Once
	stopped chan struct{}
}

// New returns a Listener to which nobody listens yet.
func New(o Options) *Listener {
	return &Listener{
		Options: o, slots: throttle.NewSlots(),
		looks: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), stopped: make(chan struct{}),
	}
}

// Stop ends all that listens, gracefully. What begins later ends at once.
func (l *Listener) Stop() { l.stop.Do(func() { close(l.stopped) }) }

// standing is how things stand for one who listens, at one moment.
type standing struct {
	listener   *Listener
	call       *call.Call
	world      *call.World
	principal  *gateway.Principal
	catalog    *call.Catalog
	view       views.View
	replaced   <-chan struct{} // closed once another world is in force
	superseded <-chan struct{} // closed once another snapshot is served
}

// stand says how things stand for who made a call, by its credential and by the
// settings in force now. An end says that nothing is to be told any more. On an
// error nothing but the channels is known.
func (l *Listener) stand(ctx context.Context, c *call.Call) (now *standing, end gateway.Reason, err error) {
	now = &standing{listener: l, call: c}
	now.world, now.replaced = l.Worlds.Watch()
	now.catalog = l.Sight.Catalog()
	now.superseded = now.catalog.Superseded()
	if c.Scope != "" && now.world.Upstreams[c.Scope] == nil {
		return now, gateway.ReasonEndpointGone, nil
	}
	if now.principal = whoIs(ctx, c, now.world); now.principal == nil || now.principal.ID() != c.Principal.ID() {
		return now, gateway.ReasonPrincipalGone, nil
	}
	select {
	case l.looks <- struct{}{}:
		defer func() { <-l.looks }()
	case <-ctx.Done():
		return now, "", ctx.Err()
	}
	now.view, _, err = l.Sight.Of(ctx, now.principal, now.world.Policy, now.catalog)
	return now, "", err
}

// whoIs says whose credential a call brought, by the settings in force; nil if
// it is nobody's by now.
func whoIs(ctx context.Context, c *call.Call, w *call.World) *gateway.Principal {
	if c.Transport == string(audit.Stdio) {
		return w.Stdio
	}
	p, err := w.Identifier.Identify(ctx, c.Credential())
	if err != nil {
		return nil
	}
	return p
}

// resource finds what a normalised URI names, if this principal may read it: as
// for a read itself, it must be visible and policy must let it through.
func (n *standing) resource(ctx context.Context, normal string) (registry.Pinned, error) {
	p, missing := n.catalog.ReachURI(n.call.Scope, normal, n.view.Has)
	if missing != "" {
		return p, gateway.Fail(gateway.CodeUnknownResource, missing)
	}
	if !n.view.Has(p.Item().Index) {
		return p, gateway.Fail(gateway.CodeUnknownResource, gateway.ReasonNotVisible)
	}
	args := append(protocol.AppendString([]byte(`{"uri":`), normal), '}')
	about := rego.Context{
		Action: protocol.MethodResourcesRead, Era: string(n.call.Era), Revision: n.call.Revision,
		Transport: n.call.Transport, Time: n.call.Clock(),
	}
	needs := n.world.Policy.Needs()
	if needs.History {
		about.History = n.listener.History.Of(n.principal.ID(), p.Item().ID, about.Time)
	}
	if needs.Host {
		about.Host = ruling.HostClaims(n.call)
	}
	if needs.Server {
		about.Server = ruling.ServerClaims(n.world.Upstreams[p.Item().ID.Upstream])
	}
	d := n.world.Policy.Decide(ctx, n.principal, n.catalog.Resources[p.Item().Index], args, about)
	if _, ok := d.Permit(); !ok {
		return p, gateway.Fail(gateway.CodeForbidden, d.Reasons...)
	}
	return p, nil
}

// readURI reads a URI from raw JSON, in its one spelling and in the host's.
func readURI(raw []byte) (normal, spelled string, err error) {
	spelled, ok := protocol.Text(raw)
	if !ok {
		return "", "", gateway.Wrong(gateway.CodeInvalidParams, "/params/uri")
	}
	if normal, err = uri.Normalize(spelled); err != nil {
		return "", spelled, gateway.Because(gateway.CodeUnknownResource, err, gateway.ReasonToolAbsent)
	}
	return normal, spelled, nil
}
