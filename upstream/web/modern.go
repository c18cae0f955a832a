package web

import (
	"context"
	"sync/atomic"

	"mcp-gateway/protocol"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/post"
	"mcp-gateway/upstream/wire"
)

// modern is the way to a server of revision 2026-07-28 or later: each request is
// one POST, and its answer comes on that response and nowhere else, so that no
// answer can cross from one caller to another.
type modern struct {
	server   *post.Server
	envelope wire.Envelope
	revision string
	hub      *exchange.Hub
}

func newModern(l *Link, peer wire.Peer) *modern {
	return &modern{
		server: l.server, revision: peer.Revision, envelope: wire.NewEnvelope(peer.Revision, l.opts.Version), hub: l.hub,
	}
}

// Exchange implements way.
func (m *modern) Exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	var touched atomic.Bool
	x := m.hub.Open(ctx, out)
	defer m.hub.Close(x)
	resp, err := m.server.Post(ctx, m.server.Modern(m.revision, out), m.envelope.Request(x.ID, out), &touched)
	if err != nil {
		sent := touched.Load()
		return protocol.Incoming{Sent: sent}, post.Connection(ctx, err, sent)
	}
	defer func() { _ = resp.Body.Close() }()
	r := post.Reader{Server: m.server, Hub: m.hub, X: x, Limit: limit, Reply: func([]byte) {}}
	return r.Read(ctx, resp)
}

// Close implements way; there is nothing to keep.
func (m *modern) Close() {}
