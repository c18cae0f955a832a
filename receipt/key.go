package receipt

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"unicode/utf8"

	"mcp-gateway/gateway"
)

// KeySource says where an idempotency key came from.
type KeySource string

// The sources of keys.
const (
	KeyOfHost     KeySource = "host"     // _meta of the host's request
	KeyOfArgument KeySource = "argument" // the argument that the reviewer named
	KeyMinted     KeySource = "minted"   // made here: it covers the gateway's own repeats alone
)

// maxKey bounds a key, in bytes.
const maxKey = 256

// ValidKey says whether a host may use the text as a key: 1 to 256 bytes of
// UTF-8 without control characters.
func ValidKey(key string) bool {
	if key == "" || len(key) > maxKey || !utf8.ValidString(key) {
		return false
	}
	for _, r := range key {
		if r < ' ' || r == 0x7f {
			return false
		}
	}
	return true
}

// MintKey makes a key that nobody else has.
func MintKey() string {
	var random [18]byte
	rand.Read(random[:]) // never fails: the runtime aborts instead
	return "gw-" + base64.RawURLEncoding.EncodeToString(random[:])
}

// Scope is the digest of what a key counts within: of one principal, for one tool.
// Two calls are the same call exactly if their scopes are equal.
type Scope [sha256.Size]byte

// ScopeOf returns the scope of a key: tenant and principal are both in the
// principal's ID (gateway.Principal.ID).
func ScopeOf(principal string, tool gateway.ItemID, key string) Scope {
	return sha256.Sum256(framed("mcp-gateway idempotency scope 1", principal, tool.Upstream, tool.Name, key))
}

// Salt keeps an argument digest from being looked up in a table of likely arguments.
type Salt [16]byte

// NewSalt makes a salt.
func NewSalt() (s Salt) {
	rand.Read(s[:]) // never fails: the runtime aborts instead
	return s
}

// ArgumentsDigest returns "sha256:" and the hex digest over salt and the canonical
// form of arguments (RFC 8785 order, numbers as sent), which is what a receipt says
// of them.
func ArgumentsDigest(s Salt, canonical []byte) gateway.Digest {
	sum := sha256.Sum256(append(append(make([]byte, 0, len(s)+len(canonical)), s[:]...), canonical...))
	return gateway.Digest("sha256:" + hex.EncodeToString(sum[:]))
}

// framed puts each part behind its length, so that no two lists share bytes.
func framed(parts ...string) []byte {
	var out []byte
	for _, part := range parts {
		out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
		out = append(out, part...)
	}
	return out
}
