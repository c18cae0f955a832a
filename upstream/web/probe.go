package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/wire"
)

const introductionRoom = 1 << 20 // of an answer to server/discover

// probe meets the upstream and settles the link's state by what came of it.
func (l *Link) probe() {
	defer l.work.Done()
	ctx, cancel := context.WithTimeout(l.ctx, l.opts.ProbeTimeout)
	defer cancel()
	peer, err := l.meet(ctx, protocol.Revision20260728, true)
	listening, end := context.WithCancel(l.ctx)

	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.probing)
	l.probing = nil
	if l.ctx.Err() != nil {
		end()
		return
	}
	if err != nil {
		end()
		l.failures++
		var e *gateway.Error
		errors.As(err, &e)
		l.fall(reasonFor(e), e.RetryAfter)
		return
	}
	m := &meeting{peer: peer, envelope: wire.NewEnvelope(peer.Revision, l.opts.Version), end: end}
	l.up, l.down, l.retryAt, l.failures = m, "", time.Time{}, 0
	l.opts.Terms.WasModern = true // from now on nothing less
	if peer.ListChanged {
		l.work.Add(1)
		go l.listen(listening, m)
	}
	if l.opts.OnUp != nil {
		l.opts.OnUp(peer)
	}
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

// meet asks server/discover with one revision (2026-07-28, versioning). A
// modern error means a modern server; only an answer that rules the modern era
// out means a legacy one; and 401, 403, 429 and 5xx mean neither.
func (l *Link) meet(ctx context.Context, revision string, again bool) (wire.Peer, error) {
	modern := wire.Peer{Era: wire.Modern, Revision: revision}
	out := &protocol.Outgoing{Method: protocol.MethodDiscover}
	in, err := l.exchange(ctx, wire.NewEnvelope(revision, l.opts.Version), revision, out, introductionRoom)
	var e *gateway.Error
	switch {
	case errors.As(err, &e) && isLegacyStatus(child.ReasonOf(e)):
		return wire.Peer{}, l.legacy()
	case err != nil:
		return wire.Peer{}, err
	case in.Error == nil:
		return l.introduced(in.Result)
	case in.Error.Code == protocol.RPCUnsupportedVersion:
		rev := wire.Retry(in.Error, revision)
		if rev == "" || !again {
			return wire.Peer{}, l.unsupported(in.Error)
		}
		return l.meet(ctx, rev, false)
	case wire.IsModernError(in.Error.Code):
		return modern, nil
	case in.Error.Code == protocol.RPCInternalError:
		return wire.Peer{}, gateway.Fail(gateway.CodeUnavailable, wire.ReasonProbeError)
	default:
		return wire.Peer{}, l.legacy()
	}
}

func (l *Link) introduced(result []byte) (wire.Peer, error) {
	peer, err := wire.Discovered(result)
	switch {
	case err != nil:
		return wire.Peer{}, err
	case peer.Era == wire.Legacy:
		return wire.Peer{}, l.legacy()
	case peer.Revision < l.terms().Minimum:
		return wire.Peer{}, gateway.Fail(gateway.CodeUnavailable, wire.ReasonMinimum)
	}
	return peer, nil
}

// unsupported is the error for a server that names revisions, none of which
// we share in the modern era.
func (l *Link) unsupported(e *protocol.RPCError) error {
	if protocol.HighestCommon(protocol.Revisions(), wire.Supported(e)) == "" {
		return gateway.Fail(gateway.CodeUnavailable, wire.ReasonRevision)
	}
	return l.legacy()
}

// legacy is the error for a server that speaks an earlier era only.
func (l *Link) legacy() error {
	if err := l.terms().Legacy(); err != nil {
		return err
	}
	return gateway.Fail(gateway.CodeUnavailable, wire.ReasonLegacyHTTP)
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
