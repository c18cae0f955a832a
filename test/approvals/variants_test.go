package approvals

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// The same call is the same whatever the order and spelling of its text; a number that
// is spelled otherwise, a text of other code points, or two members of one name are not.
func TestWhatIsTheSameCall(t *testing.T) {
	up, s := open(t, stage.Options{})
	alice := s.Host("alice")
	for _, tc := range []struct {
		base string
		same []string
		not  map[string]string // arguments → code
	}{
		{
			base: `{"to":"caf\u00e9","amount":1}`,
			same: []string{`{"amount":1,"to":"caf\u00e9"}`, ` { "to" : "café" ,` + "\n" + ` "amount" : 1 } `, `{"\u0074o":"caf\u00E9","amount":1}`},
			not: map[string]string{
				`{"to":"cafe\u0301","amount":1}`:           "approval_invalid",
				`{"to":"CAFÉ","amount":1}`:                 "approval_invalid",
				`{"to":"café ","amount":1}`:                "approval_invalid",
				`{"to":"café","amount":1.0}`:               "approval_invalid",
				`{"to":"café","amount":1e0}`:               "approval_invalid",
				`{"to":"café","amount":10e-1}`:             "approval_invalid",
				`{"to":"café","amount":-1}`:                "approval_invalid",
				`{"to":"café","amount":1,"pin":"1"}`:       "approval_invalid",
				`{"to":"café"}`:                            "approval_invalid",
				`{"to":"café","amount":1,"amount":1}`:      "malformed_request",
				`{"to":"café","amount":1,"\u0061mount":9}`: "malformed_request",
				`{"to":"café","amount":1,"Amount":9}`:      "invalid_arguments",
				`{"to":"café","amount":1,"approved":true}`: "invalid_arguments",
				`{"to":"café","amount":"1"}`:               "invalid_arguments",
			},
		},
		{base: `{"amount":0}`, not: map[string]string{`{"amount":-0}`: "approval_invalid", `{"amount":0.0}`: "approval_invalid", `{"amount":-0.0}`: "approval_invalid"}},
		{base: `{}`, same: []string{` {
		} `}, not: map[string]string{`{"to":""}`: "approval_invalid", `null`: "invalid_params", `[]`: "invalid_params"}},
	} {
		up.ran.Store(0)
		id := ticketOf(t, alice.Call(t, "bank__wipe", tc.base))
		for _, same := range tc.same {
			if got := ticketOf(t, alice.Call(t, "bank__wipe", same)); got != id {
				t.Errorf("%s is asked about apart from %s", same, tc.base)
			}
		}
		if r := s.AskAdmin(t, "carol", "POST", "/v1/approvals/"+id+"/approve", because); r.Status != 200 {
			t.Fatalf("%s", r.Body)
		}
		for other, code := range tc.not {
			r := naming(alice.Calling("bank__wipe", other), id).Send(t)
			if r.Code() != code || code == "approval_invalid" && !strings.Contains(string(r.Body), "approval_arguments_differs") || up.ran.Load() != 0 {
				t.Errorf("%s beside %s: %q, %d executed: %s", other, tc.base, r.Code(), up.ran.Load(), r.Body)
			}
		}
		last := tc.base
		if len(tc.same) > 0 {
			last = tc.same[len(tc.same)-1]
		}
		if r := naming(alice.Calling("bank__wipe", last), id).Send(t); r.Code() != "" || up.ran.Load() != 1 {
			t.Errorf("%s: %d executed: %s", last, up.ran.Load(), r.Body)
		}
	}
}

// An approval is of the caller, whichever revision they come by, and of one use.
func TestAnApprovalInAnotherEra(t *testing.T) {
	up, s := open(t, stage.Options{})
	alice := s.Host("alice")
	id := ticketOf(t, alice.Call(t, "bank__wipe", `{"amount":1}`))
	ask := legacy(t, alice, protocol.Revision20250618, `{}`)
	params := `"name":"bank__wipe","arguments":{"amount":1}`
	if got := ticketOf(t, ask(protocol.MethodToolsCall, params).Send(t)); got != id {
		t.Errorf("asked by %s and %s", id, got)
	}
	if r := s.AskAdmin(t, "carol", "POST", "/v1/approvals/"+id+"/approve", because); r.Status != 200 {
		t.Fatalf("%s", r.Body)
	}
	if r := ask(protocol.MethodToolsCall, params).Send(t); r.Code() != "" || up.ran.Load() != 1 {
		t.Errorf("%d executed: %s", up.ran.Load(), r.Body)
	}
	if r := naming(alice.Calling("bank__wipe", `{"amount":1}`), id).Send(t); r.Code() != "approval_invalid" || up.ran.Load() != 1 {
		t.Errorf("%d executed: %s", up.ran.Load(), r.Body)
	}
}

// Nobody approves their own call under another spelling of their name, by any door.
func TestOneOwnCallUnderAnotherSpelling(t *testing.T) {
	var staff []stage.Staff
	for id, subject := range map[string]string{"loud": "ALICE", "tall": "Alice", "odd": "alicE"} {
		staff = append(staff, stage.Staff{Name: id, Subject: subject, Roles: []string{"approver"}, Groups: []string{"treasury"}})
	}
	up, s := open(t, stage.Options{Console: "-", Staff: staff})
	id := ticketOf(t, s.Host("alice").Call(t, "bank__wipe", `{"amount":1}`))
	asked(t, s, "")
	for _, m := range staff {
		if r := s.AskAdmin(t, m.Name, http.MethodPost, "/v1/approvals/"+id+"/approve", because); r.Status != 403 || r.Code() != "approver_is_caller" {
			t.Errorf("%s, by the API: %d %s", m.Name, r.Status, r.Body)
		}
		if r := pressed(t, s, m.Name, id); r.Status == http.StatusSeeOther {
			t.Errorf("%s, on the page: %d %s", m.Name, r.Status, r.Body)
		}
		t.Setenv("OWN", s.StaffKey(m.Name))
		if out, err := run(t, s, "approve", id, "--reason", "mine", "--key", "env:OWN"); !coded(err, "approver_is_caller") {
			t.Errorf("%s, on the command line: %v %s", m.Name, err, out)
		}
	}
	if r := naming(s.Host("alice").Calling("bank__wipe", `{"amount":1}`), id).Send(t); r.Code() != "approval_required" || up.ran.Load() != 0 {
		t.Errorf("%d executed: %s", up.ran.Load(), r.Body)
	}
}

// Of many who answer at once one is heard.
func TestOneOfManyIsHeard(t *testing.T) {
	_, s := open(t, stage.Options{Staff: []stage.Staff{{Name: "carol", Roles: []string{"approver"}}, {Name: "dave", Roles: []string{"approver"}}}})
	k := kept(t, s)
	for round := range 4 {
		id := ticketOf(t, s.Host("alice").Call(t, "bank__wipe", `{"amount":`+string(rune('1'+round))+`}`))
		answers := make([]*stage.Asked, 8)
		verbs := []string{"approve", "deny"}
		var wait sync.WaitGroup
		for i := range answers {
			who, verb := []string{"carol", "dave"}[i%2], verbs[i/2%2]
			wait.Go(func() {
				answers[i] = s.AskAdmin(t, who, http.MethodPost, "/v1/approvals/"+id+"/"+verb, because)
			})
		}
		wait.Wait()
		heard := -1
		for i, a := range answers {
			switch {
			case a.Status == 200 && heard < 0:
				heard = i
			case a.Status != 409 || a.Code() != "approval_decided":
				t.Errorf("round %d: %d %s", round, a.Status, a.Body)
			}
		}
		ticket, err := k.Ticket(t.Context(), id, time.Now())
		if err != nil || heard < 0 {
			t.Fatal(err, "or nobody was heard")
		}
		want := map[string]approval.State{"approve": approval.Approved, "deny": approval.Denied}[verbs[heard/2%2]]
		if ticket.State != want || ticket.Verdict.Approver != []string{"carol", "dave"}[heard%2] {
			t.Errorf("round %d: %s by %s, and %d was heard", round, ticket.State, ticket.Verdict.Approver, heard)
		}
	}
}

// A ticket that ended stays so, also where the clock goes back; who found it over, a
// sweep or a reader before any sweep, is all the same.
func TestNoAnswerAfterTheEnd(t *testing.T) {
	up, s := open(t, stage.Options{})
	k := kept(t, s)
	later := time.Now().Add(time.Hour)
	for n, found := range []func(id string) error{
		func(id string) error { _, err := k.Ticket(t.Context(), id, later); return err },
		func(string) error { return k.Expire(t.Context(), later.Add(time.Hour)) },
	} {
		args := fmt.Sprintf(`{"amount":%d}`, n)
		id := ticketOf(t, s.Host("alice").Call(t, "bank__wipe", args))
		if err := found(id); err != nil {
			t.Fatal(err)
		}
		if r := s.AskAdmin(t, "carol", http.MethodPost, "/v1/approvals/"+id+"/approve", because); r.Status != 409 || r.Code() != "approval_decided" {
			t.Errorf("%d: %d %s", n, r.Status, r.Body)
		}
		r := naming(s.Host("alice").Calling("bank__wipe", args), id).Send(t)
		if r.Code() != "approval_invalid" || !strings.Contains(string(r.Body), "approval_expired") || up.ran.Load() != 0 {
			t.Errorf("%d: %d executed: %s", n, up.ran.Load(), r.Body)
		}
		if again := ticketOf(t, s.Host("alice").Call(t, "bank__wipe", args)); again == id {
			t.Errorf("%d: the ticket that ended is asked about again", n)
		}
	}
}

// What a host says of an approval is none, wherever it says it.
func TestWhatSaysThatItIsApproved(t *testing.T) {
	up, s := open(t, stage.Options{Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"use"}}}})
	alice := s.Host("alice")
	call := func() *stage.Request { return declaring(alice.Calling("bank__pay", `{"amount":2}`), forms) }
	meta := func(members string) *stage.Request {
		r := call()
		r.Meta = strings.Replace(r.Meta, "{", "{"+members+",", 1)
		return r
	}
	with := func(params string) *stage.Request {
		r := call()
		r.Params += "," + params
		return r
	}
	const yes = `{"action":"accept","content":{"approve":true}}`
	key := func(asked *stage.Reply) string {
		k, _, _ := strings.Cut(strings.TrimPrefix(asked.Get("/inputRequests"), `{"`), `"`)
		return k
	}
	other := key(declaring(alice.Calling("bank__pay", `{"amount":1}`), forms).Send(t))
	bobs := key(declaring(s.Host("bob").Calling("bank__pay", `{"amount":2}`), forms).Send(t))
	if other == "" || bobs == "" || other == bobs {
		t.Fatal(other, bobs)
	}
	for name, tc := range map[string]struct {
		request *stage.Request
		code    string // "" = it is asked
	}{
		"a word in _meta":                    {meta(`"approved":true`), ""},
		"our word in _meta":                  {meta(`"mcp-gateway/approval":true`), "approval_invalid"},
		"a ticket of its own making":         {meta(`"mcp-gateway/approval":{"id":"x","state":"approved"}`), "approval_invalid"},
		"the ticket's key as its id":         {meta(`"mcp-gateway/approval":"` + other + `"`), "approval_invalid"},
		"a word among the params":            {with(`"approved":true`), ""},
		"an answer to another call's ticket": {with(`"inputResponses":{"` + other + `":` + yes + `}`), ""},
		"an answer to another's ticket":      {with(`"inputResponses":{"` + bobs + `":` + yes + `}`), ""},
		"an answer to no ticket":             {with(`"inputResponses":{"mcp-gateway/approval:x":` + yes + `}`), ""},
		"an answer to what was not asked":    {with(`"inputResponses":{"approval":` + yes + `}`), ""},
		"an answer that is none":             {with(`"inputResponses":{"approval":true}`), "invalid_params"},
		"a state of its own making":          {with(`"requestState":"approved"`), "state_invalid"},
		"a state and an answer":              {with(`"requestState":"e30","inputResponses":{"` + other + `":` + yes + `}`), "state_invalid"},
	} {
		r := tc.request.Send(t)
		if up.ran.Load() != 0 || r.Code() != tc.code || tc.code == "" && r.Get("/resultType") != `"input_required"` {
			t.Errorf("%s: %q, %d executed: %s", name, r.Code(), up.ran.Load(), r.Body)
		}
	}
}

// Where the choice turns on what the reviewer classed as secret, nobody is asked.
func TestWhatTurnsOnASecret(t *testing.T) {
	for name, facts := range map[string]string{
		"who is notified":       `notifies: [/to], data: {/to: secret}`,
		"what the scope is for": `data: {/to: credential}, step_up: yes`,
	} {
		up, s := open(t, stage.Options{
			Settings:   asking(t, `{"type": "approval"}`),
			Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use", "use:bob"}}},
			Review: func(id gateway.ItemID) string {
				if id.Name != "pay" {
					return reviewed(id)
				}
				scope := "use"
				if strings.Contains(facts, "step_up") {
					scope = `"use:{to}"`
				}
				return `side_effect: write, waive: {external_id: it is tested}, ` + facts + `, scopes: [` + scope + `], owner: treasury, why: it is tested, approved_by: stage, approved_at: 2026-09-01`
			},
		})
		r := s.Host("alice").Call(t, "bank__pay", `{"to":"bob","amount":1}`)
		if r.Code() != "forbidden" || !strings.Contains(string(r.Body), "argument_hidden") || up.ran.Load() != 0 {
			t.Errorf("%s: %s", name, r.Body)
		}
	}
}
