package keyring_test

import (
	"crypto/ed25519"
	"path/filepath"
	"testing"

	"mcp-gateway/keyring"
)

func TestSign(t *testing.T) {
	r, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	id, sig := r.Sign(keyring.Receipt, []byte("paid"))
	if id != r.KeyID(keyring.Receipt) {
		t.Errorf("signed by %s", id)
	}
	if err := r.Rotate(keyring.Receipt); err != nil {
		t.Fatal(err)
	}
	keys := r.Public(keyring.Receipt)
	if len(keys) != 2 || !ed25519.Verify(keys[id], []byte("paid"), sig) || ed25519.Verify(keys[id], []byte("owed"), sig) {
		t.Errorf("%d keys", len(keys))
	}
	if _, ok := r.Public(keyring.Audit)[id]; ok {
		t.Error("two purposes share a key")
	}
	if now, _ := r.Sign(keyring.Receipt, nil); now == id {
		t.Error("the old key signs on")
	}
}
