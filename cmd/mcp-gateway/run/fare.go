package run

import (
	"context"
	"net"
	"time"

	"mcp-gateway/cmd/mcp-gateway/run/signs"
	"mcp-gateway/cmd/mcp-gateway/run/tell"
	"mcp-gateway/telemetry"
)

// openTelemetry makes what tells how the gateway fares, if anyone is to hear it:
// who scrapes listen.status, or whom the OTEL_ variables name.
func (g *Gateway) openTelemetry(ctx context.Context, replica string) error {
	var err error
	g.telemetry, err = telemetry.New(ctx, telemetry.Options{
		Build: g.options.Version, Replica: replica,
		Scrape: g.config.Listen.Status != "", Export: telemetry.FromEnvironment(), Client: tell.Reach(g.config.Networks),
	})
	g.options.Log = tell.Tee(g.options.Log, g.telemetry)
	return err
}

// log is the operator's.
func (g *Gateway) log() tell.Log {
	return tell.Log{Zap: g.options.Log, Telemetry: g.telemetry, Told: &g.told}
}

// stand tells how the gateway stands that began then.
func (g *Gateway) stand(began time.Time) signs.Standing {
	s := signs.Stand(g.options.Version, g.options.Clock().Sub(began), g.journal, g.corridor, g.registry, g.delivery.Status())
	s.Refused, s.Waits = g.told.Refused(), g.admins.Waits()
	return s
}

// serveStatus serves health, metrics and status where the configuration says so.
func (g *Gateway) serveStatus(ctx context.Context) error {
	if g.config.Listen.Status == "" {
		return nil
	}
	began := g.options.Clock()
	return signs.Serve(ctx, g.config.Listen.Status, &telemetry.Health{
		Telemetry: g.telemetry, Checks: signs.Checks(g.corridor, g.journal),
		Details: func() []string { s := g.stand(began); return s.Lines(g.options.Clock()) },
		Status:  func() any { return g.stand(began) },
	}, func(a net.Addr) {
		if g.options.OnStatus != nil {
			g.options.OnStatus(a)
		}
	})
}
