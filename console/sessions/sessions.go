package sessions

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"sync"
	"time"

	"mcp-gateway/auth/staff"
)

// most is how many sessions may stand; the one that was left unused longest makes room.
const most = 1000

// Sessions are those that stand. It is safe for concurrent use.
type Sessions struct {
	idle, absolute time.Duration

	mu  sync.Mutex
	all map[[sha256.Size]byte]*session // by the digest of the token
}

type session struct {
	key         staff.Digest
	began, used time.Time
}

// New returns no sessions, with their limits.
func New(idle, absolute time.Duration) *Sessions {
	return &Sessions{idle: idle, absolute: absolute, all: map[[sha256.Size]byte]*session{}}
}

// Begin begins a session of whoever presented a key, and returns its token.
func (s *Sessions) Begin(key staff.Digest, now time.Time) string {
	var random [32]byte
	rand.Read(random[:]) // never fails: it crashes the process instead
	token := base64.RawURLEncoding.EncodeToString(random[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom(now)
	s.all[sha256.Sum256([]byte(token))] = &session{key: key, began: now, used: now}
	return token
}

// makeRoom drops what is over, and the oldest where that is not enough.
func (s *Sessions) makeRoom(now time.Time) {
	var oldest [sha256.Size]byte
	var since time.Time
	for id, one := range s.all {
		switch {
		case s.over(one, now):
			delete(s.all, id)
		case since.IsZero() || one.used.Before(since):
			oldest, since = id, one.used
		}
	}
	if len(s.all) >= most {
		delete(s.all, oldest)
	}
}

func (s *Sessions) over(one *session, now time.Time) bool {
	return now.Sub(one.used) >= s.idle || now.Sub(one.began) >= s.absolute
}

// Key returns by which key a session began, and counts as its use if somebody did
// something: a page that looks for news by itself keeps nobody signed in.
func (s *Sessions) Key(token string, now time.Time, use bool) (staff.Digest, bool) {
	id := sha256.Sum256([]byte(token))
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[id]
	if one == nil {
		return staff.Digest{}, false
	}
	if s.over(one, now) {
		delete(s.all, id)
		return staff.Digest{}, false
	}
	if use {
		one.used = now
	}
	return one.key, true
}

// End ends a session.
func (s *Sessions) End(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, sha256.Sum256([]byte(token)))
}
