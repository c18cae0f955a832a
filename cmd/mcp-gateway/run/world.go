package run

import (
	"context"
	"errors"
	"net/url"
	"reflect"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/run/absent"
	"mcp-gateway/cmd/mcp-gateway/run/admins"
	"mcp-gateway/cmd/mcp-gateway/run/delivery"
	"mcp-gateway/cmd/mcp-gateway/run/terms"
	"mcp-gateway/config"
	"mcp-gateway/confine"
	"mcp-gateway/egress"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
	"mcp-gateway/rego"
	"mcp-gateway/rego/check"
	"mcp-gateway/upstream"
	"mcp-gateway/upstream/child"
)

// What the configuration does not name yet.
const (
	auditTimeout = 2 * time.Second
	listTTL      = 30 * time.Second
	pageSize     = 1000
	perPrincipal = 256
	perUpstream  = 64
	perListener  = 128
)

// plan is what a configuration asks for, checked and compiled, before anything
// of it is in force.
type plan struct {
	config   *config.Config
	exposure *registry.Exposure
	policy   *rego.Engine
	order    *delivery.Order // by which policy is delivered; nil = it lies in a folder
	auth     *auth.Authenticator
}

// world is what is in force: a plan and the upstreams that were started for it.
type world struct {
	plan
	clients map[string]*upstream.Client
	stop    context.CancelFunc // ends the loops that keep lists fresh
}

// plan checks a configuration whole, so that a bad one never replaces a good
// one in part.
func (g *Gateway) plan(ctx context.Context, c *config.Config) (*plan, error) {
	p := &plan{config: c}
	var err, all error
	if p.exposure, err = c.LoadExposure(); err != nil {
		all = errors.Join(all, err)
	}
	if p.policy, p.order, err = g.delivery.Plan(ctx, c, g.options.Clock, g.inForce()); err != nil {
		all = errors.Join(all, err)
	}
	if p.auth, err = auth.New(g.identities(c)); err != nil {
		all = errors.Join(all, err)
	}
	return p, all
}

// inForce is the policy by which calls are decided; nil before the first.
func (g *Gateway) inForce() *rego.Engine {
	if g.world == nil {
		return nil
	}
	return g.world.policy
}

// adopt puts a policy that was delivered in force, with all else as it is, if it still
// may be, and says so.
func (g *Gateway) adopt(ctx context.Context, p *check.Policy, may func() error, took func()) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := may(); err != nil {
		return err
	}
	next := *g.world
	var err error
	if next.policy, err = rego.New(p, rego.Options{Timeout: next.config.Policy.Timeout, Now: g.options.Clock}); err != nil {
		return err
	}
	g.world = &next
	g.corridor.SetWorld(settings(&next.plan, next.ports()))
	took()
	g.log().Recorded(g.note(ctx, audit.Event{Type: audit.PolicyLoaded, Policy: audit.Version(p.Revision)}))
	return nil
}

// identities are who may come in. What is known of issuers outlives a reload.
func (g *Gateway) identities(c *config.Config) auth.Options {
	o := auth.Options{
		Keys: c.Auth.Keys, Anonymous: c.Auth.Anonymous, Issuers: c.Trusted(),
		URL: c.Listen.URL, Scopes: c.Auth.Scopes, Clock: g.options.Clock,
	}
	if g.world != nil {
		o.Before = g.world.auth
	}
	return o
}

// enter puts a plan in force. Upstreams whose settings did not change go on as
// they are.
func (g *Gateway) enter(ctx context.Context, p *plan) error {
	next := &world{plan: *p, clients: map[string]*upstream.Client{}}
	var left []*upstream.Client
	trust := make(map[string]bool)
	undo := g.whois.Set(p.config, p.exposure) // who is started is asked for before anything is
	for id, u := range p.config.Upstreams {
		trust[id] = u.TrustDefinitions
		if len(u.Missing) > 0 {
			g.log().Fact(absent.Upstream(id).Fact())
			continue
		}
		client, err := g.client(ctx, p, id)
		if err != nil {
			undo()
			return err
		}
		next.clients[id] = client
	}
	if g.world != nil {
		next.stop = g.world.stop
		for id, old := range g.world.clients {
			if next.clients[id] != old {
				left = append(left, old)
			}
		}
	}
	if g.world == nil {
		g.loops, next.stop = context.WithCancel(context.WithoutCancel(ctx))
	}
	ports := next.ports()
	g.world = next
	g.trust.Store(&trust)
	g.keeper.Set(p.config.Audit.Retention)
	g.server.Set(&p.config.Listen, g.facing())
	if err := g.admins.Set(p.config); err != nil {
		return err
	}
	if g.options.Loud != nil {
		g.options.Loud(p.config.Log.Level())
	}
	changes := g.registry.SetExposure(p.exposure)
	g.corridor.SetWorld(settings(p, ports))
	g.refresher.Set(g.loops, ports)
	g.delivery.Enter(g.loops, p.order)
	for _, old := range left {
		old.Close()
	}
	return errors.Join(
		g.refresher.Record(ctx, changes, nil),
		g.note(ctx, audit.Event{Type: audit.ConfigLoaded, Config: audit.Version(p.config.Revision)}),
		g.policyLoaded(ctx, p.policy),
	)
}

func (g *Gateway) policyLoaded(ctx context.Context, p *rego.Engine) error {
	if !p.Ready() {
		return nil
	}
	return g.note(ctx, audit.Event{Type: audit.PolicyLoaded, Policy: audit.Version(p.Revision())})
}

func (g *Gateway) note(ctx context.Context, e audit.Event) error {
	_, err := g.journal.Append(ctx, &e, audit.Process)
	return err
}

// settings are what the corridor runs under.
func settings(p *plan, upstreams map[string]proxy.Upstream) *proxy.World {
	c := p.config
	return &proxy.World{
		Identifier: p.auth,
		Stdio:      c.Auth.Stdio,
		Policy:     p.policy,
		Upstreams:  upstreams,
		Limits: proxy.Limits{
			Body: c.Limits.Body, Message: terms.Message(c), Result: c.Limits.Result, Depth: c.Limits.Depth, Page: pageSize,
			CallTimeout: c.Limits.CallTimeout, RepeatWait: c.Limits.RepeatWait, AuditTimeout: auditTimeout, ListTTL: listTTL,
			Rates:    terms.Rates(c.Limits.Rates),
			InFlight: perPrincipal, PerUpstream: perUpstream, Subscriptions: perListener,
		},
		Durability: map[gateway.SideEffect]audit.Durability{
			gateway.Read:        audit.Durability(c.Audit.Read),
			gateway.Write:       audit.Durability(c.Audit.Write),
			gateway.Destructive: audit.Durability(c.Audit.Destructive),
		},
		Relay:         terms.Relayed(c),
		Extensions:    terms.Extensions(c),
		Exchanged:     terms.Exchanged(c),
		Content:       terms.Content(c),
		Destinations:  admins.Destinations(c),
		Console:       admins.Page(c),
		ClearSubjects: c.Audit.Subjects == config.Plain,
	}
}

// client returns the running client of an upstream if its settings are those
// it was started with, else a new one that remembers the era it was met in.
func (g *Gateway) client(ctx context.Context, p *plan, id string) (*upstream.Client, error) {
	u := p.config.Upstreams[id]
	if g.world != nil && g.world.clients[id] != nil && sameUpstream(g.world.config.Upstreams[id], u) {
		return g.world.clients[id], nil
	}
	remembered, _, err := g.store.Upstream(ctx, id)
	if err != nil {
		return nil, err
	}
	limits := p.config.Limits
	c := upstream.Config{
		ID: id, Version: g.options.Version, Timeout: u.Timeout,
		ListLimit: limits.List, ResultLimit: limits.Result, Depth: limits.Depth, InFlight: perUpstream,
		CircuitAfter: u.Circuit.After, CircuitRest: u.Circuit.Rest,
		Refresh: u.Refresh.Every, TTLCap: u.Refresh.TTLCap,
		MinimumRevision: u.Revision.Minimum, Downgrade: upstream.Downgrade(u.Revision.Downgrade),
		Remembered: remembered, OnFact: g.log().Fact,
	}
	for _, what := range u.Relay {
		c.Relay = append(c.Relay, upstream.Relay(what))
	}
	if u.Stdio != nil {
		c.Stdio, c.StartTimeout = g.process(p.config, u), u.Stdio.Start
		return upstream.New(c)
	}
	target, err := url.Parse(u.HTTP.URL)
	if err != nil {
		return nil, err
	}
	c.HTTP = &upstream.HTTP{
		URL: u.HTTP.URL, Bearer: u.HTTP.Bearer.Reveal(),
		Client: g.whois.Reach(p.config, id, egress.NewClient(egress.Options{AllowHosts: []string{target.Hostname()}, AllowPrefixes: u.HTTP.Networks, Timeout: u.Timeout, TLS: g.whois.Witness(id)})),
	}
	if u.HTTP.Grant != nil {
		if c.HTTP.Source, err = terms.Tokens(id, u.HTTP.Grant, g.options.Clock, func(err error) { g.log().Credential(id, err) }); err != nil {
			return nil, err
		}
	}
	return upstream.New(c)
}

func (g *Gateway) process(c *config.Config, u *config.Upstream) *child.Options {
	s := u.Stdio
	env := make(map[string]string, len(s.Env))
	for name, secret := range s.Env {
		env[name] = secret.Reveal()
	}
	cleaner := redact.New(redact.Options{})
	return &child.Options{
		LineLimit: terms.Line(c), Command: s.Command, Dir: s.Dir, PassEnv: s.PassEnv, Env: env, Clean: cleaner.Text,
		Confine: confinement(c, s), Helper: g.options.Helper,
		Allow:    func() error { return g.whois.Allow(c, u.ID) },
		OnStderr: func(line string) { g.log().Stderr(u.ID, line) },
	}
}

// confinement is what a child may reach: what its allow-lists say, else all but
// what the gateway's word rests on.
func confinement(c *config.Config, s *config.Stdio) *confine.Spec {
	spec := &confine.Spec{
		Hidden: append([]string{c.State.Dir}, c.SecretFiles...),
		Kept:   append([]string{c.File, c.Exposure}, c.Policy.Paths()...), Network: confine.Any,
	}
	switch {
	case s.Unconfined:
		return nil
	case s.Confine == nil:
		spec.Open = true
		return spec
	}
	spec.Must, spec.Read, spec.Write = true, s.Confine.Read, s.Confine.Write
	spec.Network, spec.Limits, spec.UID, spec.GID = s.Confine.Network, s.Confine.Limits, s.Confine.UID, s.Confine.GID
	return spec
}

// sameUpstream ignores where in the file the settings stand.
func sameUpstream(a, b *config.Upstream) bool {
	x, y := *a, *b
	x.Pos, y.Pos = gateway.Pos{}, gateway.Pos{}
	return reflect.DeepEqual(&x, &y)
}

// trusted says whether an upstream's definitions are served unreviewed.
func (g *Gateway) trusted(id string) bool {
	trust := g.trust.Load()
	return trust != nil && (*trust)[id]
}

// ports are the upstreams as the corridor calls them.
func (w *world) ports() map[string]proxy.Upstream {
	all := make(map[string]proxy.Upstream, len(w.clients))
	for id := range w.config.Upstreams {
		all[id] = absent.Upstream(id)
	}
	for id, c := range w.clients {
		all[id] = c
	}
	return all
}

func (w *world) close() {
	for _, c := range w.clients {
		c.Close()
	}
}
