package session

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/credential"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/post"
	"mcp-gateway/upstream/wire"
)

const (
	introductionRoom = 1 << 20 // of an answer to initialize
	maxSessionID     = 1024
)

// Options say which server to speak to and how.
type Options struct {
	Server  *post.Server
	Terms   wire.Terms
	Version string // of the gateway, for clientInfo
	Rules   exchange.Rules
	Backoff child.Backoff  // of the server's own stream
	Behalf  gateway.Behalf // for whom the session is; zero = the gateway itself
}

// Session is one session with a server. Close it.
type Session struct {
	opts   Options
	id     string // "" if the server keeps none
	peer   wire.Peer
	hub    *exchange.Hub
	volume exchange.Volume

	lost    atomic.Bool     // the server said that it no longer knows the session
	courier *post.Courier   // takes answers to what the server asked
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	work    sync.WaitGroup
}

// Open initialises a session. That the server speaks no Streamable HTTP shows as
// the reason of a status: see post.Status.
func Open(ctx context.Context, opts Options) (*Session, error) {
	s := &Session{opts: opts, hub: exchange.NewHub(opts.Rules), courier: post.NewCourier()}
	s.ctx, s.cancel = context.WithCancel(credential.For(context.Background(), opts.Behalf))
	if err := s.initialise(ctx); err != nil {
		s.Close()
		return nil, err
	}
	s.work.Go(func() { s.courier.Run(s.ctx, s.tell) })
	if s.peer.Announces() || len(opts.Rules.Relay) > 0 {
		s.work.Go(s.listen)
	}
	return s, nil
}

// initialise performs the handshake.
func (s *Session) initialise(ctx context.Context) error {
	x := s.hub.Open(ctx, &protocol.Outgoing{Method: protocol.MethodInitialize})
	defer s.hub.Close(x)
	line := wire.Initialize(x.ID, protocol.Revision20251125, s.opts.Version, s.opts.Rules.Relay)
	resp, err := s.opts.Server.Post(ctx, s.opts.Server.Legacy("", ""), line, nil)
	if err != nil {
		return post.Connection(ctx, err, false)
	}
	defer func() { _ = resp.Body.Close() }()
	r := post.Reader{Server: s.opts.Server, Hub: s.hub, X: x, Limit: introductionRoom, Reply: s.courier.Take}
	in, err := r.Read(ctx, resp)
	if id := resp.Header.Get(protocol.HeaderSession); isSessionID(id) {
		s.id = id
	}
	switch {
	case err != nil:
		return err
	case in.Error != nil:
		return gateway.Because(gateway.CodeUnavailable,
			fmt.Errorf("initialize answered with error %d", in.Error.Code), wire.ReasonProbeError)
	}
	if s.peer, err = wire.Initialised(in.Result, s.opts.Terms); err != nil {
		return err
	}
	status, err := s.tell(ctx, wire.Initialized())
	switch {
	case err != nil:
		return post.Connection(ctx, err, false)
	case status >= 300:
		return gateway.Fail(gateway.CodeUnavailable, wire.HTTPStatus(status))
	}
	return nil
}

// isSessionID reports whether a header value may be one: visible ASCII.
func isSessionID(id string) bool {
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return id != "" && len(id) <= maxSessionID
}

// Peer returns what the server said of itself.
func (s *Session) Peer() wire.Peer { return s.peer }

// Lost reports whether the server no longer knows the session.
func (s *Session) Lost() bool { return s.lost.Load() }

func (s *Session) headers() http.Header { return s.opts.Server.Legacy(s.peer.Revision, s.id) }

func (s *Session) tell(ctx context.Context, line []byte) (status int, err error) {
	return s.opts.Server.Tell(ctx, s.headers(), line)
}

// Close ends the session, at the server too if it can be told, and returns when
// nothing of it runs any more. Exchanges under way end with their own contexts.
func (s *Session) Close() {
	s.cancel()
	s.work.Wait()
	if s.id == "" || s.Lost() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), post.Courtesy)
	defer cancel()
	if resp, err := s.opts.Server.Bare(ctx, http.MethodDelete, s.headers(), ""); err == nil {
		_ = resp.Body.Close()
	}
}
