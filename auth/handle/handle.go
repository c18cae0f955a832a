package handle

import (
	"context"
	"encoding/hex"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

// Bound is one handle in one principal's hands.
type Bound struct {
	Key    string // of the handle
	Holder string // Key of the principal
	Until  time.Time
}

// Store keeps whose handles are. It is shared by all processes of a gateway.
type Store interface {
	// Bind keeps handles, each until its time; one that its holder has already is
	// kept for longer. What is long over is swept.
	Bind(ctx context.Context, now time.Time, bound []Bound) error
	// Holders returns who holds, or held, any of the handles.
	Holders(ctx context.Context, keys []string) ([]Bound, error)
}

// Linger is how long a handle is known after its time, so that it is refused and not
// taken for a text that nobody was given.
const Linger = 24 * time.Hour

// Key is what a handle of an upstream, or a principal, is kept as.
func Key(keys *keyring.Ring, whose, value string) string {
	text := append(append([]byte(whose), 0), value...)
	sum := keys.MAC(keyring.Handle, text)
	return hex.EncodeToString(sum[:16])
}

// Judge says why a handle may not be used by its sender, "" if it may: held is all
// that is known of it. must says that it is an argument that takes nothing but
// handles.
func Judge(held []Bound, holder string, now time.Time, must bool) gateway.Reason {
	reason := gateway.Reason("")
	if must || len(held) > 0 {
		reason = gateway.ReasonHandleUnknown
	}
	for _, b := range held {
		switch {
		case b.Holder != holder:
			if reason == gateway.ReasonHandleUnknown {
				reason = gateway.ReasonHandleForeign
			}
		case now.Before(b.Until):
			return ""
		default:
			reason = gateway.ReasonHandleExpired
		}
	}
	return reason
}
