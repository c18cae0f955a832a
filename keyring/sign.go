package keyring

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Sign signs the message by Ed25519 (RFC 8032) with the purpose's current key,
// and returns that key's id with the signature. It panics for a purpose that is
// not one of Purposes.
func (r *Ring) Sign(p Purpose, message []byte) (keyID string, signature []byte) {
	k := r.current(p)
	if k == nil {
		panic("keyring: Sign for a purpose that has no key")
	}
	return hex.EncodeToString(k.id[:]), ed25519.Sign(k.signer, message)
}

// Public returns the public keys of a purpose by key id, those of rotated keys
// included: what they signed can still be verified.
func (r *Ring) Public(p Purpose) map[string]ed25519.PublicKey {
	r.mu.RLock()
	defer r.mu.RUnlock()
	keys := make(map[string]ed25519.PublicKey, len(r.keys[p]))
	for _, k := range r.keys[p] {
		keys[hex.EncodeToString(k.id[:])] = k.signer.Public().(ed25519.PublicKey)
	}
	return keys
}

// deriveSigner derives the signing key of a secret, apart from its other keys.
func deriveSigner(p Purpose, secret []byte) (ed25519.PrivateKey, error) {
	seed, err := hkdf.Key(sha256.New, secret, nil, "mcp-gateway "+string(p)+" sign", ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("keyring: derive: %w", err)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}
