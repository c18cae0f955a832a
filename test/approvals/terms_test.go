package approvals

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/audit"
	"mcp-gateway/test/stage"
)

// A policy that changed while a ticket was open, or answered, is asked about anew, at
// once and under a new id: what was approved for less does not count, and blocks nothing.
func TestPolicyAsksForMoreByNow(t *testing.T) {
	const anyone, treasury = `{"type": "approval"}`, `{"type": "approval", "groups": ["treasury"]}`
	staff := append(people(), stage.Staff{Name: "dave", Roles: []string{"approver"}})
	for _, tc := range []struct {
		name    string
		act     string // dave's, under the old policy; "" = none
		names   bool   // the host names the old ticket
		was     approval.State
		revoked int
	}{
		{"approved, and found without a name", "approve", false, approval.Cancelled, 1},
		{"approved, and named", "approve", true, approval.Cancelled, 1},
		{"pending", "", true, approval.Cancelled, 1},
		{"denied", "deny", true, approval.Denied, 0},
	} {
		setting := deciding(t, `{"effect": "ask", "reasons": {"asked_always"}, "obligations": [`+anyone+`]}`)
		dir, _, _ := strings.Cut(strings.TrimPrefix(setting, "policy: {dir: "), ",")
		up, s := open(t, stage.Options{Settings: setting, Staff: staff})
		k, alice := kept(t, s), s.Host("alice")
		old := ticketOf(t, alice.Call(t, "bank__wipe", order))
		if tc.act != "" {
			if r := s.AskAdmin(t, "dave", "POST", "/v1/approvals/"+old+"/"+tc.act, because); r.Status != 200 {
				t.Fatalf("%s: %s", tc.name, r.Body)
			}
		}
		file := filepath.Join(dir, "policy.rego")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), anyone, treasury, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Gateway.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		call := func(id string) *stage.Reply {
			r := alice.Calling("bank__wipe", order)
			if id != "" {
				r = naming(r, id)
			}
			return r.Send(t)
		}
		named := ""
		if tc.names {
			named = old
		}
		next := ticketOf(t, call(named))
		if again := ticketOf(t, call("")); next == old || again != next {
			t.Errorf("%s: asked by %s, then %s, then %s", tc.name, old, next, again)
		}
		ended, err := k.Ticket(t.Context(), old, time.Now())
		if err != nil || ended.State != tc.was || tc.was == approval.Cancelled && ended.Verdict.Via != approval.ViaPolicy {
			t.Errorf("%s: the old one is %+v, %v", tc.name, ended, err)
		}
		rows := events(t, s, audit.ApprovalRevoked)
		if len(rows) != tc.revoked || tc.revoked == 1 && (rows[0].Approval.String() != old || rows[0].Label != approval.ViaPolicy) {
			t.Errorf("%s: on record: %+v", tc.name, rows)
		}
		if r := s.AskAdmin(t, "dave", "POST", "/v1/approvals/"+next+"/approve", because); r.Status != 403 || r.Code() != "approver_group_missing" {
			t.Errorf("%s: who is in no group: %d %s", tc.name, r.Status, r.Body)
		}
		if r := s.AskAdmin(t, "carol", "POST", "/v1/approvals/"+next+"/approve", because); r.Status != 200 {
			t.Errorf("%s: %s", tc.name, r.Body)
		}
		if r := call(next); r.Code() != "" || up.ran.Load() != 1 {
			t.Errorf("%s: %d executed: %s", tc.name, up.ran.Load(), r.Body)
		}
	}
}

// The same where policy itself does not take what was approved under the very same terms:
// it asks anew, and not for ever.
func TestAnApprovalThatIsNotEnough(t *testing.T) {
	up, s := open(t, stage.Options{Settings: deciding(t, `{"effect": "ask", "reasons": {"asked_further"}, "obligations": [{"type": "approval", "groups": ["board"]}]} if {
	lib.permitted
	input.context.approval.status == "approved"
}
else := {"effect": "ask", "reasons": {"asked_first"}, "obligations": [{"type": "approval", "groups": ["treasury"]}]}`)})
	k := kept(t, s)
	alice, seen := s.Host("alice"), map[string]bool{}
	for n := range approval.MostCancelled {
		id := ticketOf(t, alice.Call(t, "bank__wipe", order))
		if seen[id] {
			t.Errorf("call %d is told %s again", n, id)
		}
		seen[id] = true
		if err := k.Decide(t.Context(), id, approval.Verdict{State: approval.Approved, Approver: "carol", Groups: []string{"treasury"}, Via: "cli", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if r := alice.Call(t, "bank__wipe", order); r.Code() != "rate_limited" || up.ran.Load() != 0 {
		t.Errorf("%d executed: %s", up.ran.Load(), r.Body)
	}
}
