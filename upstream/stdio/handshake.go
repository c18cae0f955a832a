package stdio

import (
	"context"
	"fmt"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/wire"
)

// meet finds out which era the process speaks (2026-07-28, versioning: probe
// with server/discover; any error or silence means initialize).
func (s *session) meet(ctx context.Context) (wire.Peer, error) {
	l := s.link
	if l.skipProbe && !l.opts.Terms.OnlyModern() {
		peer, err := s.initialise(ctx, nil)
		l.skipProbe = err == nil // a failure may have had another cause: probe again
		return peer, err
	}
	return s.discover(ctx, protocol.Revision20260728, true)
}

// discover probes with one revision. again allows one more try with another.
func (s *session) discover(ctx context.Context, revision string, again bool) (wire.Peer, error) {
	l := s.link
	s.envelope = wire.NewEnvelope(revision, l.opts.Version)
	out := &protocol.Outgoing{Method: protocol.MethodDiscover}
	probe, err := s.send(ctx, out, func(id int64) []byte { return s.envelope.Request(id, out) })
	if err != nil {
		return wire.Peer{}, err
	}
	defer s.line.Close(probe.Exchange)
	patience := l.opts.ProbeTimeout
	if l.slowProbe || l.opts.Terms.OnlyModern() {
		patience = l.opts.StartTimeout
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case r := <-probe.Reply():
		return s.introduced(ctx, r, revision, again)
	case <-timer.C:
		if l.opts.Terms.OnlyModern() {
			return wire.Peer{}, gateway.Fail(gateway.CodeUnavailable, wire.ReasonSilent)
		}
		peer, err := s.initialise(ctx, &probe)
		l.skipProbe = err == nil
		return peer, err
	case <-ctx.Done():
		return wire.Peer{}, ctx.Err()
	}
}

// introduced acts on what became of a probe.
func (s *session) introduced(ctx context.Context, r exchange.Reply, revision string, again bool) (wire.Peer, error) {
	terms := s.link.opts.Terms
	if r.Err != nil {
		return wire.Peer{}, s.endedOnProbe(r.Err)
	}
	in, err := wire.Settle(r.Message, s.link.opts.Child.LineLimit)
	if err != nil {
		return wire.Peer{}, err
	}
	if in.Error != nil {
		if in.Error.Code == protocol.RPCUnsupportedVersion && again {
			if rev := wire.Retry(in.Error); rev != "" {
				return s.discover(ctx, rev, false)
			}
		}
		if terms.OnlyModern() && in.Error.Code == protocol.RPCInternalError {
			return wire.Peer{}, gateway.Fail(gateway.CodeUnavailable, wire.ReasonProbeError)
		}
		return s.initialise(ctx, nil)
	}
	peer, err := wire.Discovered(in.Result)
	if err != nil || peer.Era == wire.Legacy {
		return s.initialise(ctx, nil)
	}
	if err := terms.Revision(peer.Revision); err != nil {
		return wire.Peer{}, err
	}
	s.envelope = wire.NewEnvelope(peer.Revision, s.link.opts.Version)
	return peer, nil
}

// endedOnProbe is the error for a process that ended when it was probed: some
// old servers do, and get a fresh process that is initialised straight away.
func (s *session) endedOnProbe(why *gateway.Error) error {
	if child.ReasonOf(why) != child.ReasonExited || s.link.opts.Terms.OnlyModern() {
		return why
	}
	s.link.skipProbe = true
	return fmt.Errorf("%w: %w", child.ErrAgain, why)
}

// initialise performs the legacy handshake. late is a probe that may still be
// answered: a server that was only slow to start and is modern is met anew,
// with more patience, for it may have taken our initialize to heart.
func (s *session) initialise(ctx context.Context, late *ticket) (wire.Peer, error) {
	l := s.link
	if err := l.opts.Terms.Legacy(); err != nil {
		return wire.Peer{}, err
	}
	s.envelope = wire.Envelope{}
	first, err := s.send(ctx, &protocol.Outgoing{Method: protocol.MethodInitialize}, func(id int64) []byte {
		return wire.Initialize(id, protocol.Revision20251125, l.opts.Version, l.opts.Relay)
	})
	if err != nil {
		return wire.Peer{}, err
	}
	defer s.line.Close(first.Exchange)
	var probe <-chan exchange.Reply
	if late != nil {
		probe = late.Reply()
	}
	timer := time.NewTimer(l.opts.StartTimeout)
	defer timer.Stop()
	for {
		select {
		case r := <-probe:
			probe = nil
			if r.Err == nil && isModern(r.Message) {
				l.slowProbe = true
				return wire.Peer{}, fmt.Errorf("%w: slow to answer server/discover", child.ErrAgain)
			}
		case r := <-first.Reply():
			return s.initialised(r)
		case <-timer.C:
			return wire.Peer{}, gateway.Fail(gateway.CodeUnavailable, wire.ReasonSilent)
		case <-ctx.Done():
			return wire.Peer{}, ctx.Err()
		}
	}
}

// initialised acts on what became of initialize.
func (s *session) initialised(r exchange.Reply) (wire.Peer, error) {
	if r.Err != nil {
		return wire.Peer{}, r.Err
	}
	in, err := wire.Settle(r.Message, s.link.opts.Child.LineLimit)
	if err != nil {
		return wire.Peer{}, err
	}
	if in.Error != nil {
		return wire.Peer{}, gateway.Because(gateway.CodeUnavailable,
			fmt.Errorf("initialize answered with error %d", in.Error.Code), wire.ReasonProbeError)
	}
	peer, err := wire.Initialised(in.Result, s.link.opts.Terms)
	if err != nil {
		return wire.Peer{}, err
	}
	_, err = s.proc.Send(wire.Initialized())
	return peer, err
}

func isModern(m protocol.Message) bool {
	peer, err := wire.Discovered(m.Result)
	return err == nil && peer.Era == wire.Modern
}
