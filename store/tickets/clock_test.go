package tickets_test

import (
	"errors"
	"testing"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/receipt"
	"mcp-gateway/store"
)

// place is a state directory that several may open.
type place struct {
	t   *testing.T
	dir string
}

func (p *place) open() *store.Store {
	p.t.Helper()
	s, err := store.Open(p.t.Context(), p.dir+"/"+store.Name)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = s.Close() })
	return s
}

// Whoever finds that a ticket's time is over, and however: set the clock back as you will,
// and start anew, it is over.
func TestSetBack(t *testing.T) {
	end := noon.Add(15 * time.Minute)
	for name, look := range map[string]func(s *store.Store, id string){
		"nobody": nil,
		"who reads it": func(s *store.Store, id string) {
			if k, err := s.Ticket(t.Context(), id, end); err != nil || k.State != approval.Expired {
				t.Errorf("%+v %v", k, err)
			}
		},
		"who answers": func(s *store.Store, id string) {
			if err := s.Decide(t.Context(), id, verdict(approval.Cancelled, end)); !errors.Is(err, approval.ErrState) {
				t.Error(err)
			}
		},
		"who uses it": func(s *store.Store, id string) {
			if err := s.Consume(t.Context(), id, "a", end); !errors.Is(err, approval.ErrState) {
				t.Error(err)
			}
		},
		"a call with a side effect": func(s *store.Store, id string) {
			if _, err := s.Begin(t.Context(), &receipt.Entry{Action: "a", Attempt: 1, Approval: id, Began: end}); !errors.Is(err, receipt.ErrTicket) {
				t.Error(err)
			}
		},
		"who asks something else": func(s *store.Store, _ string) {
			other := ticket(end)
			other.Binding.Arguments = "b"
			if _, err := s.Ask(t.Context(), other, 16); err != nil {
				t.Error(err)
			}
		},
		"who sweeps": func(s *store.Store, _ string) {
			if err := s.Expire(t.Context(), end); err != nil {
				t.Error(err)
			}
		},
	} {
		p := &place{t, t.TempDir()}
		s, k := p.open(), ticket(noon)
		if _, err := s.Ask(t.Context(), k, 16); err != nil {
			t.Fatal(err)
		}
		if err := s.Decide(t.Context(), k.ID, verdict(approval.Approved, noon)); err != nil {
			t.Fatal(err)
		}
		want := error(nil)
		if look != nil {
			look(s, k.ID)
			want = approval.ErrState
		}
		_ = s.Close()
		if err := p.open().Consume(t.Context(), k.ID, "b", noon.Add(time.Minute)); !errors.Is(err, want) {
			t.Errorf("%s found it over, and it is used: %v", name, err)
		}
	}
}

// What another process saw counts for one that saw nothing.
func TestAnothersTimeCounts(t *testing.T) {
	p := &place{t, t.TempDir()}
	here, there, k := p.open(), p.open(), ticket(noon)
	if _, err := here.Ask(t.Context(), k, 16); err != nil {
		t.Fatal(err)
	}
	other := ticket(noon.Add(20 * time.Minute))
	other.Binding.Subject = "bob"
	if _, err := there.Ask(t.Context(), other, 16); err != nil {
		t.Fatal(err)
	}
	if got, err := here.Ticket(t.Context(), k.ID, noon); err != nil || got.State != approval.Expired {
		t.Errorf("%+v %v", got, err)
	}
	if over, err := here.Unnoted(t.Context(), noon); err != nil || len(over) != 1 || over[0].ID != k.ID {
		t.Errorf("%+v %v", over, err)
	}
}

// A clock that was wrong for a moment does not spoil what is asked after it.
func TestOnceFarAhead(t *testing.T) {
	s := open(t)
	if _, err := s.Ask(t.Context(), ticket(noon.AddDate(1, 0, 0)), 16); err != nil {
		t.Fatal(err)
	}
	for i, tc := range []struct {
		after time.Duration
		want  error
	}{{14 * time.Minute, nil}, {15 * time.Minute, approval.ErrState}} {
		k := ticket(noon)
		k.Binding.Arguments += "x"
		if _, err := s.Ask(t.Context(), k, 16); err != nil {
			t.Fatal(err)
		}
		if err := s.Decide(t.Context(), k.ID, verdict(approval.Approved, noon)); err != nil {
			t.Fatal(err)
		}
		if err := s.Consume(t.Context(), k.ID, "a", noon.Add(tc.after)); !errors.Is(err, tc.want) {
			t.Errorf("%d, after %s: %v", i, tc.after, err)
		}
	}
}

// A consent whose time is over stays so too.
func TestAConsentIsOver(t *testing.T) {
	s, k := open(t), ticket(noon)
	if _, err := s.Ask(t.Context(), k, 16); err != nil {
		t.Fatal(err)
	}
	yes := verdict(approval.Approved, noon)
	yes.Remember = time.Hour
	if err := s.Decide(t.Context(), k.ID, yes); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		after  time.Duration
		stands bool
	}{{time.Hour - 1, true}, {time.Hour, false}, {time.Minute, false}} {
		c, err := s.Recall(t.Context(), &k.Binding, noon.Add(tc.after))
		if err != nil || (c != nil) != tc.stands {
			t.Errorf("after %s: %+v %v", tc.after, c, err)
		}
	}
}
