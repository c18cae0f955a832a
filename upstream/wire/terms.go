package wire

import (
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Terms say which peers are acceptable.
type Terms struct {
	Minimum    string // oldest acceptable revision; "" = any known
	Before     string // the revision that it was met with before; "" = never met
	Downgrades bool   // it may be met with an older one all the same
}

// OnlyModern reports whether a legacy peer would be refused in any case.
func (t Terms) OnlyModern() bool { return t.Legacy() != nil }

// Legacy returns why every legacy peer is refused, or nil.
func (t Terms) Legacy() error {
	switch {
	case protocol.IsModern(t.Before) && !t.Downgrades:
		return gateway.Fail(gateway.CodeUnavailable, ReasonDowngrade)
	case protocol.IsModern(t.Minimum):
		return gateway.Fail(gateway.CodeUnavailable, ReasonMinimum)
	}
	return nil
}

// Revision returns why a peer of that revision is refused, or nil.
func (t Terms) Revision(revision string) error {
	switch {
	case revision < t.Before && !t.Downgrades:
		return gateway.Fail(gateway.CodeUnavailable, ReasonDowngrade)
	case revision < t.Minimum:
		return gateway.Fail(gateway.CodeUnavailable, ReasonMinimum)
	}
	return nil
}
