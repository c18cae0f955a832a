package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"

	"mcp-gateway/gateway"
)

// KeyPrefix begins every API key, so that secret scanners can tell one.
const KeyPrefix = "mcpgw_"

// keyLen is the length of an API key: the prefix and 256 bits in base64url.
const keyLen = len(KeyPrefix) + 43

// Key is one API key as configuration holds it: the digest of the key, never
// the key, and the principal that presents it.
type Key struct {
	SHA256    string // 64 hex digits over the whole key, prefix included
	Principal gateway.Principal
}

// NewKey makes an API key of 256 random bits and the SHA-256, in hex, to put
// into configuration. The key is shown once and kept nowhere.
func NewKey() (key, sha256hex string) {
	var secret [32]byte
	rand.Read(secret[:]) // never fails: it crashes the process instead
	key = KeyPrefix + base64.RawURLEncoding.EncodeToString(secret[:])
	sum := sha256.Sum256([]byte(key))
	return key, hex.EncodeToString(sum[:])
}

// ErrKeyDigest says that a Key's SHA256 is not 64 hex digits.
var ErrKeyDigest = errors.New("auth: a key's sha256 is not 64 hex digits")

// ParseDigest decodes the 64 hex digits of a Key.
func ParseDigest(s string) (sum [sha256.Size]byte, err error) {
	if len(s) != 2*sha256.Size {
		return sum, ErrKeyDigest
	}
	if _, err := hex.Decode(sum[:], []byte(s)); err != nil {
		return sum, ErrKeyDigest
	}
	return sum, nil
}
