package listed

import (
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry/identity"
)

// List is what is known of an upstream's last list.
type List struct {
	Upstream     string
	Era          string
	Revision     string
	Instructions []byte
	Capabilities []byte
	Facts        []byte         // what it is: the object that Identity is the digest of; nil where that is not known
	Identity     gateway.Digest // "" likewise
	TTL          time.Duration
	Items        int       // listed, served or not
	At           time.Time // when the last list came
	Whole        time.Time // when the last whole one came; zero = never
}

// Measure notes what the upstream is that gave the list; nil changes nothing.
func (l *List) Measure(f *identity.Facts) {
	if f != nil {
		l.Facts = f.Object()
		l.Identity = protocol.DigestOf(l.Facts)
	}
}
