package run

import (
	"context"

	"go.uber.org/zap"

	"mcp-gateway/audit/journal"
	"mcp-gateway/cmd/mcp-gateway/run/seals"
)

// seal says how the journal's checkpoints are made, and where else they go.
func (g *Gateway) seal() *journal.Seal {
	return &journal.Seal{
		Signer: seals.Hand{Ring: g.keys},
		Export: seals.Exporters(g.config.Audit.Export),
		Failed: func(err error) {
			g.telemetry.SealFailed(context.Background())
			g.options.Log.Error("a checkpoint was not made or not taken to its second place; it is tried again", zap.Error(err))
		},
	}
}
