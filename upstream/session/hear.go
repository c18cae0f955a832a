package session

import (
	"context"
	"net/http"
	"time"

	"mcp-gateway/protocol"
	"mcp-gateway/upstream/post"
)

const (
	hearEvent = 1 << 20     // bytes of one event of the server's own stream
	steady    = time.Minute // a stream this long clears the count of breaks
)

// listen keeps the server's own stream open. A server that has none is left in
// peace; one whose stream breaks is asked again, later each time, and nothing
// else suffers from it.
func (s *Session) listen() {
	for broken := 1; s.ctx.Err() == nil; broken++ {
		began := time.Now()
		if !s.hear(s.ctx) {
			return
		}
		if time.Since(began) > steady {
			broken = 1
		}
		timer := time.NewTimer(s.opts.Backoff.After(broken))
		select {
		case <-s.ctx.Done():
		case <-timer.C:
			s.missed()
		}
		timer.Stop()
	}
}

// missed makes up for what was said while nobody listened.
func (s *Session) missed() {
	if s.opts.Rules.Note != nil {
		s.opts.Rules.Note(protocol.NotificationToolsChanged, nil)
	}
}

// hear reads one stream to its end and reports whether another is worth the
// try.
func (s *Session) hear(ctx context.Context) bool {
	resp, err := s.opts.Server.Bare(ctx, http.MethodGet, s.headers(), "")
	if err != nil {
		return true // the next exchange will tell whether it is down
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusNotFound && s.id != "" {
		s.lost.Store(true) // the next exchange makes a new one
		s.missed()
		return false
	}
	if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests {
		return true
	}
	stream, err := post.IsStream(resp)
	if err != nil || !stream || resp.StatusCode != http.StatusOK {
		return false // 405: it has none
	}
	_ = s.opts.Server.Hear(ctx, resp.Body, s.hub, hearEvent, s.courier.Take)
	return true
}
