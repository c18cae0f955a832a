package gateway

import (
	"fmt"
	"io"
)

// Bearer is a token that somebody presented. However it is printed or encoded it
// shows as [token].
type Bearer struct{ value string }

// NewBearer hides a token.
func NewBearer(token string) Bearer { return Bearer{token} }

// Reveal returns the token. Call it where it is presented to who issued it, and
// nowhere else.
func (b Bearer) Reveal() string { return b.value }

// Format implements fmt.Formatter for every verb.
func (b Bearer) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hiddenToken) }

// MarshalText implements encoding.TextMarshaler, for JSON and others.
func (b Bearer) MarshalText() ([]byte, error) { return []byte(hiddenToken), nil }

const hiddenToken = "[token]"

// Behalf says for whom an upstream is called, where its credential is got in
// exchange for theirs. The zero value is the gateway itself.
type Behalf struct {
	Principal string // Principal.ID; "" = the gateway itself
	Token     Bearer // that it presented to the gateway, verified; the zero value = none that can be exchanged
}
