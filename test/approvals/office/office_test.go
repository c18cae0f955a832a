package office

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-gateway/approval"
	desks "mcp-gateway/approval/office"
	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/store"
)

// desk is an office with its own state, and what it put on record.
type desk struct {
	desks.Office
	record []string
	broken error // of recording
}

func open(t *testing.T) *desk {
	t.Helper()
	ring, err := keyring.Open(t.TempDir() + "/keys")
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), t.TempDir()+"/"+store.Name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &desk{}
	d.Office = desks.Office{Tickets: s, Ring: ring, Clock: time.Now, Record: func(_ context.Context, a desks.Act) error {
		if d.broken == nil {
			d.record = append(d.record, string(a.Deed)+" "+a.Who.Subject)
		}
		return d.broken
	}, Recorded: func(_ context.Context, deed desks.Deed, _ string) (bool, error) {
		return slices.ContainsFunc(d.record, func(line string) bool { return strings.HasPrefix(line, string(deed)+" ") }), nil
	}}
	return d
}

// ask opens a ticket of alice's.
func (d *desk) ask(t *testing.T, arguments string, needs ...gateway.ApprovalBy) string {
	t.Helper()
	now := time.Now()
	k := &approval.Ticket{ID: audit.NewID(now).String(), State: approval.Pending, Created: now, Expires: now.Add(time.Minute)}
	k.Binding = approval.Binding{Subject: "alice", Tenant: "t", Tool: "tool:x", Arguments: gateway.Digest(arguments)}
	var err error
	if k.Shown, err = approval.SealSheet(d.Ring, k.ID, &approval.Sheet{Arguments: []byte(arguments), SideEffect: gateway.Write, Needs: needs}); err != nil {
		t.Fatal(err)
	}
	if _, err = d.Tickets.Ask(t.Context(), k, 16); err != nil {
		t.Fatal(err)
	}
	return k.ID
}

var (
	carol = &approval.Person{Subject: "carol", Groups: []string{"leads"}, Via: "cli"}
	alice = &approval.Person{Subject: "alice", Via: "cli"}
	far   = &approval.Person{Subject: "far", Tenant: "elsewhere"}
)

func yes(reason string) desks.Answer { return desks.Answer{State: approval.Approved, Reason: reason} }

func TestAnswers(t *testing.T) {
	for _, tc := range []struct {
		name   string
		who    *approval.Person
		answer desks.Answer
		want   desks.Refusal
		state  approval.State
	}{
		{"another", carol, yes("fine"), "", approval.Approved},
		{"the caller", alice, yes("fine"), desks.Refusal(approval.ReasonOwnCall), approval.Pending},
		{"the caller denies", alice, desks.Answer{State: approval.Denied, Reason: "no"}, "", approval.Denied},
		{"another tenant's", far, yes("fine"), desks.NoTicket, approval.Pending},
		{"without a reason", carol, yes(" \n"), desks.NoReason, approval.Pending},
		{"with a long one", carol, yes(strings.Repeat("x", 501)), desks.NoReason, approval.Pending},
		{"to stand, which policy does not allow", carol, desks.Answer{State: approval.Approved, Reason: "x", Remember: true}, desks.NotRemembered, approval.Pending},
		{"taken back", carol, desks.Answer{State: approval.Cancelled, Reason: "x"}, "", approval.Cancelled},
	} {
		d := open(t)
		id := d.ask(t, `{}`)
		_, err := d.Decide(t.Context(), tc.who, id, tc.answer)
		var refused desks.Refusal
		errors.As(err, &refused)
		k, readErr := d.Tickets.Ticket(t.Context(), id, time.Now())
		if readErr != nil || refused != tc.want || (err == nil) != (tc.want == "") || k.State != tc.state || (len(d.record) == 1) != (err == nil) {
			t.Errorf("%s: %v, now %s, on record %q", tc.name, err, k.State, d.record)
		}
	}
}

// What can't be put on record isn't done: an approval is taken back, a sheet not shown.
func TestWithoutARecord(t *testing.T) {
	d := open(t)
	d.broken = errors.New("the disk is full")
	id := d.ask(t, `{}`, gateway.ApprovalBy{Remember: time.Hour})
	if _, err := d.Show(t.Context(), carol, id); !errors.Is(err, desks.Unrecorded) {
		t.Errorf("shown: %v", err)
	}
	_, err := d.Decide(t.Context(), carol, id, desks.Answer{State: approval.Approved, Reason: "fine", Remember: true})
	k, readErr := d.Tickets.Ticket(t.Context(), id, time.Now())
	if !errors.Is(err, desks.Unrecorded) || !errors.Is(err, d.broken) || readErr != nil || k.State != approval.Cancelled {
		t.Errorf("%v, now %s", err, k.State)
	}
	if stand, err := d.Consents(t.Context(), carol); err != nil || len(stand) != 0 {
		t.Errorf("%v: %+v stands", err, stand)
	}
}

// What nobody answered in time is ended, and on record as nobody's deed.
func TestSweep(t *testing.T) {
	d := open(t)
	id := d.ask(t, `{}`)
	d.Clock = func() time.Time { return time.Now().Add(time.Hour) }
	if err := d.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := d.Show(t.Context(), carol, id)
	if err != nil || v.State != approval.Expired || v.Sheet != nil || v.Bars != approval.ReasonUnseen || strings.Join(d.record, "|") != "expired " {
		t.Errorf("%v %+v, on record %q", err, v, d.record)
	}
}

// What a process died over before it was on record is put there by the next, once; what
// is on record is not put there again.
func TestSweepAfterACrash(t *testing.T) {
	for _, tc := range []struct {
		name    string
		verdict approval.State // "" = nobody answered
		later   time.Duration
		died    bool // who decided it, before that was on record
		want    string
	}{
		{"approved", approval.Approved, 2 * time.Minute, true, "approved carol|expired "},
		{"approved, and on record", approval.Approved, 2 * time.Minute, false, "approved carol|expired "},
		{"approved just now", approval.Approved, 30 * time.Second, true, ""},
		{"denied", approval.Denied, 2 * time.Minute, true, "denied carol"},
		{"taken back", approval.Cancelled, 2 * time.Minute, true, "revoked carol"},
		{"denied, and on record", approval.Denied, 2 * time.Minute, false, "denied carol"},
		{"never answered", "", 2 * time.Minute, true, "expired "},
	} {
		d := open(t)
		id := d.ask(t, `{}`)
		switch {
		case tc.verdict != "" && tc.died:
			if err := d.Tickets.Decide(t.Context(), id, approval.Verdict{State: tc.verdict, Approver: "carol", Via: "cli", Reason: "x", At: time.Now()}); err != nil {
				t.Fatal(err)
			}
		case tc.verdict != "":
			if _, err := d.Decide(t.Context(), carol, id, desks.Answer{State: tc.verdict, Reason: "x"}); err != nil {
				t.Fatal(err)
			}
		}
		now := time.Now().Add(tc.later)
		d.Clock = func() time.Time { return now }
		d.broken = errors.New("the disk is full")
		if err := d.Sweep(t.Context()); (err != nil) != (tc.want != "" && strings.Join(d.record, "|") != tc.want) {
			t.Errorf("%s, without a record: %v", tc.name, err)
		}
		d.broken = nil
		for range 2 {
			if err := d.Sweep(t.Context()); err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
		}
		if got := strings.Join(d.record, "|"); got != tc.want {
			t.Errorf("%s: on record %q, want %q", tc.name, got, tc.want)
		}
		if left, err := d.Tickets.Unnoted(t.Context(), now); err != nil || len(left) != 0 && tc.want != "" {
			t.Errorf("%s: %d are left, %v", tc.name, len(left), err)
		}
	}
}
