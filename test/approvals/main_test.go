package approvals

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/consent"
	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, nil)) }

// counting is an upstream of tools that count how often they ran: pay can't be undone,
// wipe destroys.
type counting struct {
	*stage.Peer
	ran atomic.Int64
}

func tool(name string) string {
	return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{"to":{"type":"string"},"amount":{"type":"number"},"pin":{"type":"string"}},"additionalProperties":false}}`
}

func newCounting() *counting {
	c := &counting{Peer: stage.NewPeer()}
	for _, name := range []string{"pay", "wipe", "look"} {
		c.Add(tool(name), func(w http.ResponseWriter, r *http.Request, m stage.Message) {
			c.ran.Add(1)
			stage.Result(stage.Text(`"done"`))(w, r, m)
		})
	}
	return c
}

// reviewed is how the tools were reviewed.
func reviewed(id gateway.ItemID) string {
	switch id.Name {
	case "wipe":
		return `side_effect: destructive, notifies: [/to, the bank], data: {/pin: secret, /to: personal}, waive: {external_id: it is tested}, scopes: [use], owner: treasury, why: it is tested, approved_by: stage, approved_at: 2026-09-01`
	case "pay":
		return stage.Outbound("use")
	}
	return stage.Read("use")
}

// people are those before every gateway here.
func people() []stage.Staff {
	return []stage.Staff{
		{Name: "carol", Roles: []string{"approver"}, Groups: []string{"treasury"}},
		{Name: "alice", Roles: []string{"approver"}},
		{Name: "vera", Roles: []string{"viewer"}},
		{Name: "audrey", Roles: []string{"auditor"}},
		{Name: "oscar", Roles: []string{"operator"}},
		{Name: "far", Tenant: "elsewhere", Roles: []string{"approver", "operator"}},
	}
}

func open(t *testing.T, o stage.Options) (*counting, *stage.Stage) {
	t.Helper()
	up := newCounting()
	o.Upstreams = append(o.Upstreams, stage.Served(t, "bank", up))
	if o.Review == nil {
		o.Review = reviewed
	}
	if o.Staff == nil {
		o.Staff = people()
	}
	return up, stage.Open(t, o)
}

// ticketOf is the ticket that a refusal names.
func ticketOf(t *testing.T, r *stage.Reply) string {
	t.Helper()
	id := strings.Trim(r.Get("/_meta/mcp-gateway~1error/approval/id"), `"`)
	if r.Code() != "approval_required" || id == "" {
		t.Fatalf("no ticket: %s", r.Body)
	}
	return id
}

// naming is a request that names a ticket.
func naming(r *stage.Request, id string) *stage.Request {
	r.Meta = strings.Replace(r.Meta, "{", `{"`+consent.MetaApproval+`":"`+id+`",`, 1)
	return r
}

const because = `{"reason":"agreed on the bridge"}`

// text is what a file of the stage holds.
func text(t *testing.T, s *stage.Stage, name string) string {
	t.Helper()
	raw, err := os.ReadFile(s.Path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// asking is the setting of a policy that asks about every call, with these obligations.
func asking(t *testing.T, obligations string) string {
	t.Helper()
	return deciding(t, `{"effect": "ask", "reasons": {"asked_always"}, "obligations": [`+obligations+`]}`)
}

// deciding is the setting of a policy that decides so about whoever holds the scopes.
func deciding(t *testing.T, decision string) string {
	t.Helper()
	dir := t.TempDir()
	policy := `package mcp.gateway

import data.mcp.lib

visible := lib.entitled

decision := ` + decision + ` if lib.permitted
else := {"effect": "deny", "reasons": {"scope_missing"}}
`
	if err := os.WriteFile(filepath.Join(dir, "policy.rego"), []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	return "policy: {dir: " + dir + ", timeout: 10s}\n"
}

// events are those of a type that are on record, oldest first.
func events(t *testing.T, s *stage.Stage, typ audit.Type) []audit.Event {
	t.Helper()
	var all []audit.Event
	for line := range bytes.Lines(s.Journal(t)) {
		var e audit.Event
		if line[0] != '{' {
			continue // of a checkpoint
		}
		if err := audit.Decode(bytes.TrimSuffix(line, []byte("\n")), &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == typ {
			all = append(all, e)
		}
	}
	return all
}
