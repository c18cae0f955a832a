package approval_test

import (
	"errors"
	"testing"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

func TestWhoIsBarred(t *testing.T) {
	b := &approval.Binding{Issuer: "https://a.example", Subject: "alice", Tenant: "t"}
	anyone, self := gateway.ApprovalBy{}, gateway.ApprovalBy{Self: true}
	leads := gateway.ApprovalBy{Groups: []string{"leads", "owners"}}
	selfLeads := gateway.ApprovalBy{Self: true, Groups: []string{"leads"}}
	alice, carol := approval.Person{Subject: "alice"}, approval.Person{Subject: "carol"}
	carolLeads := approval.Person{Subject: "carol", Groups: []string{"x", "owners"}}
	aliceLeads := approval.Person{Subject: "Alice", Groups: []string{"leads"}}
	for _, tc := range []struct {
		name  string
		needs []gateway.ApprovalBy
		who   approval.Person
		want  gateway.Reason
	}{
		{"nothing said, another", nil, carol, ""},
		{"nothing said, the caller", nil, alice, approval.ReasonOwnCall},
		{"anyone, another", []gateway.ApprovalBy{anyone}, carol, ""},
		{"anyone, the caller", []gateway.ApprovalBy{anyone}, alice, approval.ReasonOwnCall},
		{"self, the caller", []gateway.ApprovalBy{self}, alice, ""},
		{"self, another", []gateway.ApprovalBy{self}, carol, ""},
		{"self and anyone, the caller", []gateway.ApprovalBy{self, anyone}, alice, approval.ReasonOwnCall},
		{"a group, one of it", []gateway.ApprovalBy{leads}, carolLeads, ""},
		{"a group, none of it", []gateway.ApprovalBy{leads}, carol, approval.ReasonNoGroup},
		{"a group, the caller by another spelling", []gateway.ApprovalBy{leads}, aliceLeads, approval.ReasonOwnCall},
		{"two groups, one of them", []gateway.ApprovalBy{leads, {Groups: []string{"legal"}}}, carolLeads, approval.ReasonNoGroup},
		{"self in a group is not enough by itself", []gateway.ApprovalBy{selfLeads}, aliceLeads, approval.ReasonOwnCall},
	} {
		s := &approval.Sheet{Needs: tc.needs}
		if got := s.Bars(b, &tc.who); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestHowLongAYesStands(t *testing.T) {
	for _, tc := range []struct {
		owed []gateway.ApprovalBy
		want time.Duration
	}{
		{nil, 0},
		{[]gateway.ApprovalBy{{}}, 0},
		{[]gateway.ApprovalBy{{Remember: time.Hour}}, time.Hour},
		{[]gateway.ApprovalBy{{Remember: time.Hour}, {Remember: time.Minute}}, time.Minute},
		{[]gateway.ApprovalBy{{Remember: time.Hour}, {}}, 0},
	} {
		if got := approval.Remembers(tc.owed); got != tc.want {
			t.Errorf("%+v: %s, want %s", tc.owed, got, tc.want)
		}
	}
}

// A sheet is good with its ticket alone, and its arguments come back as they were.
func TestSheetIsSealedWithItsTicket(t *testing.T) {
	ring, err := keyring.Open(t.TempDir() + "/keys")
	if err != nil {
		t.Fatal(err)
	}
	const arguments = `{"to":"<a> & b","n":1.10,"u":"\u0041é"}`
	sealed, err := approval.SealSheet(ring, "one", &approval.Sheet{Arguments: []byte(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := (&approval.Ticket{ID: "one", Shown: sealed}).Sheet(ring); err != nil || string(s.Arguments) != arguments {
		t.Errorf("%v %+v", err, s)
	}
	for name, ticket := range map[string]*approval.Ticket{
		"another ticket's": {ID: "two", Shown: sealed}, "altered": {ID: "one", Shown: sealed[:len(sealed)-2]}, "gone": {ID: "one"},
	} {
		if _, err := ticket.Sheet(ring); !errors.Is(err, approval.ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzBindingDigest(f *testing.F) {
	f.Add("alice", "t", "bob", "t")
	f.Add("ali", "cet", "alic", "et")
	f.Fuzz(func(t *testing.T, s1, t1, s2, t2 string) {
		a, b := approval.Binding{Subject: s1, Tenant: t1}, approval.Binding{Subject: s2, Tenant: t2}
		if (a == b) != (a.Digest() == b.Digest()) || (a == b) != (a.Differs(&b) == "") {
			t.Errorf("%+v and %+v", a, b)
		}
	})
}
