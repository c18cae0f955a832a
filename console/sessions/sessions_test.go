package sessions_test

import (
	"testing"
	"time"

	"mcp-gateway/auth/staff"
	"mcp-gateway/console/sessions"
)

func TestASessionEnds(t *testing.T) {
	key := staff.DigestOf("carol's")
	began := time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return began.Add(d) }
	for _, tc := range []struct {
		name  string
		do    func(s *sessions.Sessions, token string)
		when  time.Duration
		stays bool
	}{
		{"at once", func(*sessions.Sessions, string) {}, 0, true},
		{"just not left unused too long", func(*sessions.Sessions, string) {}, 30*time.Minute - 1, true},
		{"left unused", func(*sessions.Sessions, string) {}, 30 * time.Minute, false},
		{"used in between", func(s *sessions.Sessions, token string) { s.Key(token, at(20*time.Minute), true) }, 45 * time.Minute, true},
		{"asked by its page alone", func(s *sessions.Sessions, token string) { s.Key(token, at(20*time.Minute), false) }, 45 * time.Minute, false},
		{"used all day", func(s *sessions.Sessions, token string) {
			for m := range 50 {
				s.Key(token, at(time.Duration(m)*10*time.Minute), true)
			}
		}, 8 * time.Hour, false},
		{"ended", func(s *sessions.Sessions, token string) { s.End(token) }, time.Minute, false},
		{"another one ended", func(s *sessions.Sessions, token string) { s.End(token + "x") }, time.Minute, true},
	} {
		s := sessions.New(30*time.Minute, 8*time.Hour)
		token := s.Begin(key, began)
		tc.do(s, token)
		if got, ok := s.Key(token, at(tc.when), true); ok != tc.stays || ok && got != key {
			t.Errorf("%s: stands %v, want %v", tc.name, ok, tc.stays)
		}
	}
	s := sessions.New(time.Hour, time.Hour)
	if _, ok := s.Key("", began, true); ok {
		t.Error("no token is one")
	}
	if a, b := s.Begin(key, began), s.Begin(key, began); a == b || len(a) != 43 {
		t.Errorf("tokens %q and %q", a, b)
	}
}

// However many sign in, so many stand: the one that was left unused longest gives way.
func TestRoomIsBounded(t *testing.T) {
	s := sessions.New(time.Hour, time.Hour)
	now := time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC)
	first, second := s.Begin(staff.DigestOf("a"), now), s.Begin(staff.DigestOf("b"), now.Add(time.Second))
	for n := range 999 {
		s.Begin(staff.DigestOf("c"), now.Add(time.Minute+time.Duration(n)))
	}
	if _, ok := s.Key(first, now.Add(2*time.Minute), true); ok {
		t.Error("the oldest stands")
	}
	if _, ok := s.Key(second, now.Add(2*time.Minute), true); !ok {
		t.Error("more than the oldest gave way")
	}
}
