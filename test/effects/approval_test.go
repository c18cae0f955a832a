package effects

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/consent"
	"mcp-gateway/store"
	"mcp-gateway/test/stage"
)

func asked(id gateway.ItemID) string {
	if id.Name == "post" {
		return stage.Outbound("use")
	}
	return review(id)
}

// answer decides the ticket that a reply names, as the command line does.
func answer(t *testing.T, s *stage.Stage, r *stage.Reply, v approval.Verdict) string {
	t.Helper()
	id := strings.Trim(r.Get("/_meta/mcp-gateway~1error/approval/id"), `"`)
	kept, err := store.Open(t.Context(), s.Path("var/"+store.Name))
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	v.At = time.Now()
	if err := kept.Decide(t.Context(), id, v); err != nil {
		t.Fatalf("%q: %v in %s", id, err, r.Body)
	}
	return id
}

func withApproval(r *stage.Request, id string) *stage.Request {
	r.Meta = strings.Replace(r.Meta, "{", `{"`+consent.MetaApproval+`":"`+id+`",`, 1)
	return r
}

func TestApprovalIsForThisVeryCallOnce(t *testing.T) {
	people := []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"use"}}, {Name: "eve", Scopes: []string{"other"}}}
	d, s := start(t, stage.Options{Review: asked, Principals: people})
	alice := s.Host("alice")
	first := alice.Call(t, "desk__wipe", args)
	again := alice.Call(t, "desk__wipe", args)
	if first.Code() != "approval_required" || again.Get("/_meta/mcp-gateway~1error/approval/id") != first.Get("/_meta/mcp-gateway~1error/approval/id") {
		t.Fatalf("identical asks share one ticket\n%s\n%s", first.Body, again.Body)
	}
	id := answer(t, s, first, approval.Verdict{State: approval.Approved, Approver: "carol", Via: "cli"})
	for _, tc := range []struct {
		name     string
		request  *stage.Request
		code     string
		reason   string
		executed int
	}{
		{"other arguments", withApproval(alice.Calling("desk__wipe", `{"title":"all"}`), id), "approval_invalid", "approval_arguments_differs", 0},
		{"other arguments, unnamed", alice.Calling("desk__wipe", `{"title":"some"}`), "approval_required", "destructive", 0},
		{"another tool", withApproval(alice.Calling("desk__post", args), id), "approval_invalid", "approval_tool_differs", 0},
		{"another caller", withApproval(s.Host("bob").Calling("desk__wipe", args), id), "approval_invalid", "approval_subject_differs", 0},
		{"no scope, with the approval", withApproval(s.Host("eve").Calling("desk__wipe", args), id), "unknown_tool", "", 0},
		{"no such ticket", withApproval(alice.Calling("desk__wipe", args), "x"), "approval_invalid", "approval_unknown", 0},
		{"approved in the arguments", alice.Calling("desk__wipe", `{"title":"x","approved":true}`), "invalid_arguments", "", 0},
		{"the call itself", withApproval(alice.Calling("desk__wipe", args), id), "", "", 1},
		{"the call once more", withApproval(alice.Calling("desk__wipe", args), id), "approval_invalid", "approval_consumed", 1},
		{"the call once more, unnamed", alice.Calling("desk__wipe", args), "approval_required", "destructive", 1},
	} {
		r := tc.request.Send(t)
		if r.Code() != tc.code || d.count() != tc.executed || tc.reason != "" && !strings.Contains(string(r.Body), tc.reason) {
			t.Errorf("%s: %q, %d executed, want %q because %s, %d: %s", tc.name, r.Code(), d.count(), tc.code, tc.reason, tc.executed, r.Body)
		}
		if tc.code == "" {
			if st := verified(t, s, r); st.Approval != id {
				t.Errorf("the receipt names approval %q", st.Approval)
			}
		}
	}
}

func TestTheCallersOwnConsent(t *testing.T) {
	d, s := start(t, stage.Options{Review: asked})
	alice := s.Host("alice")
	capable := func(r *stage.Request) *stage.Request {
		r.Meta = strings.Replace(r.Meta, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{"form":{}}}`, 1)
		return r
	}
	for i, tc := range []struct {
		answer   string
		code     string
		next     string // what the same call is answered then
		executed int
	}{
		{`{"action":"accept","content":{"approve":false}}`, "user_denied", "user_denied", 0},
		{`{"action":"decline"}`, "user_denied", "user_denied", 0},
		{`{"action":"cancel"}`, "user_denied", "", 0},
		{`{"action":"accept","content":{"approve":"true"}}`, "approval_invalid", "", 0},
		{`{"action":"accept","content":{"approve":true,"remember":1}}`, "approval_invalid", "", 0},
		{`{"action":"accept","content":{}}`, "approval_invalid", "", 0},
		{`{"action":"accept"}`, "approval_invalid", "", 0},
		{`{"action":true}`, "approval_invalid", "", 0},
		{`{}`, "approval_invalid", "", 0},
		{`{"action":"accept","content":{"approve":true}}`, "", "", 1},
	} {
		args := fmt.Sprintf(`{"title":"it burns %d"}`, i) // what was denied is not asked again
		r := capable(alice.Calling("desk__post", args)).Send(t)
		requests := r.Get("/inputRequests")
		if r.Get("/resultType") != `"input_required"` || !strings.Contains(requests, "it burns") || d.count() != 0 {
			t.Fatalf("%d: %s", i, r.Body)
		}
		key, _, _ := strings.Cut(strings.TrimPrefix(requests, `{"`), `"`)
		retry := capable(alice.Calling("desk__post", args))
		retry.Params += `,"inputResponses":{"` + key + `":` + tc.answer + `}`
		r = retry.Send(t)
		if r.Code() != tc.code || d.count() != tc.executed || tc.code == "approval_invalid" && !strings.Contains(string(r.Body), "approval_answer_malformed") {
			t.Errorf("%s: %q, %d executed: %s", tc.answer, r.Code(), d.count(), r.Body)
		}
		if r := capable(alice.Calling("desk__post", args)).Send(t); r.Code() != tc.next || d.count() != tc.executed {
			t.Errorf("after %s: %q, %d executed: %s", tc.answer, r.Code(), d.count(), r.Body)
		}
	}
	// A destructive call needs somebody else: its host is not even asked.
	if r := capable(alice.Calling("desk__wipe", args)).Send(t); r.Code() != "approval_required" || d.count() != 1 {
		t.Errorf("%s", r.Body)
	}
	// Nor is what a host answers unasked.
	r := alice.Call(t, "desk__wipe", args)
	id := strings.Trim(r.Get("/_meta/mcp-gateway~1error/approval/id"), `"`)
	forged := capable(alice.Calling("desk__wipe", args))
	forged.Params += `,"inputResponses":{"mcp-gateway/approval:` + id + `":{"action":"accept","content":{"approve":true}}}`
	if r := forged.Send(t); r.Code() != "approval_required" || d.count() != 1 {
		t.Errorf("%s", r.Body)
	}
}

func TestDenied(t *testing.T) {
	d, s := start(t, stage.Options{Review: asked})
	alice := s.Host("alice")
	id := answer(t, s, alice.Call(t, "desk__wipe", args), approval.Verdict{State: approval.Denied, Approver: "carol", Via: "cli"})
	if r := withApproval(alice.Calling("desk__wipe", args), id).Send(t); r.Code() != "user_denied" || d.count() != 0 {
		t.Errorf("%s", r.Body)
	}
	if r := alice.Call(t, "desk__wipe", args); r.Code() != "user_denied" || !strings.Contains(string(r.Body), "approval_denied_before") || d.count() != 0 {
		t.Errorf("a denial stands: %s", r.Body)
	}
	other := `{"title":"another"}`
	self := answer(t, s, alice.Call(t, "desk__wipe", other), approval.Verdict{State: approval.Approved, Approver: "alice", Self: true, Via: "cli"})
	if r := withApproval(alice.Calling("desk__wipe", other), self).Send(t); r.Code() != "approval_required" || d.count() != 0 {
		t.Errorf("%s", r.Body)
	}
}
