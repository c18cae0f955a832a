package seals

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net/url"
	"os"

	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/config"
	"mcp-gateway/egress"
	"mcp-gateway/keyring"
)

// Hand signs checkpoints by the key that is made for that alone.
type Hand struct{ Ring *keyring.Ring }

// Public returns the key by which others verify.
func (h Hand) Public() ed25519.PublicKey {
	return h.Ring.Public(keyring.Checkpoint)[h.Ring.KeyID(keyring.Checkpoint)]
}

// Sign signs a checkpoint.
func (h Hand) Sign(message []byte) []byte {
	_, signature := h.Ring.Sign(keyring.Checkpoint, message)
	return signature
}

// both takes a note to two places, and fails where one of them does.
type both []checkpoint.Exporter

// Export takes the note to each place.
func (b both) Export(ctx context.Context, note string) error {
	var err error
	for _, e := range b {
		err = errors.Join(err, e.Export(ctx, note))
	}
	return err
}

// Exporters returns the second places that are configured, nil for none.
func Exporters(to config.Export) checkpoint.Exporter {
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

// Keys returns the keys of a key folder by which checkpoints are accepted, those of
// rotated keys included.
func Keys(dir string) (checkpoint.Keys, error) {
	ring, err := keyring.Open(dir)
	if err != nil {
		return nil, err
	}
	var keys checkpoint.Keys
	for _, key := range ring.Public(keyring.Checkpoint) {
		keys = append(keys, key)
	}
	return keys, nil
}

// OrKeys returns the keys that were named, or else those of a key folder; none where
// there is no such folder: none is made for it.
func OrKeys(named checkpoint.Keys, dir string) (checkpoint.Keys, error) {
	if info, err := os.Stat(dir); len(named) > 0 || err != nil || !info.IsDir() {
		return named, nil
	}
	return Keys(dir)
}
