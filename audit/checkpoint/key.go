package checkpoint

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

// ErrKey says that a text is no verifier key of a journal.
var ErrKey = errors.New("checkpoint: not a key of the form " + Origin + "+<id>+<base64>")

// VerifierKey returns a public key in the form in which notes are verified
// elsewhere: name, id and key, joined by plus signs.
func VerifierKey(key ed25519.PublicKey) string {
	id := keyID(key)
	return Origin + "+" + hex.EncodeToString(id[:]) + "+" +
		base64.StdEncoding.EncodeToString(append([]byte{algEd25519}, key...))
}

// ParseKey is the inverse of VerifierKey.
func ParseKey(text string) (ed25519.PublicKey, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), Origin+"+")
	id, encoded, _ := strings.Cut(rest, "+")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(raw) != 1+ed25519.PublicKeySize || raw[0] != algEd25519 {
		return nil, ErrKey
	}
	key := ed25519.PublicKey(raw[1:])
	if want := keyID(key); hex.EncodeToString(want[:]) != id {
		return nil, ErrKey
	}
	return key, nil
}
