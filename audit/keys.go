package audit

import (
	"encoding/hex"

	lru "github.com/hashicorp/golang-lru/v2"

	"mcp-gateway/audit/shape"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

// cachedPrincipals bounds the cache of pseudonyms: one is wanted for every call,
// and callers are far fewer than calls.
const cachedPrincipals = 4096

// Ring is what Keys needs of a keyring; *keyring.Ring is one.
type Ring interface {
	MAC(p keyring.Purpose, parts ...[]byte) [32]byte
	KeyID(p keyring.Purpose) string
	KeyIDs(p keyring.Purpose) []string
	MACBy(p keyring.Purpose, keyID string, parts ...[]byte) ([32]byte, error)
}

// Keys makes the keyed digests that stand in events instead of values. Each is
// bound to the kind of value that it is of, so that equal values in different
// places give different digests. Keys is safe for concurrent use.
type Keys struct {
	ring       Ring
	principals *lru.Cache[string, Keyed]
}

// NewKeys returns Keys that use the ring's audit key.
func NewKeys(ring Ring) *Keys {
	cache, err := lru.New[string, Keyed](cachedPrincipals)
	if err != nil {
		panic(err) // only a size that is not positive is refused
	}
	return &Keys{ring: ring, principals: cache}
}

// Principal returns the pseudonym of the identity that gateway.Principal.ID
// gives. It stays the same as long as the key does.
func (k *Keys) Principal(id string) Keyed {
	if p, ok := k.principals.Get(id); ok {
		return p
	}
	p := k.keyed(16, "principal", []byte(id))
	k.principals.Add(id, p)
	return p
}

// Pseudonyms returns those of an identity by every key that there is, the oldest first:
// events before a rotation have another than those after it.
func (k *Keys) Pseudonyms(id string) []Keyed {
	var all []Keyed
	for _, key := range k.ring.KeyIDs(keyring.Audit) {
		if sum, err := k.ring.MACBy(keyring.Audit, key, []byte("principal"), []byte(id)); err == nil { // it is there
			all = append(all, written(key, sum[:16]))
		}
	}
	return all
}

// Args returns the digest of a call's canonical arguments. It is bound to the
// principal and the tool: who may ask whether a value was used can't guess what
// others sent.
func (k *Keys) Args(principal string, tool gateway.ItemID, canonical []byte) Keyed {
	return k.keyed(16, "args", []byte(principal), []byte(tool.Upstream), []byte(tool.Name), canonical)
}

// Name returns the digest of a tool name that is not known to us.
func (k *Keys) Name(principal, name string) Keyed {
	return k.keyed(16, "name", []byte(principal), []byte(name))
}

// Source returns the digest of where an unauthenticated request came from.
func (k *Keys) Source(addr string) Keyed { return k.keyed(16, "source", []byte(addr)) }

// Request returns the reference to a JSON-RPC id, given as the lexeme that came:
// integers as they are, strings only as a digest, since a host may put anything
// there. No id, of a notification, gives no reference.
func (k *Keys) Request(principal string, id []byte) RequestRef {
	switch {
	case len(id) == 0:
		return ""
	case shape.Integer(string(id)):
		return RequestRef(id)
	default:
		return RequestRef(k.keyed(16, "request", []byte(principal), id))
	}
}

// keyed returns "<key id>:<hex of the first size bytes of the MAC>".
func (k *Keys) keyed(size int, kind string, parts ...[]byte) Keyed {
	sum := k.ring.MAC(keyring.Audit, append([][]byte{[]byte(kind)}, parts...)...)
	return written(k.ring.KeyID(keyring.Audit), sum[:size])
}

func written(key string, sum []byte) Keyed { return Keyed(key + ":" + hex.EncodeToString(sum)) }
