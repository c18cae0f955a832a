package run

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"mcp-gateway/cmd/mcp-gateway/run/signs"
	"mcp-gateway/gateway"
	"mcp-gateway/telemetry"
)

// openTelemetry makes what tells how the gateway fares, if anyone is to hear it:
// who scrapes listen.status, or whom the OTEL_ variables name.
func (g *Gateway) openTelemetry(ctx context.Context, replica string) error {
	var err error
	g.telemetry, err = telemetry.New(ctx, telemetry.Options{
		Build: g.options.Version, Replica: replica,
		Scrape: g.config.Listen.Status != "", Export: telemetry.FromEnvironment(),
	})
	return err
}

// serveStatus serves health, metrics and status where the configuration says so.
func (g *Gateway) serveStatus(ctx context.Context) error {
	if g.config.Listen.Status == "" {
		return nil
	}
	began := g.options.Clock()
	return signs.Serve(ctx, g.config.Listen.Status, &telemetry.Health{
		Telemetry: g.telemetry, Checks: g.checks(),
		Status: func() any { return g.standing(began) },
	}, func(a net.Addr) {
		if g.options.OnStatus != nil {
			g.options.OnStatus(a)
		}
	})
}

// errNotReady is the cause of a check that fails.
var errNotReady = errors.New("not ready")

// checks are the things without which no call can be served.
func (g *Gateway) checks() []telemetry.Check {
	holds := func(ok bool) error {
		if ok {
			return nil
		}
		return errNotReady
	}
	return []telemetry.Check{
		{Name: "config", Run: func(context.Context) error { return holds(g.corridor.World() != nil) }},
		{Name: "policy", Run: func(context.Context) error { w := g.corridor.World(); return holds(w != nil && w.Policy != nil) }},
		{Name: "journal", Run: func(context.Context) error { return g.journal.Err() }},
	}
}

// standing is what /status shows: nothing of callers, nothing that a server wrote.
type standing struct {
	Version   string            `json:"version"`
	Replica   string            `json:"replica"`
	Boot      uint64            `json:"boot"`
	Uptime    string            `json:"uptime"`
	Policy    string            `json:"policy"`
	Upstreams []upstreamStands  `json:"upstreams"`
	Tools     map[string]uint64 `json:"tools"` // how many stand in which state
}

type upstreamStands struct {
	ID       string `json:"id"`
	Up       bool   `json:"up"`
	Reason   string `json:"reason,omitempty"`
	Era      string `json:"era,omitempty"`
	Revision string `json:"revision,omitempty"`
}

func (g *Gateway) standing(began time.Time) standing {
	w := g.journal.Writer()
	s := standing{
		Version: g.options.Version, Replica: string(w.Replica), Boot: w.Boot,
		Uptime: g.options.Clock().Sub(began).Round(time.Second).String(), Tools: map[string]uint64{},
	}
	world := g.corridor.World()
	if world == nil {
		return s
	}
	s.Policy = world.Policy.Revision()
	for id, up := range world.Upstreams {
		f := up.Fact()
		s.Upstreams = append(s.Upstreams, upstreamStands{id, f.Up, f.Reason, f.Era, f.Revision})
	}
	slices.SortFunc(s.Upstreams, func(a, b upstreamStands) int { return strings.Compare(a.ID, b.ID) })
	for _, o := range g.registry.Observations() {
		if o.ID.Kind == gateway.KindTool {
			s.Tools[string(o.State)]++
		}
	}
	return s
}
