package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mcp-gateway/auth/grant"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/classic"
	"mcp-gateway/upstream/wire"
)

const introductionRoom = 1 << 20 // of an answer to server/discover

// probe meets the upstream and settles the link's state by what came of it.
func (l *Link) probe() {
	m, err := l.meet()
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.probing)
	l.probing = nil
	switch {
	case l.ctx.Err() != nil && m != nil:
		l.work.Go(m.way.Close)
	case l.ctx.Err() != nil:
	case err != nil:
		l.failures++
		var e *gateway.Error
		errors.As(err, &e)
		l.fall(reasonFor(e), grant.Word(err), e.RetryAfter)
	default:
		l.up, l.down, l.retryAt, l.failures = m, "", time.Time{}, 0
		l.opts.Terms.Before = m.peer.Revision // from now on nothing less
		if l.opts.OnUp != nil {
			l.opts.OnUp(m.peer)
		}
	}
}

// meet finds out which era the server speaks: modern, else legacy over
// Streamable HTTP, else as it was before that (2025-03-26, transports,
// "Backwards Compatibility").
func (l *Link) meet() (*meeting, error) {
	peer, err := step(l, func(ctx context.Context) (wire.Peer, error) {
		return l.discover(ctx, protocol.Revision20260728, true)
	})
	switch {
	case err == nil:
		return &meeting{peer: peer, way: newModern(l, peer)}, nil
	case !errors.Is(err, errLegacy):
		return nil, err
	}
	if err := l.terms().Legacy(); err != nil {
		return nil, err
	}
	p, err := step(l, func(ctx context.Context) (*pool, error) { return newPool(ctx, l) })
	if err == nil {
		return &meeting{peer: p.slots[own].session.Peer(), way: p}, nil
	}
	if !isLegacyStatus(child.ReasonOf(err)) {
		return nil, err
	}
	return l.meetClassic()
}

// meetClassic connects to a server that refused to be initialised by POST.
func (l *Link) meetClassic() (*meeting, error) {
	var c *classic.Conn
	opened := make(chan struct{})
	defer close(opened)
	_, err := step(l, func(ctx context.Context) (_ any, err error) {
		c, err = classic.Open(ctx, classic.Options{
			Server: l.server, Terms: l.terms(), Version: l.opts.Version, Depth: l.opts.Depth, Rules: l.rules,
			OnEnd: func(err error) { <-opened; l.ended(c, err) },
		})
		return nil, err
	})
	switch reason := child.ReasonOf(err); {
	case err == nil:
		return &meeting{peer: c.Peer(), way: c}, nil
	case isLegacyStatus(reason), reason == wire.ReasonMediaType, reason == wire.ReasonHTML:
		return nil, gateway.Because(gateway.CodeUnavailable, err, wire.ReasonNoServer)
	default:
		return nil, err
	}
}

// step takes one step of a meeting within its time.
func step[T any](l *Link, take func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(l.ctx, l.opts.ProbeTimeout)
	defer cancel()
	return take(ctx)
}

func reasonFor(e *gateway.Error) gateway.Reason {
	if reason := child.ReasonOf(e); reason != "" {
		return reason
	}
	if e.Code == gateway.CodeTimeout {
		return wire.ReasonProbeTimeout
	}
	return wire.ReasonProbeError
}

// errLegacy says that a server is none of the modern era.
var errLegacy = errors.New("the server speaks an earlier era")

// discover asks server/discover with one revision (2026-07-28, versioning). A
// modern error means a modern server; only an answer that rules the modern era
// out means a legacy one; and 401, 403, 429 and 5xx mean neither.
func (l *Link) discover(ctx context.Context, revision string, again bool) (wire.Peer, error) {
	peer := wire.Peer{Era: wire.Modern, Revision: revision}
	out := &protocol.Outgoing{Method: protocol.MethodDiscover}
	in, err := newModern(l, peer).Exchange(ctx, out, introductionRoom)
	switch {
	case err != nil && isLegacyStatus(child.ReasonOf(err)):
		return wire.Peer{}, errLegacy
	case err != nil:
		return wire.Peer{}, err
	case in.Error == nil:
		return l.introduced(in.Result)
	case in.Error.Code == protocol.RPCUnsupportedVersion:
		rev := wire.Retry(in.Error)
		if rev == "" || !again {
			return wire.Peer{}, unsupported(in.Error)
		}
		return l.discover(ctx, rev, false)
	case wire.IsModernError(in.Error.Code):
		return peer, nil
	case in.Error.Code == protocol.RPCInternalError:
		return wire.Peer{}, gateway.Fail(gateway.CodeUnavailable, wire.ReasonProbeError)
	default:
		return wire.Peer{}, errLegacy
	}
}

// introduced acts on a result. One that names no revisions introduces nobody:
// some old servers answer so whatever they are asked.
func (l *Link) introduced(result []byte) (wire.Peer, error) {
	peer, err := wire.Discovered(result)
	if err != nil || peer.Era == wire.Legacy {
		return wire.Peer{}, errLegacy
	}
	return peer, l.terms().Revision(peer.Revision)
}

// unsupported is the error for a server that names revisions, none of which
// we share in the modern era.
func unsupported(e *protocol.RPCError) error {
	if protocol.HighestCommon(protocol.Revisions(), wire.Supported(e)) == "" {
		return gateway.Fail(gateway.CodeUnavailable, wire.ReasonRevision)
	}
	return errLegacy
}

// Again asks a server of the sessions' era anew what it is, in a session of its own that
// is ended at once; the zero Peer where it does not say, or can't be asked so.
func (l *Link) Again(ctx context.Context) wire.Peer {
	l.mu.Lock()
	m := l.up
	l.mu.Unlock()
	if m == nil {
		return wire.Peer{}
	}
	if _, ok := m.way.(*pool); !ok {
		return wire.Peer{}
	}
	s, err := l.initialise(ctx)
	if err != nil {
		return wire.Peer{}
	}
	defer s.Close()
	return s.Peer()
}

func (l *Link) terms() wire.Terms {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opts.Terms
}

// isLegacyStatus reports whether the status of a probe without a JSON-RPC error
// means a server that knows no server/discover.
func isLegacyStatus(reason gateway.Reason) bool {
	switch reason {
	case wire.HTTPStatus(http.StatusBadRequest), wire.HTTPStatus(http.StatusNotFound),
		wire.HTTPStatus(http.StatusMethodNotAllowed), wire.HTTPStatus(http.StatusNotAcceptable),
		wire.HTTPStatus(http.StatusUnsupportedMediaType):
		return true
	}
	return false
}
