package detail

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

// ErrNone says that nothing is kept of an action: it was never, or its time is over.
var ErrNone = errors.New("detail: nothing is kept of that action")

// Reasons are the words that may stand for why somebody looked: the record has no room
// for a text.
func Reasons() []gateway.Reason {
	return []gateway.Reason{"dispute", "incident", Replayed, "review", "subject_request"}
}

// Replayed is the reason of a policy that is tried on past calls.
const Replayed gateway.Reason = "replay"

// Kept is what is kept of one call.
type Kept struct {
	Action  audit.ID
	Expires time.Time // to the second; from then on it is not given out, and soon gone
	Sealed  string
}

// Store keeps them. What is there of an action stays as it was first.
type Store interface {
	Keep(ctx context.Context, all []Kept) error
	// Get returns what is kept of an action, ErrNone if that is nothing.
	Get(ctx context.Context, action audit.ID) (Kept, error)
	// Sweep deletes, beyond recovery from the file, what has expired.
	Sweep(ctx context.Context, now time.Time) (int64, error)
}

// Ring encrypts; *keyring.Ring is one.
type Ring interface {
	Seal(p keyring.Purpose, plaintext, aad []byte) string
	Open(p keyring.Purpose, token string, aad []byte) ([]byte, error)
}

// Seal encrypts arguments under the key for details (AES-256-GCM). Action and expiry
// are authenticated with them: what is kept can't be passed off as another call's,
// and can't be made to last.
func Seal(r Ring, action audit.ID, expires time.Time, arguments []byte) Kept {
	expires = expires.Truncate(time.Second)
	return Kept{action, expires, r.Seal(keyring.Detail, arguments, bound(action, expires))}
}

// Open returns the arguments, ErrNone once they have expired.
func Open(r Ring, k Kept, now time.Time) ([]byte, error) {
	if !now.Before(k.Expires) {
		return nil, ErrNone
	}
	return r.Open(keyring.Detail, k.Sealed, bound(k.Action, k.Expires))
}

func bound(action audit.ID, expires time.Time) []byte {
	aad := append([]byte("detail\x00"), action[:]...)
	return binary.BigEndian.AppendUint64(aad, uint64(expires.Unix()))
}
