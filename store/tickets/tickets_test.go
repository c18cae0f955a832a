package tickets_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/audit"
	"mcp-gateway/store"
)

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir()+"/"+store.Name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ticket(at time.Time) *approval.Ticket {
	return &approval.Ticket{
		ID: audit.NewID(at).String(), State: approval.Pending, Shown: "sealed", Created: at, Expires: at.Add(15 * time.Minute),
		Binding: approval.Binding{Issuer: "i", Subject: "alice", Tenant: "t", Client: "c", Upstream: "u", Tool: "tool:x", Definition: "d", Arguments: "a"},
	}
}

func verdict(to approval.State, at time.Time) approval.Verdict {
	return approval.Verdict{State: to, Approver: "carol", Groups: []string{"a", "b"}, Via: "cli", Reason: "why", At: at}
}

// Each state is left at most once, and only to where it leads.
func TestTransitions(t *testing.T) {
	after := noon.Add(time.Minute)
	moves := map[string]func(s *store.Store, id string) error{
		"approve": func(s *store.Store, id string) error {
			return s.Decide(t.Context(), id, verdict(approval.Approved, after))
		},
		"deny": func(s *store.Store, id string) error {
			return s.Decide(t.Context(), id, verdict(approval.Denied, after))
		},
		"revoke": func(s *store.Store, id string) error {
			return s.Decide(t.Context(), id, verdict(approval.Cancelled, after))
		},
		"consume": func(s *store.Store, id string) error { return s.Consume(t.Context(), id, "action", after) },
		"expire": func(s *store.Store, _ string) error {
			if err := s.Expire(t.Context(), noon.Add(time.Hour)); err != nil {
				return err
			}
			over, err := s.Unnoted(t.Context(), noon)
			if err == nil && (len(over) != 1 || over[0].State != approval.Expired) {
				return approval.ErrState
			}
			return errors.Join(err, s.Noted(t.Context(), &over[0]))
		},
	}
	for state, leads := range map[approval.State]map[string]approval.State{
		approval.Pending:   {"approve": approval.Approved, "deny": approval.Denied, "revoke": approval.Cancelled, "expire": approval.Expired},
		approval.Approved:  {"revoke": approval.Cancelled, "consume": approval.Consumed, "expire": approval.Expired},
		approval.Denied:    {},
		approval.Cancelled: {},
		approval.Consumed:  {},
		approval.Expired:   {},
	} {
		for move, do := range moves {
			s := open(t)
			k := ticket(noon)
			if _, err := s.Ask(t.Context(), k, 16); err != nil {
				t.Fatal(err)
			}
			var err error
			switch state {
			case approval.Approved:
				err = moves["approve"](s, k.ID)
			case approval.Denied:
				err = moves["deny"](s, k.ID)
			case approval.Cancelled:
				err = moves["revoke"](s, k.ID)
			case approval.Expired:
				err = moves["expire"](s, k.ID)
			case approval.Consumed:
				err = errors.Join(moves["approve"](s, k.ID), moves["consume"](s, k.ID))
			}
			if err != nil {
				t.Fatalf("%s: %v", state, err)
			}
			want, ok := leads[move]
			if !ok {
				want = state
			}
			err = do(s, k.ID)
			got, readErr := s.Ticket(t.Context(), k.ID, noon)
			if readErr != nil || got.State != want || ok && err != nil || !ok && !errors.Is(err, approval.ErrState) {
				t.Errorf("%s, %s: %v, now %s, want %s", state, move, err, got.State, want)
			}
			if open := want == approval.Pending || want == approval.Approved; (got.Shown != "") != open {
				t.Errorf("%s, %s: what was shown is kept: %q", state, move, got.Shown)
			}
		}
	}
}

func TestWhatIsOverCantBeDecided(t *testing.T) {
	s, k := open(t), ticket(noon)
	if _, err := s.Ask(t.Context(), k, 16); err != nil {
		t.Fatal(err)
	}
	if err := s.Decide(t.Context(), k.ID, verdict(approval.Approved, k.Expires)); !errors.Is(err, approval.ErrState) {
		t.Errorf("%v", err)
	}
}

// However many use a ticket at once, one does.
func TestOneUsesIt(t *testing.T) {
	s, k := open(t), ticket(noon)
	if _, err := s.Ask(t.Context(), k, 16); err != nil {
		t.Fatal(err)
	}
	if err := s.Decide(t.Context(), k.ID, verdict(approval.Approved, noon)); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	used := 0
	for n := range 20 {
		wait.Go(func() {
			err := s.Consume(t.Context(), k.ID, fmt.Sprint(n), noon.Add(time.Second))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				used++
			} else if !errors.Is(err, approval.ErrState) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if used != 1 {
		t.Errorf("%d used it", used)
	}
}

func TestAsking(t *testing.T) {
	s, first := open(t), ticket(noon)
	if got, err := s.Ask(t.Context(), first, 2); err != nil || got.ID != first.ID {
		t.Fatalf("%v %v", got, err)
	}
	if got, err := s.Ask(t.Context(), ticket(noon), 2); err != nil || got.ID != first.ID {
		t.Errorf("the same question is another: %v %v", got, err)
	}
	other := ticket(noon)
	other.Binding.Arguments = "b"
	if _, err := s.Ask(t.Context(), other, 2); err != nil {
		t.Fatal(err)
	}
	third := ticket(noon)
	third.Binding.Arguments = "c"
	if _, err := s.Ask(t.Context(), third, 2); !errors.Is(err, approval.ErrTooMany) {
		t.Errorf("a third of two: %v", err)
	}
	if err := s.Decide(t.Context(), other.ID, verdict(approval.Denied, noon)); err != nil {
		t.Fatal(err)
	}
	again := ticket(noon.Add(14 * time.Minute))
	again.Binding.Arguments = "b"
	if got, err := s.Ask(t.Context(), again, 9); !errors.Is(err, approval.ErrDenied) || got.ID != other.ID {
		t.Errorf("a denial that stands: %v %v", got, err)
	}
	again.Created, again.Expires = noon.Add(15*time.Minute), noon.Add(30*time.Minute)
	if got, err := s.Ask(t.Context(), again, 9); err != nil || got.ID != again.ID {
		t.Errorf("a denial whose time is over: %v %v", got, err)
	}
}

func TestConsents(t *testing.T) {
	s, k := open(t), ticket(noon)
	if _, err := s.Ask(t.Context(), k, 16); err != nil {
		t.Fatal(err)
	}
	yes := verdict(approval.Approved, noon)
	yes.Remember = time.Hour
	if err := s.Decide(t.Context(), k.ID, yes); err != nil {
		t.Fatal(err)
	}
	other := k.Binding
	other.Arguments = "other"
	c, err := s.Recall(t.Context(), &other, noon)
	if err != nil || c == nil || c.Ticket != k.ID || c.Verdict.Approver != "carol" || len(c.Verdict.Groups) != 2 || c.Binding.Arguments != "" {
		t.Fatalf("%v %+v", err, c)
	}
	if err := s.Consume(t.Context(), c.ID, "x", noon.Add(time.Minute)); err != nil {
		t.Errorf("one that stands is not used up: %v", err)
	}
	for field, change := range map[string]func(*approval.Binding){
		"issuer": func(b *approval.Binding) { b.Issuer += "x" }, "subject": func(b *approval.Binding) { b.Subject += "x" },
		"tenant": func(b *approval.Binding) { b.Tenant += "x" }, "client": func(b *approval.Binding) { b.Client += "x" },
		"upstream": func(b *approval.Binding) { b.Upstream += "x" }, "tool": func(b *approval.Binding) { b.Tool += "x" },
		"definition": func(b *approval.Binding) { b.Definition += "x" },
	} {
		b := k.Binding
		change(&b)
		if found, err := s.Recall(t.Context(), &b, noon); err != nil || found != nil {
			t.Errorf("another %s: %v %+v", field, err, found)
		}
	}
	if all, err := s.Consents(t.Context(), "elsewhere", noon); err != nil || len(all) != 0 {
		t.Errorf("another tenant's: %v %+v", err, all)
	}
	if err := s.Decide(t.Context(), k.ID, verdict(approval.Cancelled, noon.Add(time.Minute))); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Recall(t.Context(), &other, noon.Add(2*time.Minute)); err != nil || found != nil {
		t.Errorf("its ticket was revoked: %v %+v", err, found)
	}
	if err := s.Consume(t.Context(), c.ID, "x", noon.Add(2*time.Minute)); !errors.Is(err, approval.ErrState) {
		t.Errorf("it is used after that: %v", err)
	}
	if err := s.Withdraw(t.Context(), c.ID, noon.Add(3*time.Minute)); !errors.Is(err, approval.ErrNoTicket) {
		t.Errorf("it ends twice: %v", err)
	}
}

// A ticket that ends because the same is asked anew is told as one that ended, once, to
// who puts that on record.
func TestWhatAskEndsIsTold(t *testing.T) {
	s, first := open(t), ticket(noon)
	if _, err := s.Ask(t.Context(), first, 16); err != nil {
		t.Fatal(err)
	}
	later := first.Expires.Add(time.Second)
	second := ticket(later)
	if got, err := s.Ask(t.Context(), second, 16); err != nil || got.ID != second.ID {
		t.Fatalf("%v %v", got, err)
	}
	for _, tc := range []struct {
		name  string
		noted bool // by who is told
		at    time.Time
		want  []string
	}{
		{"to who dies before it is noted", false, later, []string{first.ID}},
		{"to the first who notes it", true, later, []string{first.ID}},
		{"to the next", true, later, nil},
		{"with the second, noted by nobody", false, second.Expires, []string{second.ID}},
		{"with the second", true, second.Expires, []string{second.ID}},
		{"to the last", true, second.Expires, nil},
	} {
		if err := s.Expire(t.Context(), tc.at); err != nil {
			t.Fatal(err)
		}
		over, err := s.Unnoted(t.Context(), tc.at)
		for i := range over {
			if tc.noted {
				err = errors.Join(err, s.Noted(t.Context(), &over[i]))
			}
		}
		if err != nil || len(over) != len(tc.want) || len(over) == 1 && (over[0].ID != tc.want[0] || over[0].State != approval.Expired) {
			t.Errorf("%s: %+v %v", tc.name, over, err)
		}
	}
}

// What was asked or answered under other terms answers for nothing now, and what does not
// satisfy policy is asked about anew; what ends so ends once.
func TestOtherTerms(t *testing.T) {
	const gone = "gone"
	later := noon.Add(time.Minute)
	for _, tc := range []struct {
		name        string
		was         approval.State
		terms, with string // of the first ticket and of the next
		instead     bool   // of the first
		same, ended bool   // the first answers; it ended for the next
		denied      bool
	}{
		{name: "pending, the same terms", was: approval.Pending, terms: "a", with: "a", same: true},
		{name: "approved, the same terms", was: approval.Approved, terms: "a", with: "a", same: true},
		{name: "denied, the same terms", was: approval.Denied, terms: "a", with: "a", denied: true},
		{name: "pending, other terms", was: approval.Pending, terms: "a", with: "b", ended: true},
		{name: "approved, other terms", was: approval.Approved, terms: "a", with: "b", ended: true},
		{name: "denied, other terms", was: approval.Denied, terms: "a", with: "b"},
		{name: "pending, of before terms were kept", was: approval.Pending, with: "b", same: true},
		{name: "denied, of before terms were kept", was: approval.Denied, with: "b", denied: true},
		{name: "approved, not enough", was: approval.Approved, terms: "a", with: "a", instead: true, ended: true},
	} {
		s, first := open(t), ticket(noon)
		first.Terms = tc.terms
		if _, err := s.Ask(t.Context(), first, 16); err != nil {
			t.Fatal(err)
		}
		if tc.was != approval.Pending {
			if err := s.Decide(t.Context(), first.ID, verdict(tc.was, noon)); err != nil {
				t.Fatal(err)
			}
		}
		next := ticket(later)
		if next.Terms, next.Instead = tc.with, gone; tc.instead {
			next.Instead = first.ID
		}
		got, err := s.Ask(t.Context(), next, 16)
		if tc.denied != errors.Is(err, approval.ErrDenied) || err != nil && !tc.denied {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		old, err := s.Ticket(t.Context(), first.ID, later)
		if err != nil {
			t.Fatal(err)
		}
		ended := old.State == approval.Cancelled && old.Verdict.Via == approval.ViaPolicy && old.Shown == "" && got.Instead == first.ID
		if same := got.ID == first.ID; same != (tc.same || tc.denied) || ended != tc.ended || !ended && old.State != tc.was || !same && !ended && got.Instead != "" {
			t.Errorf("%s: %+v answers, the first is %s by %q", tc.name, got, old.State, old.Verdict.Via)
		}
	}
}

// A caller whose approvals never satisfy policy is not asked for ever; changes of policy
// are held against nobody.
func TestHowOftenTheSameIsAskedAnew(t *testing.T) {
	for _, other := range []bool{true, false} {
		s, instead := open(t), ""
		for n := range approval.MostCancelled + 2 {
			k := ticket(noon.Add(time.Duration(n) * time.Second))
			if k.Terms = "a"; other {
				k.Terms = fmt.Sprint(n)
			}
			k.Instead = instead
			_, err := s.Ask(t.Context(), k, 16)
			if many := n >= approval.MostCancelled && !other; many != errors.Is(err, approval.ErrTooMany) || err != nil && !many {
				t.Errorf("ticket %d, other terms %t: %v", n, other, err)
			}
			if err == nil {
				instead = k.ID
			}
		}
	}
}
