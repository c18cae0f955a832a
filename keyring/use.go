package keyring

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// tokenVersion is the first byte of every token.
const tokenVersion = 1

// MAC returns the HMAC-SHA-256 of the parts under the purpose's current key.
// Each part goes in behind its length (64 bits, big-endian), so no two lists of
// parts share an input. It panics for a purpose that is not one of Purposes.
func (r *Ring) MAC(p Purpose, parts ...[]byte) [32]byte {
	k := r.current(p)
	if k == nil {
		panic("keyring: MAC for a purpose that has no key")
	}
	return k.mac(parts)
}

// MACBy is MAC under the key of that id, current or not: to verify what was
// written before a rotation. An id that the ring does not hold is ErrUnknownKey.
// Compare the result by [crypto/hmac.Equal].
func (r *Ring) MACBy(p Purpose, keyID string, parts ...[]byte) ([32]byte, error) {
	var id [idSize]byte
	if n, err := hex.Decode(id[:], []byte(keyID[:min(len(keyID), 2*idSize)])); err != nil || n != idSize || len(keyID) != 2*idSize {
		return [32]byte{}, fmt.Errorf("keyring: %w", ErrUnknownKey)
	}
	k := r.byID(p, id)
	if k == nil {
		return [32]byte{}, fmt.Errorf("keyring: %w", ErrUnknownKey)
	}
	return k.mac(parts), nil
}

func (k *key) mac(parts [][]byte) (sum [32]byte) {
	h := k.macs.Get().(hash.Hash)
	defer k.macs.Put(h)
	h.Reset()
	var length [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write(part)
	}
	h.Sum(sum[:0])
	return sum
}

// Seal encrypts and authenticates plaintext (AES-256-GCM, random nonce) and
// authenticates aad beside it. The token is base64url without padding over
//
//	version (1 byte) | key id (8) | nonce (12) | ciphertext and tag
//
// and fits headers, URLs and JSON strings as it is. It panics for a purpose
// that is not one of Purposes.
func (r *Ring) Seal(p Purpose, plaintext, aad []byte) string {
	k := r.current(p)
	if k == nil {
		panic("keyring: Seal for a purpose that has no key")
	}
	token := make([]byte, headSize, headSize+len(plaintext)+k.aead.Overhead())
	token[0] = tokenVersion
	copy(token[1:], k.id[:])
	rand.Read(token[1+idSize : headSize]) // never fails: the runtime aborts instead
	token = k.aead.Seal(token, token[1+idSize:headSize], plaintext, bindAAD(token[:1+idSize], aad))
	return base64.RawURLEncoding.EncodeToString(token)
}

const headSize = 1 + idSize + 12

// Open returns the plaintext of a token that Seal made for the same purpose and
// aad, under any key that the ring still holds. Every other token, whatever is
// wrong with it, is ErrToken; one with line breaks too, which the decoder passes over.
func (r *Ring) Open(p Purpose, token string, aad []byte) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || strings.ContainsAny(token, "\r\n") || len(raw) < headSize || raw[0] != tokenVersion {
		return nil, fmt.Errorf("keyring: %w", ErrToken)
	}
	k := r.byID(p, [idSize]byte(raw[1:1+idSize]))
	if k == nil {
		return nil, fmt.Errorf("keyring: %w", ErrToken)
	}
	plaintext, err := k.aead.Open(nil, raw[1+idSize:headSize], raw[headSize:], bindAAD(raw[:1+idSize], aad))
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", ErrToken)
	}
	return plaintext, nil
}

// bindAAD puts the fixed-length head before aad, so that both are authenticated.
func bindAAD(head, aad []byte) []byte {
	return append(append(make([]byte, 0, len(head)+len(aad)), head...), aad...)
}
