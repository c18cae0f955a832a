package legacy

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/lifecycle"
)

// Limits bound what sessions may cost. Zero values mean the defaults.
type Limits struct {
	Idle         time.Duration // how long a session lives without requests or streams; default 30 minutes
	Sessions     int           // of all principals; default 10,000
	PerPrincipal int           // default 256
}

// The defaults of Limits.
const (
	DefaultIdle         = 30 * time.Minute
	DefaultSessions     = 10_000
	DefaultPerPrincipal = 256
)

func (l Limits) orDefaults() Limits {
	if l.Idle == 0 {
		l.Idle = DefaultIdle
	}
	if l.Sessions == 0 {
		l.Sessions = DefaultSessions
	}
	if l.PerPrincipal == 0 {
		l.PerPrincipal = DefaultPerPrincipal
	}
	return l
}

// sessions is the table of all sessions.
type sessions struct {
	limits Limits
	clock  func() time.Time
	mu     sync.Mutex // guards all below
	byID   map[string]*session
	owned  map[string]int // sessions by owner
	closed bool
}

func newSessions(l Limits, clock func() time.Time) *sessions {
	return &sessions{limits: l.orDefaults(), clock: clock, byID: make(map[string]*session), owned: make(map[string]int)}
}

// add begins a session, which is busy until its first leave.
func (t *sessions) add(owner, scope string, agreed *lifecycle.Session) (*session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.full(owner) {
		t.sweep()
	}
	if t.closed || t.full(owner) {
		e := gateway.Fail(gateway.CodeSessionLimit)
		e.RetryAfter = t.limits.Idle
		return nil, e
	}
	s := &session{
		id: rand.Text(), owner: owner, scope: scope, agreed: agreed,
		ended: make(chan struct{}), busy: 1, calls: make(map[string]context.CancelFunc),
	}
	t.byID[s.id] = s
	t.owned[owner]++
	return s, nil
}

func (t *sessions) full(owner string) bool {
	return len(t.byID) >= t.limits.Sessions || t.owned[owner] >= t.limits.PerPrincipal
}

// enter finds a session and makes it busy. One of another principal, of another
// endpoint, one that expired and one that never was are equally unknown.
func (t *sessions) enter(id, owner, scope string) (*session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || s.owner != owner || s.scope != scope {
		return nil, gateway.Fail(gateway.CodeSessionUnknown)
	}
	if t.expired(s) {
		t.remove(s)
		return nil, gateway.Fail(gateway.CodeSessionUnknown)
	}
	s.busy++
	return s, nil
}

// leave ends what enter or add began.
func (t *sessions) leave(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.busy--; s.busy == 0 {
		s.idle = t.clock()
	}
}

// end removes a session.
func (t *sessions) end(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(s)
}

func (t *sessions) expired(s *session) bool {
	return s.busy == 0 && t.clock().Sub(s.idle) >= t.limits.Idle
}

// remove takes a session out of the table and ends it, once. The lock is held.
func (t *sessions) remove(s *session) {
	if t.byID[s.id] != s {
		return
	}
	delete(t.byID, s.id)
	if t.owned[s.owner]--; t.owned[s.owner] == 0 {
		delete(t.owned, s.owner)
	}
	s.end()
}

// sweep removes what expired. The lock is held.
func (t *sessions) sweep() {
	for _, s := range t.byID {
		if t.expired(s) {
			t.remove(s)
		}
	}
}

// close ends all sessions; none can begin any more.
func (t *sessions) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, s := range t.byID {
		t.remove(s)
	}
}
