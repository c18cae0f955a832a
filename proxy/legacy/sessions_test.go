package legacy

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/lifecycle"
)

// hands is a clock that a test moves.
type hands struct{ now time.Time }

func (h *hands) read() time.Time { return h.now }

func code(err error) gateway.Code {
	var e *gateway.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

func table(l Limits) (*sessions, *hands) {
	h := &hands{time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)}
	return newSessions(l, h.read), h
}

func add(t *testing.T, table *sessions, owner string) *session {
	t.Helper()
	s, err := table.add(owner, "", &lifecycle.Session{})
	if err != nil {
		t.Fatal(err)
	}
	table.leave(s)
	return s
}

func TestSessionsExpireWhenIdle(t *testing.T) {
	table, clock := table(Limits{Idle: time.Minute})
	s := add(t, table, "alice")
	clock.now = clock.now.Add(59 * time.Second)
	if _, err := table.enter(s.id, "alice", ""); err != nil {
		t.Fatalf("before its time: %v", err)
	}
	clock.now = clock.now.Add(time.Hour) // a request is open: that is not idle
	if _, err := table.enter(s.id, "alice", ""); err != nil {
		t.Fatalf("while busy: %v", err)
	}
	table.leave(s)
	table.leave(s)
	clock.now = clock.now.Add(time.Minute)
	if _, err := table.enter(s.id, "alice", ""); code(err) != gateway.CodeSessionUnknown {
		t.Fatalf("after its time: %v", err)
	}
	select {
	case <-s.ended:
	default:
		t.Error("an expired session has not ended")
	}
	if len(table.byID) != 0 || len(table.owned) != 0 {
		t.Errorf("left behind: %d sessions, %d owners", len(table.byID), len(table.owned))
	}
}

func TestSessionsAreLimited(t *testing.T) {
	table, clock := table(Limits{Idle: time.Minute, Sessions: 5, PerPrincipal: 2})
	first := add(t, table, "alice")
	add(t, table, "alice")
	_, err := table.add("alice", "", &lifecycle.Session{})
	if code(err) != gateway.CodeSessionLimit {
		t.Fatalf("a third of one principal: %v", err)
	}
	var e *gateway.Error
	if errors.As(err, &e); e.RetryAfter != time.Minute {
		t.Errorf("told to wait %v", e.RetryAfter)
	}
	table.end(first)
	table.end(first) // once is enough, twice no harm
	for i := range 4 {
		add(t, table, fmt.Sprint("other ", i))
	}
	if _, err := table.add("last", "", &lifecycle.Session{}); code(err) != gateway.CodeSessionLimit {
		t.Fatalf("a sixth in all: %v", err)
	}
	clock.now = clock.now.Add(time.Minute)
	add(t, table, "last") // those that expired make room
	if len(table.byID) != 1 {
		t.Errorf("%d sessions, want the last one", len(table.byID))
	}
}

func TestSessionsAreFoundByTheirOwnOnly(t *testing.T) {
	table, _ := table(Limits{})
	s := add(t, table, "alice")
	for name, try := range map[string][3]string{
		"another principal": {s.id, "bob", ""}, "another endpoint": {s.id, "alice", "peer"},
		"another id": {s.id + "x", "alice", ""}, "no id": {"", "alice", ""},
	} {
		if _, err := table.enter(try[0], try[1], try[2]); code(err) != gateway.CodeSessionUnknown {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestClosingEndsAll(t *testing.T) {
	table, _ := table(Limits{})
	s := add(t, table, "alice")
	cancelled := false
	if err := s.begin([]byte("1"), func() { cancelled = true }); err != nil {
		t.Fatal(err)
	}
	stream := s.subscribe()
	table.close()
	if _, err := table.add("alice", "", &lifecycle.Session{}); code(err) != gateway.CodeSessionLimit {
		t.Errorf("a session begins afterwards: %v", err)
	}
	if !cancelled {
		t.Error("a call goes on")
	}
	s.unsubscribe(stream)
	if s.announce([]byte("{}")) {
		t.Error("announced to nobody")
	}
}

func TestANewerStreamEndsTheOlder(t *testing.T) {
	table, _ := table(Limits{})
	s := add(t, table, "alice")
	older := s.subscribe()
	newer := s.subscribe()
	if _, more := <-older; more {
		t.Error("the older stream goes on")
	}
	s.unsubscribe(older) // late: it must not end the newer
	if !s.announce([]byte(`{"a":1}`)) || string(<-newer) != `{"a":1}` {
		t.Error("the newer stream hears nothing")
	}
	for range backlog {
		if !s.announce([]byte("{}")) {
			t.Fatal("dropped before the backlog was full")
		}
	}
	if s.announce([]byte("{}")) {
		t.Error("a stream that nobody reads is kept without bound")
	}
}
