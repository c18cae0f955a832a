package home

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Make makes the state directory where there is none (mode 0700).
func Make(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("state.dir: %w", err)
	}
	return nil
}

// Enter makes the state directory, and returns the id of this replica: the
// configured one, or one that is minted once and kept.
func Enter(dir, configured string) (string, error) {
	if err := Make(dir); err != nil {
		return "", err
	}
	if configured != "" {
		return configured, nil
	}
	path := filepath.Join(dir, "replica")
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.WriteString("r" + hex.EncodeToString(random[:]) + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("replica id: %w", err)
	}
	text, err := os.ReadFile(path)
	return strings.TrimSpace(string(text)), err
}
