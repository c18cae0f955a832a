package session

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/post"
	"mcp-gateway/upstream/wire"
)

const (
	maxResumes    = 10 // of one answer
	resumeDefault = time.Second
	longestResume = 30 * time.Second
)

// Exchange sends one request and returns its answer, of at most limit bytes. An
// error with ReasonSession means that the server no longer knows the session:
// nothing was done, and Lost is true from then on.
func (s *Session) Exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	if s.peer.Declares("/logging") {
		s.volume.Raise(out.LogLevel, func(level string) { _, _ = s.roundTrip(ctx, wire.SetLevel(level), limit) })
	}
	return s.roundTrip(ctx, out, limit)
}

func (s *Session) roundTrip(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	var touched atomic.Bool
	x := s.hub.Open(ctx, out)
	defer s.hub.Close(x)
	resp, err := s.opts.Server.Post(ctx, s.headers(), wire.Envelope{}.Request(x.ID, out), &touched)
	if err != nil {
		sent := touched.Load()
		s.settle(ctx, x.ID, sent)
		return protocol.Incoming{Sent: sent}, post.Connection(ctx, err, sent)
	}
	r := &post.Reader{Server: s.opts.Server, Hub: s.hub, X: x, Limit: limit, Reply: s.courier.Take}
	in, err := r.Read(ctx, resp)
	_ = resp.Body.Close()
	if err != nil && s.id != "" && resp.StatusCode == http.StatusNotFound {
		s.lost.Store(true)
		return protocol.Incoming{}, gateway.Because(gateway.CodeUnavailable, err, wire.ReasonSession)
	}
	if err != nil && resp.StatusCode < 300 {
		in, err = s.resume(ctx, r, in, err)
	}
	s.settle(ctx, x.ID, true)
	return in, err
}

// settle withdraws a request that was sent if its caller is gone.
func (s *Session) settle(ctx context.Context, id int64, sent bool) {
	if !sent || ctx.Err() == nil || s.ctx.Err() != nil {
		return
	}
	s.courier.Take(wire.Cancelled(id))
}

// resume goes on with an answer whose stream ended early, if the server numbered
// its events: it may end a stream at will and expects to be asked for the rest
// (2025-11-25, transports, "Resumability and Redelivery"). The request is not
// repeated.
func (s *Session) resume(ctx context.Context, r *post.Reader, in protocol.Incoming, err error) (protocol.Incoming, error) {
	for range maxResumes {
		reason := child.ReasonOf(err)
		if r.LastID == "" || ctx.Err() != nil || reason != wire.ReasonNoAnswer && reason != wire.ReasonBroken {
			break
		}
		wait := resumeDefault
		if r.Retry > 0 {
			wait = min(r.Retry, longestResume)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return in, wire.Ended(ctx)
		}
		resp, failed := s.opts.Server.Bare(ctx, http.MethodGet, s.headers(), r.LastID)
		if failed != nil {
			return in, post.Connection(ctx, failed, true)
		}
		if stream, _ := post.IsStream(resp); !stream || resp.StatusCode >= 300 {
			_ = resp.Body.Close()
			return in, err
		}
		in, err = r.Read(ctx, resp)
		_ = resp.Body.Close()
	}
	return in, err
}
