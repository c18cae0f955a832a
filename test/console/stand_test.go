package console

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, nil)) }

// stand is a gateway with a console, before a bank whose transfers are counted.
type stand struct {
	*stage.Stage
	paid  atomic.Int64
	alice *stage.Host
}

const transfer = `{"name":"transfer","inputSchema":{"type":"object","properties":{"to":{"type":"string"},"amount":{"type":"string"},"note":{"type":"string"},"pin":{"type":"string"}},"additionalProperties":false}}`

func open(t *testing.T) *stand {
	t.Helper()
	s := &stand{}
	bank := stage.NewPeer()
	for _, definition := range []string{transfer, strings.Replace(transfer, `"transfer"`, `"close_account"`, 1)} {
		bank.Add(definition, func(w http.ResponseWriter, r *http.Request, m stage.Message) {
			s.paid.Add(1)
			stage.Result(stage.Text(`"done"`))(w, r, m)
		})
	}
	s.Stage = stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "bank", bank)},
		Staff: []stage.Staff{
			{Name: "carol", Roles: []string{"approver"}, Groups: []string{"treasury"}},
			{Name: "alice", Roles: []string{"approver"}},
			{Name: "vera", Roles: []string{"viewer"}},
		},
		Console: "-", Settings: policy(t), Review: reviewed,
	})
	s.alice = s.Host("alice")
	return s
}

func reviewed(id gateway.ItemID) string {
	const signed = ", scopes: [use], owner: treasury, why: invoices are paid on the day they are due, approved_by: security, approved_at: 2026-09-01"
	if id.Name == "transfer" {
		return "side_effect: write, reversible: no, outbound: yes, notifies: [/to, the bank], data: {/to: personal, /pin: secret}, waive: {external_id: it is tested}" + signed
	}
	return "side_effect: destructive, waive: {external_id: it is tested}" + signed
}

// policy asks about every call: of a transfer one of the treasury, who may let it stand
// for later ones; of anything else another person.
func policy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text := `package mcp.gateway

import data.mcp.lib

visible := lib.entitled

decision := {"effect": "ask", "reasons": {"moves_money"}, "obligations": {{"type": "approval", "groups": ["treasury"], "remember_seconds": 28800}}} if {
	lib.permitted
	input.resource.properties.side_effect == "write"
} else := {"effect": "ask", "reasons": {"cannot_be_undone"}, "obligations": {{"type": "approval"}}} if lib.permitted
else := {"effect": "deny", "reasons": {"scope_missing"}}
`
	if err := os.WriteFile(filepath.Join(dir, "policy.rego"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "policy: {dir: " + dir + ", timeout: 10s}\n"
}

// ask calls a tool and returns the ticket that it waits for.
func (s *stand) ask(t *testing.T, tool, arguments string) string {
	t.Helper()
	r := s.alice.Call(t, "bank__"+tool, arguments)
	id := strings.Trim(r.Get("/_meta/mcp-gateway~1error/approval/id"), `"`)
	if r.Code() != "approval_required" || id == "" {
		t.Fatalf("no ticket: %s", r.Body)
	}
	return id
}

// enter signs in by keyboard.
func (s *stand) enter(b *tab, who string) {
	b.Helper()
	b.do(chromedp.Navigate(s.Admin+"/console/login"), chromedp.WaitVisible("#key", chromedp.ByQuery))
	if got := b.eval("document.activeElement.id"); got != "key" {
		b.Errorf("the field for the key is not in focus, but %q", got)
	}
	b.do(chromedp.KeyEvent(s.StaffKey(who)), chromedp.KeyEvent(kb.Enter))
	b.sees("Signed in as " + who)
}
