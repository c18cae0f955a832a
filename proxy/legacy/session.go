package legacy

import (
	"context"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/ask"
	"mcp-gateway/proxy/lifecycle"
)

// session is what lasts between the requests of one legacy host.
type session struct {
	id     string
	owner  string // the principal's ID; nobody else finds the session
	scope  string // the endpoint on which it began; it is unknown on others
	agreed *lifecycle.Session
	asks   ask.Asks
	ended  chan struct{} // closed when the session ends
	memory proxy.Memory  // what its streams told last

	// Guarded by sessions.mu.
	busy int       // requests and streams that are open
	idle time.Time // since when busy is 0

	mu     sync.Mutex                    // guards all below
	calls  map[string]context.CancelFunc // calls under way, by the id's bytes
	listen chan []byte                   // of the GET stream; nil = none is open
}

// begin notes a call under way, so that it can be cancelled. An id is in use
// once at a time.
func (s *session) begin(id []byte, cancel context.CancelFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.calls[string(id)]; taken {
		return gateway.Fail(gateway.CodeMalformed, gateway.ReasonIDInUse)
	}
	s.calls[string(id)] = cancel
	return nil
}

func (s *session) finish(id []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, string(id))
}

// cancel ends the call of that id, if it is under way.
func (s *session) cancel(id []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, ok := s.calls[string(id)]; ok {
		cancel()
	}
}

// end cancels all calls, and what was asked of the host. The table calls it once.
func (s *session) end() {
	close(s.ended)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.calls {
		cancel()
	}
}

// backlog is how many announcements a slow GET stream may lag behind before one
// is dropped.
const backlog = 64

// subscribe opens the session's GET stream. A host has one: a newer one, such as
// that of a host that reconnects, ends the older, whose channel is closed.
func (s *session) subscribe() <-chan []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listen != nil {
		close(s.listen)
	}
	s.listen = make(chan []byte, backlog)
	return s.listen
}

func (s *session) unsubscribe(c <-chan []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listen == c {
		s.listen = nil
	}
}

// announce puts a message on the GET stream; false if there is none or it is full.
func (s *session) announce(message []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listen == nil {
		return false
	}
	select {
	case s.listen <- message:
		return true
	default:
		return false
	}
}
