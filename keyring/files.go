package keyring

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A key file is named "<purpose>-<serial>.key", the serial six or more digits
// that count from 1, and holds this head and the secret in base64url.
const fileHead = "mcp-gateway-key-v1 "

func fileName(p Purpose, serial int) string { return fmt.Sprintf("%s-%06d.key", p, serial) }

// parseFileName is the inverse of fileName; false for a file that is no key of
// a known purpose, such as one of a later version.
func parseFileName(name string) (Purpose, int, bool) {
	purpose, digits, ok := strings.Cut(strings.TrimSuffix(name, ".key"), "-")
	serial, err := strconv.Atoi(digits)
	p := Purpose(purpose)
	ok = ok && err == nil && serial > 0 && slices.Contains(Purposes(), p) && fileName(p, serial) == name
	return p, serial, ok
}

func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	return checkMode(dir, info, 0o700)
}

func checkMode(path string, info fs.FileInfo, want fs.FileMode) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("keyring: %s has mode %04o, run chmod %04o: %w", path, mode, want, ErrPermissions)
	}
	return nil
}

// readKeys reads every key of dir, oldest first by purpose.
func readKeys(dir string) (map[Purpose][]*key, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	keys := make(map[Purpose][]*key)
	for _, e := range entries {
		p, serial, ok := parseFileName(e.Name())
		if !ok {
			continue
		}
		k, err := readKey(filepath.Join(dir, e.Name()), p, serial)
		if err != nil {
			return nil, err
		}
		keys[p] = append(keys[p], k)
	}
	for _, ks := range keys {
		slices.SortFunc(ks, func(a, b *key) int { return a.serial - b.serial })
	}
	return keys, nil
}

func readKey(path string, p Purpose, serial int) (*key, error) {
	secret, err := readSecret(path)
	if err != nil {
		return nil, err
	}
	return newKey(p, serial, secret)
}

func readSecret(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	defer f.Close()
	info, err := f.Stat() // of the file that is open: the path may change meanwhile
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	if err := checkMode(path, info, 0o600); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, 256))
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	secret, err := decodeSecret(text)
	if err != nil {
		return nil, fmt.Errorf("keyring: %s: %w", path, err)
	}
	return secret, nil
}

func encodeSecret(secret []byte) []byte {
	return append(base64.RawURLEncoding.AppendEncode([]byte(fileHead), secret), '\n')
}

func decodeSecret(text []byte) ([]byte, error) {
	encoded, ok := bytes.CutPrefix(text, []byte(fileHead))
	if !ok {
		return nil, ErrFormat
	}
	encoded, ok = bytes.CutSuffix(encoded, []byte("\n"))
	if !ok || len(encoded) != base64.RawURLEncoding.EncodedLen(secretSize) {
		return nil, ErrFormat
	}
	secret, err := base64.RawURLEncoding.Strict().DecodeString(string(encoded))
	if err != nil {
		return nil, ErrFormat
	}
	return secret, nil
}

// createKey makes the key file of that serial, unless there is one: then it
// leaves the winner's in place.
func createKey(dir string, p Purpose, serial int) error {
	secret := make([]byte, secretSize)
	rand.Read(secret) // never fails: the runtime aborts instead
	return placeKey(dir, p, serial, secret)
}

// placeKey links a secret to its name when it is whole and on disk, so no reader and no
// crash ever meets half a key.
func placeKey(dir string, p Purpose, serial int, secret []byte) error {
	tmp, err := os.CreateTemp(dir, ".new-*") // O_EXCL, mode 0600
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(encodeSecret(secret))
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	if err := os.Link(tmp.Name(), filepath.Join(dir, fileName(p, serial))); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keyring: %w", err)
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	return nil
}
