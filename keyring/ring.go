package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// Causes, for [errors.Is].
var (
	ErrPermissions = errors.New("keys must be readable by their owner only")
	ErrFormat      = errors.New("not a key file of the gateway")
	ErrUnknownKey  = errors.New("no key of that purpose and id")
	ErrToken       = errors.New("token was not sealed by this ring, or was altered")
)

// Purpose separates keys: what one purpose made, no other accepts.
type Purpose string

// The purposes.
const (
	Audit      Purpose = "audit"      // chains and pseudonyms in the journal
	Receipt    Purpose = "receipt"    // receipts of side effects
	State      Purpose = "state"      // requestState that travels through hosts
	Handle     Purpose = "handle"     // cursors and other handles given to hosts
	Checkpoint Purpose = "checkpoint" // signed heads of the journal
	Detail     Purpose = "detail"     // kept arguments
	Ledger     Purpose = "ledger"     // what is kept of arguments and results
)

// Purposes lists every purpose.
func Purposes() []Purpose {
	return []Purpose{Audit, Receipt, State, Handle, Checkpoint, Detail, Ledger}
}

// Ring holds the keys of every purpose. It is safe for concurrent use.
type Ring struct {
	dir string

	mu   sync.RWMutex
	keys map[Purpose][]*key // oldest first; the last is current
}

// Open returns the ring of dir, making the directory (0700) and the first key
// (0600) of each purpose where they are missing. Processes that start at once
// agree on the same keys. A directory or key that others than its owner may
// read is refused with ErrPermissions, a damaged key file with ErrFormat.
func Open(dir string) (*Ring, error) {
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	r := &Ring{dir: dir}
	if err := r.Reload(); err != nil {
		return nil, err
	}
	for _, p := range Purposes() {
		if len(r.keys[p]) > 0 {
			continue
		}
		if err := createKey(dir, p, 1); err != nil {
			return nil, err
		}
	}
	return r, r.Reload()
}

// Reload reads the directory again, to see keys that another process made. On
// an error the ring stays as it was.
func (r *Ring) Reload() error {
	keys, err := readKeys(r.dir)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys = keys
	return nil
}

// Rotate makes a new current key for the purpose. Older keys stay, so that what
// they sealed still opens and what they signed can still be verified. If another
// process rotates at the same moment, both end up with one and the same new key.
func (r *Ring) Rotate(p Purpose) error {
	r.mu.RLock()
	ks := r.keys[p]
	r.mu.RUnlock()
	if len(ks) == 0 {
		return fmt.Errorf("keyring: rotate %q: %w", p, ErrUnknownKey)
	}
	if err := createKey(r.dir, p, ks[len(ks)-1].serial+1); err != nil {
		return err
	}
	return r.Reload()
}

// Import makes the key of a file, of another ring and the same purpose, the current one
// of this ring; it does nothing if that is so already. A file that others than its owner
// may read is ErrPermissions, one that is no key ErrFormat.
func (r *Ring) Import(p Purpose, path string) error {
	secret, err := readSecret(path)
	if err != nil {
		return err
	}
	k, err := newKey(p, 1, secret)
	if err != nil {
		return err
	}
	now := r.current(p)
	if now == nil {
		return fmt.Errorf("keyring: import %q: %w", p, ErrUnknownKey)
	}
	if now.id == k.id {
		return nil
	}
	if err := placeKey(r.dir, p, now.serial+1, secret); err != nil {
		return err
	}
	if err := r.Reload(); err != nil {
		return err
	}
	if now := r.current(p); now.id != k.id {
		return fmt.Errorf("keyring: import %q: another key was made at the same moment: %w", p, fs.ErrExist)
	}
	return nil
}

// KeyID returns the id of the purpose's current key: 16 hex digits that follow
// from the key but tell nothing of it; "" for an unknown purpose.
func (r *Ring) KeyID(p Purpose) string {
	if k := r.current(p); k != nil {
		return hex.EncodeToString(k.id[:])
	}
	return ""
}

// KeyIDs returns the ids of the purpose's keys, the oldest first.
func (r *Ring) KeyIDs(p Purpose) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var ids []string
	for _, k := range r.keys[p] {
		ids = append(ids, hex.EncodeToString(k.id[:]))
	}
	return ids
}

func (r *Ring) current(p Purpose) *key {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if ks := r.keys[p]; len(ks) > 0 {
		return ks[len(ks)-1]
	}
	return nil
}

func (r *Ring) byID(p Purpose, id [idSize]byte) *key {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, k := range r.keys[p] {
		if k.id == id {
			return k
		}
	}
	return nil
}

const (
	idSize     = 8
	secretSize = 32
)

// key is one key of one purpose. Its secret is used only to derive a key for
// each operation, so that no two algorithms ever share one.
type key struct {
	serial int
	id     [idSize]byte
	macs   sync.Pool // of hash.Hash, keyed and reset
	aead   cipher.AEAD
	signer ed25519.PrivateKey
}

func newKey(p Purpose, serial int, secret []byte) (*key, error) {
	k := &key{serial: serial}
	var derived [3][]byte
	for i, use := range [...]string{"id", "mac", "seal"} {
		var err error
		if derived[i], err = hkdf.Key(sha256.New, secret, nil, "mcp-gateway "+string(p)+" "+use, secretSize); err != nil {
			return nil, fmt.Errorf("keyring: derive: %w", err)
		}
	}
	copy(k.id[:], derived[0])
	k.macs.New = func() any { return hmac.New(sha256.New, derived[1]) }
	block, err := aes.NewCipher(derived[2])
	if err != nil {
		return nil, fmt.Errorf("keyring: cipher: %w", err)
	}
	if k.aead, err = cipher.NewGCM(block); err != nil {
		return nil, fmt.Errorf("keyring: cipher: %w", err)
	}
	if k.signer, err = deriveSigner(p, secret); err != nil {
		return nil, err
	}
	return k, nil
}
