package run

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/registry"
)

// The log is for the operator. It names codes, ids and causes; arguments,
// results and credentials never reach it.

func (g *Gateway) logCall(c *proxy.Call) {
	fields := []zap.Field{
		zap.Stringer("call", c.ID), zap.String("code", string(c.Err.Code)), zap.String("stage", c.Err.Stage),
	}
	if c.Item.Valid() {
		fields = append(fields, zap.Stringer("tool", c.Item.Item().ID))
	}
	if c.Err.Err != nil {
		fields = append(fields, zap.NamedError("cause", c.Err.Err))
	}
	switch c.Err.Code {
	case gateway.CodeInternal, gateway.CodeAuditUnavailable, gateway.CodeReceiptUnavailable:
		g.options.Log.Error("call failed", fields...)
	default:
		g.options.Log.Debug("call refused", fields...)
	}
}

func (g *Gateway) logList(id string, c registry.Changes, err error) {
	log := g.options.Log.With(zap.String("upstream", id))
	if err != nil {
		var e *gateway.Error
		if errors.As(err, &e) {
			log = log.With(zap.String("code", string(e.Code)))
		}
		log.Warn("list not refreshed", zap.Error(err))
		return
	}
	g.telemetry.Drift(context.Background(), id, len(c.Changed))
	if len(c.Added)+len(c.Changed)+len(c.Removed) == 0 && !c.Partial {
		return
	}
	log.Info("list changed", zap.Int("added", len(c.Added)), zap.Int("changed", len(c.Changed)),
		zap.Int("removed", len(c.Removed)), zap.Int("approved", len(c.Approved)),
		zap.Int("quarantined", len(c.Quarantined)), zap.Int("withheld", len(c.Withheld)), zap.Bool("partial", c.Partial))
}

func (g *Gateway) logFact(f registry.UpstreamFact) {
	g.telemetry.Upstream(context.Background(), f.ID, f.Up)
	fields := []zap.Field{zap.String("upstream", f.ID), zap.Bool("up", f.Up), zap.String("reason", f.Reason),
		zap.String("era", f.Era), zap.String("revision", f.Revision)}
	if f.Confined != "" {
		fields = append(fields, zap.String("confined", f.Confined))
	}
	g.options.Log.Info("upstream", fields...)
}

func (g *Gateway) logCredential(id string, err error) {
	g.options.Log.Warn("no credential for the upstream", zap.String("upstream", id), zap.Error(err))
}

func (g *Gateway) logStderr(id, line string) {
	g.options.Log.Debug("stderr", zap.String("upstream", id), zap.String("line", line))
}

func (g *Gateway) logReload(err error) {
	g.telemetry.Reloaded(context.Background(), err == nil)
	if err != nil {
		g.options.Log.Error("reload refused; the old configuration stays", zap.Error(err))
		return
	}
	g.options.Log.Info("reloaded")
}

func (g *Gateway) logIndex(err error) {
	if err != nil {
		g.options.Log.Error("the audit index stopped; the journal goes on", zap.Error(err))
	}
}

func (g *Gateway) logStatus(err error) {
	if err != nil {
		g.options.Log.Error("health and metrics are not served", zap.Error(err))
	}
}

func (g *Gateway) logTelemetry(err error) {
	if err != nil {
		g.options.Log.Warn("the last metrics and traces were lost", zap.Error(err))
	}
}
