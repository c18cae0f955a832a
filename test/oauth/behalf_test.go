package oauth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/reconcile"
	"mcp-gateway/receipt"
	"mcp-gateway/test/stage"
)

const evidence = `"outputSchema":{"type":"object","properties":{"ticket_id":{"type":"string"}},"required":["ticket_id"]}`

// An upstream that is called in the caller's right has its status tool asked so too, while
// that caller is there: to verify what ran. Where nobody is there, nobody is asked.
func TestStatusInTheCallersRight(t *testing.T) {
	a := newAuthority(t, public+"/mcp")
	peer := stage.NewPeer()
	opened := stage.Result(`{"resultType":"complete","content":[],"structuredContent":{"ticket_id":"T-1"}}`)
	var lost atomic.Bool
	peer.Add(`{"name":"open","inputSchema":{"type":"object","properties":{"request_id":{"type":"string"}},"additionalProperties":false},`+evidence+`}`,
		func(w http.ResponseWriter, r *http.Request, m stage.Message) {
			if lost.Load() {
				panic(http.ErrAbortHandler)
			}
			opened(w, r, m)
		})
	peer.Add(`{"name":"find","inputSchema":{"type":"object","properties":{"request_id":{"type":"string"}},"additionalProperties":false},`+evidence+`}`, opened)
	up := &guarded{next: peer}
	s := stage.Open(t, stage.Options{
		Auth: issuer(a, ""), Listen: fmt.Sprintf("url: %q", public), Upstreams: []stage.Upstream{credentialed(t, up, exchange(t, a))},
		Review: func(id gateway.ItemID) string {
			if id.Name == "find" {
				return stage.Read("use")
			}
			return `side_effect: write, reversible: yes, outbound: no, idempotent: key, idempotency: {argument: /request_id}, evidence: {external_id: /ticket_id}, ` +
				`status: {tool: find, arguments: {request_id: "{key}"}, found: /ticket_id, verify: yes}, scopes: [use], owner: test, why: it is tested, approved_by: test, approved_at: 2026-09-01`
		},
	})
	host := stage.NewHost(s.URL, a.login(t, desk, "use").access)
	open := func(key string) *stage.Reply {
		r := host.Calling("desk__open", `{}`)
		r.Meta = strings.Replace(r.Meta, "{", `{"`+call.MetaKey+`":"`+key+`",`, 1)
		return r.Send(t)
	}
	said := func(r *stage.Reply) *receipt.Statement {
		t.Helper()
		st, err := receipt.Verify([]byte(r.Get("/_meta/mcp-gateway~1receipt")), s.Gateway.ReceiptKeys(), receipt.Claim{})
		if err != nil {
			t.Fatalf("%v in %s", err, r.Body)
		}
		return st
	}
	if st := said(open("k1")); st.VerifiedBy != "find" || st.ExternalID != "T-1" {
		t.Errorf("%+v", st)
	}
	if sent := up.called(); len(sent) != 2 || sent[0] != sent[1] {
		t.Errorf("%d calls, not both with the caller's own", len(sent))
	}
	asked := len(s.Rows(t, audit.Filter{Type: audit.LedgerAsked}))
	lost.Store(true)
	st := said(open("k2"))
	if st.Outcome != gateway.OutcomeUnknown {
		t.Fatalf("%+v", st)
	}
	if _, err := s.Gateway.AskStatus(t.Context(), st.Action); !errors.Is(err, reconcile.ErrBehalf) {
		t.Errorf("asked in nobody's right: %v", err)
	}
	if now := len(s.Rows(t, audit.Filter{Type: audit.LedgerAsked})); now != asked {
		t.Errorf("asked %d times", now-asked)
	}
	lost.Store(false)
	if st := said(open("k2")); st.Outcome != gateway.OutcomeCommitted || st.Reconciled != receipt.SourceRepeat {
		t.Errorf("the caller's own repeat: %+v", st)
	}
}
