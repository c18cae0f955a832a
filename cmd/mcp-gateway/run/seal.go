package run

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net/url"
	"path/filepath"

	"go.uber.org/zap"

	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal"
	"mcp-gateway/config"
	"mcp-gateway/egress"
	"mcp-gateway/keyring"
)

// hand signs checkpoints by the key that is made for that alone.
type hand struct{ ring *keyring.Ring }

func (h hand) Public() ed25519.PublicKey {
	return h.ring.Public(keyring.Checkpoint)[h.ring.KeyID(keyring.Checkpoint)]
}

func (h hand) Sign(message []byte) []byte {
	_, signature := h.ring.Sign(keyring.Checkpoint, message)
	return signature
}

// seal says how the journal's checkpoints are made, and where else they go.
func (g *Gateway) seal() *journal.Seal {
	return &journal.Seal{
		Signer: hand{g.keys},
		Export: exporters(g.config.Audit.Export),
		Failed: func(err error) {
			g.telemetry.SealFailed(context.Background())
			g.options.Log.Error("a checkpoint was not made or not taken to its second place; it is tried again", zap.Error(err))
		},
	}
}

// both takes a note to two places, and fails where one of them does.
type both []checkpoint.Exporter

func (b both) Export(ctx context.Context, note string) error {
	var err error
	for _, e := range b {
		err = errors.Join(err, e.Export(ctx, note))
	}
	return err
}

func exporters(to config.Export) checkpoint.Exporter {
	var all both
	if to.File != "" {
		all = append(all, checkpoint.File{Path: to.File})
	}
	if to.HTTP != nil {
		host := ""
		if target, err := url.Parse(to.HTTP.URL); err == nil { // it was checked when it was read
			host = target.Hostname()
		}
		all = append(all, checkpoint.HTTP{
			URL: to.HTTP.URL, Bearer: to.HTTP.Bearer.Reveal(),
			Client: egress.NewClient(egress.Options{AllowHosts: []string{host}}),
		})
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Seals returns the keys by which this state's checkpoints are accepted, those of
// rotated keys included.
func Seals(c *config.Config) (checkpoint.Keys, error) {
	ring, err := keyring.Open(filepath.Join(c.State.Dir, KeysDir))
	if err != nil {
		return nil, err
	}
	var keys checkpoint.Keys
	for _, key := range ring.Public(keyring.Checkpoint) {
		keys = append(keys, key)
	}
	return keys, nil
}
