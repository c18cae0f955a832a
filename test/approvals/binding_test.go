package approvals

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/audit"
	gate "mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/store"
	"mcp-gateway/test/stage"
)

// kept opens the tickets of a stage, beside its gateway.
func kept(t *testing.T, s *stage.Stage) *store.Store {
	t.Helper()
	k, err := store.Open(t.Context(), s.Path("var/"+store.Name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// approved is a ticket for exactly that binding, approved by carol at a time.
func approved(t *testing.T, k *store.Store, b approval.Binding, at time.Time) string {
	t.Helper()
	ticket := &approval.Ticket{ID: audit.NewID(at).String(), State: approval.Pending, Binding: b, Created: at, Expires: at.Add(15 * time.Minute)}
	if _, err := k.Ask(t.Context(), ticket, 100); err != nil {
		t.Fatal(err)
	}
	if err := k.Decide(t.Context(), ticket.ID, approval.Verdict{State: approval.Approved, Approver: "carol", Via: "cli", At: at}); err != nil {
		t.Fatal(err)
	}
	return ticket.ID
}

// bound is what a call of alice is bound to.
func bound(t *testing.T, s *stage.Stage, k *store.Store, tool, arguments string) (b approval.Binding, id string) {
	t.Helper()
	id = ticketOf(t, s.Host("alice").Call(t, tool, arguments))
	ticket, err := k.Ticket(t.Context(), id, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return ticket.Binding, id
}

// Of the binding one field at a time is another's: the call is refused with its name,
// and nothing is executed.
func TestOneFieldAtATime(t *testing.T) {
	up, s := open(t, stage.Options{})
	k := kept(t, s)
	b, id := bound(t, s, k, "bank__wipe", order)
	if b.Issuer == "" || b.Subject != "alice" || b.Tenant != "test" || b.Client != "alice" || b.Upstream != "bank" || b.Tool != "tool:wipe" || b.Definition == "" || b.Arguments == "" {
		t.Fatalf("%+v", b)
	}
	for field, change := range map[string]func(*approval.Binding){
		"issuer":     func(b *approval.Binding) { b.Issuer = "https://other.example" },
		"subject":    func(b *approval.Binding) { b.Subject = "bob" },
		"tenant":     func(b *approval.Binding) { b.Tenant = "other" },
		"client":     func(b *approval.Binding) { b.Client = "ci" },
		"upstream":   func(b *approval.Binding) { b.Upstream = "other" },
		"tool":       func(b *approval.Binding) { b.Tool = "tool:pay" },
		"definition": func(b *approval.Binding) { b.Definition = "sha256-jcs1:" + gateway.Digest(strings.Repeat("0", 64)) },
		"arguments":  func(b *approval.Binding) { b.Arguments = "sha256-jcs1:" + gateway.Digest(strings.Repeat("0", 64)) },
	} {
		other := b
		change(&other)
		r := naming(s.Host("alice").Calling("bank__wipe", order), approved(t, k, other, time.Now())).Send(t)
		if r.Code() != "approval_invalid" || !strings.Contains(string(r.Body), `"approval_`+field+`_differs"`) || up.ran.Load() != 0 {
			t.Errorf("%s: %d executed, %s", field, up.ran.Load(), r.Body)
		}
	}
	old := b
	old.Arguments = protocol.DigestOf([]byte(`{"amount":7}`))
	late := approved(t, k, old, time.Now().Add(-time.Hour))
	if r := naming(s.Host("alice").Calling("bank__wipe", `{"amount":7}`), late).Send(t); r.Code() != "approval_invalid" || !strings.Contains(string(r.Body), `"approval_expired"`) || up.ran.Load() != 0 {
		t.Errorf("expiry: %d executed, %s", up.ran.Load(), r.Body)
	}
	if err := k.Decide(t.Context(), id, approval.Verdict{State: approval.Approved, Approver: "carol", Via: "cli", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	for n, want := range []struct{ code, reason string }{{"", ""}, {"approval_invalid", `"approval_consumed"`}} {
		r := naming(s.Host("alice").Calling("bank__wipe", order), id).Send(t)
		if r.Code() != want.code || !strings.Contains(string(r.Body), want.reason) || up.ran.Load() != 1 {
			t.Errorf("use %d: %d executed, %s", n+1, up.ran.Load(), r.Body)
		}
	}
}

// A definition that changed after the approval, as upstreams and reviewers change it.
func TestAnApprovalOfAnOlderDefinition(t *testing.T) {
	up, s := open(t, stage.Options{})
	id := ticketOf(t, s.Host("alice").Call(t, "bank__wipe", order))
	if r := s.AskAdmin(t, "carol", "POST", "/v1/approvals/"+id+"/approve", because); r.Status != 200 {
		t.Fatalf("%s", r.Body)
	}
	up.Replace("wipe", strings.Replace(tool("wipe"), `"name"`, `"description":"Wipes all.","name"`, 1))
	if err := s.Gateway.Refresh(t.Context(), "bank"); err != nil {
		t.Fatal(err)
	}
	s.Review(t)
	r := naming(s.Host("alice").Calling("bank__wipe", order), id).Send(t)
	if r.Code() != "approval_invalid" || !strings.Contains(string(r.Body), `"approval_definition_differs"`) || up.ran.Load() != 0 {
		t.Errorf("%d executed, %s", up.ran.Load(), r.Body)
	}
}

// An approval is consent and no scope: of the four combinations one runs.
func TestConsentAndScope(t *testing.T) {
	up, s := open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "eve", Scopes: []string{"other"}}},
		Review: func(id gateway.ItemID) string {
			return strings.Replace(reviewed(id), "scopes:", "step_up: yes, scopes:", 1) // eve may know of it
		},
	})
	k := kept(t, s)
	mine, _ := bound(t, s, k, "bank__wipe", `{"amount":1}`)
	eves := mine
	eves.Subject, eves.Client = "eve", "eve"
	for _, tc := range []struct {
		name, who string
		consent   bool
		code      string
		ran       int64
	}{
		{"neither", "eve", false, "forbidden", 0},
		{"consent without the scope", "eve", true, "forbidden", 0},
		{"the scope without consent", "alice", false, "approval_required", 0},
		{"both", "alice", true, "", 1},
	} {
		call := s.Host(tc.who).Calling("bank__wipe", `{"amount":1}`)
		if tc.consent && tc.who == "eve" {
			call = naming(call, approved(t, k, eves, time.Now()))
		} else if tc.consent {
			id := ticketOf(t, s.Host("alice").Call(t, "bank__wipe", `{"amount":1}`))
			if r := s.AskAdmin(t, "carol", "POST", "/v1/approvals/"+id+"/approve", because); r.Status != 200 {
				t.Fatalf("%s", r.Body)
			}
		}
		if r := call.Send(t); r.Code() != tc.code || up.ran.Load() != tc.ran {
			t.Errorf("%s: %q, %d executed: %s", tc.name, r.Code(), up.ran.Load(), r.Body)
		}
	}
}

// An approval overrides no denial: policy is asked again with it.
func TestAnApprovalOverridesNoDenial(t *testing.T) {
	denying := deciding(t, `{"effect": "deny", "reasons": {"frozen"}}`)
	up, s := open(t, stage.Options{Settings: denying})
	k := kept(t, s)
	r := s.Host("alice").Call(t, "bank__wipe", order)
	if r.Code() != "forbidden" {
		t.Fatalf("%s", r.Body)
	}
	definition := gateway.Digest("")
	for _, o := range s.Gateway.Registry().Observations() {
		if o.ID.Name == "wipe" {
			definition = o.Digest
		}
	}
	_, other := open(t, stage.Options{})
	b, _ := bound(t, other, kept(t, other), "bank__wipe", order)
	b.Definition = definition
	if r := naming(s.Host("alice").Calling("bank__wipe", order), approved(t, k, b, time.Now())).Send(t); r.Code() != "forbidden" || up.ran.Load() != 0 {
		t.Errorf("%d executed, %s", up.ran.Load(), r.Body)
	}
}

// What only reads is asked about once for each time too.
func TestAnApprovalOfAReadIsUsedUp(t *testing.T) {
	up, s := open(t, stage.Options{Settings: asking(t, `{"type": "approval"}`)})
	id := ticketOf(t, s.Host("alice").Call(t, "bank__look", `{}`))
	if r := s.AskAdmin(t, "carol", "POST", "/v1/approvals/"+id+"/approve", because); r.Status != 200 {
		t.Fatalf("%s", r.Body)
	}
	for n, want := range []string{"", "approval_invalid"} {
		if r := naming(s.Host("alice").Calling("bank__look", `{}`), id).Send(t); r.Code() != want || up.ran.Load() != 1 {
			t.Errorf("use %d: %d executed, %s", n+1, up.ran.Load(), r.Body)
		}
	}
}

// second serves another gateway on the stage's own files, and returns its URL.
func second(t *testing.T, s *stage.Stage) string {
	t.Helper()
	g, err := gate.Open(t.Context(), gate.Options{ConfigPath: s.Path("upstreams.yaml"), Version: stage.Version})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() { done <- g.Serve(ctx, func(a net.Addr) { ready <- a }) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-done, g.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	if err := g.Refresh(t.Context(), "bank"); err != nil {
		t.Fatal(err)
	}
	return "http://" + (<-ready).String()
}

// Two gateways on one state directory share tickets, and use one once.
func TestTwoGatewaysUseATicketOnce(t *testing.T) {
	up, s := open(t, stage.Options{Staff: []stage.Staff{}})
	k := kept(t, s)
	hosts := []*stage.Host{s.Host("alice"), stage.NewHost(second(t, s), s.Host("alice").Key())}
	for round := range 5 {
		up.ran.Store(0)
		arguments := `{"amount":` + string(rune('1'+round)) + `}`
		id := ticketOf(t, hosts[0].Call(t, "bank__wipe", arguments))
		if again := ticketOf(t, hosts[1].Call(t, "bank__wipe", arguments)); again != id {
			t.Fatalf("the other gateway opens %s beside %s", again, id)
		}
		if err := k.Decide(t.Context(), id, approval.Verdict{State: approval.Approved, Approver: "carol", Via: "cli", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		codes := make([]string, 8)
		for i := range codes {
			wait.Go(func() {
				if r, err := naming(hosts[i%2].Calling("bank__wipe", arguments), id).Do(t.Context()); err != nil {
					t.Error(err)
				} else {
					codes[i] = r.Code()
				}
			})
		}
		wait.Wait()
		good := 0
		for _, code := range codes {
			switch code {
			case "":
				good++
			case "approval_invalid", "approval_required":
			default:
				t.Errorf("round %d: %q", round, code)
			}
		}
		if good != 1 || up.ran.Load() != 1 {
			t.Errorf("round %d: %d were let through, %d executed", round, good, up.ran.Load())
		}
	}
}
