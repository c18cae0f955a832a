package run

import (
	"context"
	"crypto/ed25519"
	"path/filepath"

	"mcp-gateway/cmd/mcp-gateway/run/past"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/reconcile"
	"mcp-gateway/receipt"
)

// ReceiptKeys returns the public keys that receipts are verified by, by id.
func (g *Gateway) ReceiptKeys() map[string]ed25519.PublicKey { return g.keys.Public(keyring.Receipt) }

// Events looks up events in the gateway's journal, as it stands now.
func (g *Gateway) Events(ctx context.Context) receipt.Events { return past.Events(ctx, g.journalDir()) }

func (g *Gateway) journalDir() string { return filepath.Join(g.config.State.Dir, JournalDir) }

// Effects is the ledger as calls use it.
func (g *Gateway) Effects() *effect.Book { return g.corridor.Effects() }

// settleDead settles the actions of gateways that ended without a word, and lets go
// of keys whose time is over.
func (g *Gateway) settleDead(ctx context.Context) error {
	if _, err := g.corridor.Effects().Recover(ctx); err != nil {
		return err
	}
	_, err := g.corridor.Effects().Forget(ctx)
	return err
}

// AskStatus asks the reviewed status tool what became of an action whose outcome is
// unknown, and returns it as it stands then.
func (g *Gateway) AskStatus(ctx context.Context, action string) (*receipt.Entry, error) {
	e, err := g.store.Action(ctx, action)
	if err != nil {
		return nil, err
	}
	w := g.corridor.World()
	if w.Exchanged[e.Item.Upstream] {
		return nil, reconcile.ErrBehalf
	}
	if err := g.Refresh(ctx, e.Item.Upstream); err != nil {
		return nil, err
	}
	return g.corridor.Status().Settle(ctx, w, gateway.Behalf{}, e)
}

// Upstreams are those of the configuration in force, by id.
func (g *Gateway) Upstreams() map[string]proxy.Upstream { return g.corridor.World().Upstreams }
