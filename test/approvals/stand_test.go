package approvals

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mcp-gateway/admin"
	"mcp-gateway/audit"
	"mcp-gateway/test/stage"
)

const forms = `{"elicitation":{"form":{}}}`

// declaring is a request of a host that declares capabilities.
func declaring(r *stage.Request, capabilities string) *stage.Request {
	r.Meta = strings.Replace(r.Meta, `clientCapabilities":{}`, `clientCapabilities":`+capabilities, 1)
	return r
}

// answering is the repeat of a call with the answer to what its host was asked.
func answering(t *testing.T, asked *stage.Reply, r *stage.Request, answer string) *stage.Request {
	t.Helper()
	if asked.Get("/resultType") != `"input_required"` {
		t.Fatalf("not asked: %s", asked.Body)
	}
	key, _, _ := strings.Cut(strings.TrimPrefix(asked.Get("/inputRequests"), `{"`), `"`)
	r.Params += `,"inputResponses":{"` + key + `":` + answer + `}`
	return r
}

// A consent stands where policy says so, for what it was given for, until it is taken
// back; and each call under it is on record.
func TestAConsentThatStands(t *testing.T) {
	up, s := open(t, stage.Options{
		Settings:   asking(t, `{"type": "approval", "self": true, "remember_seconds": 3600}`),
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"use"}}},
	})
	alice := s.Host("alice")
	call := func(n int) *stage.Request {
		return declaring(alice.Calling("bank__pay", fmt.Sprintf(`{"amount":%d}`, n)), forms)
	}
	first := call(1).Send(t)
	if !strings.Contains(first.Get("/inputRequests"), `"remember":{"type":"boolean"`) || !strings.Contains(first.Get("/inputRequests"), "for 1h0m0s") {
		t.Fatalf("%s", first.Body)
	}
	if r := answering(t, first, call(1), `{"action":"accept","content":{"approve":true,"remember":true}}`).Send(t); r.Code() != "" || up.ran.Load() != 1 {
		t.Fatalf("%s", r.Body)
	}
	for n := range 3 {
		if r := call(n + 1).Send(t); r.Code() != "" || r.IsError() || up.ran.Load() != int64(n+2) {
			t.Errorf("call %d under it: %s", n, r.Body)
		}
	}
	ran := up.ran.Load()
	for name, other := range map[string]*stage.Request{
		"another tool":   alice.Calling("bank__wipe", `{"amount":1}`),
		"another caller": s.Host("bob").Calling("bank__pay", `{"amount":1}`),
	} {
		if r := other.Send(t); r.Code() != "approval_required" || up.ran.Load() != ran {
			t.Errorf("%s: %s", name, r.Body)
		}
	}
	var all admin.Consents
	list := s.AskAdmin(t, "vera", "GET", "/v1/remembered", "")
	if err := json.Unmarshal(list.Body, &all); err != nil || len(all.Remembered) != 1 || all.Remembered[0].Decision.By != "alice" || !all.Remembered[0].Decision.Self {
		t.Fatalf("%v %s", err, list.Body)
	}
	id := all.Remembered[0].ID
	used := events(t, s, audit.ApprovalUsed)
	if last := used[len(used)-1]; last.Approval.String() != id || last.Action.IsZero() {
		t.Errorf("the last call under it is on record as %+v", last)
	}
	if r := s.AskAdmin(t, "far", "GET", "/v1/remembered", ""); strings.Contains(string(r.Body), id) {
		t.Errorf("another tenant sees %s", r.Body)
	}
	for who, want := range map[string]int{"vera": 403, "far": 404} {
		if r := s.AskAdmin(t, who, "POST", "/v1/remembered/"+id+"/revoke", because); r.Status != want {
			t.Errorf("%s: %d %s", who, r.Status, r.Body)
		}
	}
	asked(t, s, "")
	if out, err := run(t, s, "remembered"); err != nil || !strings.Contains(out, id) {
		t.Errorf("%v %s", err, out)
	}
	if out, err := run(t, s, "revoke", id, "--reason", "enough"); err != nil || !strings.Contains(out, "cancelled") {
		t.Errorf("%v %s", err, out)
	}
	if r := call(9).Send(t); r.Get("/resultType") != `"input_required"` || up.ran.Load() != ran {
		t.Errorf("after it was taken back: %s", r.Body)
	}
	if rows := events(t, s, audit.ApprovalRevoked); len(rows) != 1 || rows[0].Approval.String() != id {
		t.Errorf("on record: %+v", rows)
	}
}

// A host that ticks what it was not asked makes nothing stand.
func TestNoConsentStandsByItself(t *testing.T) {
	up, s := open(t, stage.Options{})
	alice := s.Host("alice")
	call := func(n int) *stage.Request {
		return declaring(alice.Calling("bank__pay", fmt.Sprintf(`{"amount":%d}`, n)), forms)
	}
	first := call(1).Send(t)
	if strings.Contains(string(first.Body), "remember") {
		t.Errorf("asked %s", first.Body)
	}
	if r := answering(t, first, call(1), `{"action":"accept","content":{"approve":true,"remember":true}}`).Send(t); r.Code() != "" || up.ran.Load() != 1 {
		t.Fatalf("%s", r.Body)
	}
	if r := call(2).Send(t); r.Get("/resultType") != `"input_required"` || up.ran.Load() != 1 {
		t.Errorf("%s", r.Body)
	}
}

// How often a caller may ask: so many at once, and the same not for ever.
func TestHowOftenACallerAsks(t *testing.T) {
	up, s := open(t, stage.Options{Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"use"}}}})
	alice := s.Host("alice")
	for n := range 16 {
		ticketOf(t, alice.Call(t, "bank__wipe", fmt.Sprintf(`{"amount":%d}`, n)))
	}
	if r := alice.Call(t, "bank__wipe", `{"amount":99}`); r.Code() != "rate_limited" || !strings.Contains(string(r.Body), "approvals_pending") {
		t.Errorf("the seventeenth: %s", r.Body)
	}
	bob := s.Host("bob")
	for n := range 4 {
		call := func() *stage.Request { return declaring(bob.Calling("bank__pay", `{"amount":1}`), forms) }
		r := call().Send(t)
		if n == 3 {
			if r.Code() != "rate_limited" {
				t.Errorf("the fourth question after three that were waved away: %s", r.Body)
			}
			break
		}
		if r := answering(t, r, call(), `{"action":"cancel"}`).Send(t); r.Code() != "user_denied" {
			t.Errorf("%s", r.Body)
		}
	}
	if up.ran.Load() != 0 {
		t.Errorf("%d executed", up.ran.Load())
	}
}
