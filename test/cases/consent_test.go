package cases

import (
	"encoding/json"
	"net/http"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/consent"
	"mcp-gateway/test/stage"
)

func consents() map[string]proof { return map[string]proof{"ATK-075": swappedArguments} }

// swappedArguments: an approval of one amount is none of another, however the call
// comes by it, and stays good for the one that was approved.
func swappedArguments(c *trial) {
	approved, swapped := c.raw("/approved_arguments"), c.raw("/retry_arguments")
	up := newPeer().Add(`{"name":"pay","inputSchema":{"type":"object","properties":{"amount":{"type":"number"}},"additionalProperties":false}}`, stage.Result(stage.Text(done)))
	s := c.open(up, stage.Options{
		Staff: []stage.Staff{{Name: "carol", Roles: []string{"approver"}}},
		Review: func(id gateway.ItemID) string {
			if id.Name == "pay" {
				return strings.Replace(stage.Write("use"), "side_effect: write", "side_effect: destructive", 1)
			}
			return stage.Read("use")
		},
	})
	ask := func() string {
		r := s.alice.Call(c, "up__pay", approved)
		id := strings.Trim(r.Get("/_meta/mcp-gateway~1error/approval/id"), `"`)
		c.hold(outward, r.Code() == string(gateway.CodeApprovalRequired) && id != "", "answered %.300s", r.Body)
		s.Events(c)
		return id
	}
	id := ask()
	seen := s.AskAdmin(c, "carol", http.MethodGet, "/v1/approvals/"+id, "")
	var shown struct {
		Sheet struct{ Arguments json.RawMessage }
	}
	c.must(json.Unmarshal(seen.Body, &shown))
	c.hold(outward, string(shown.Sheet.Arguments) == strings.ReplaceAll(approved, " ", ""), "the approver is shown %s", shown.Sheet.Arguments)
	yes := s.AskAdmin(c, "carol", http.MethodPost, "/v1/approvals/"+id+"/approve", `{"reason":"ten is fine"}`)
	c.hold(outward, yes.Status == http.StatusOK, "approved: %d %s", yes.Status, yes.Body)
	s.Events(c)
	s.up.Calls()
	naming := func(arguments string) *stage.Request {
		r := s.alice.Calling("up__pay", arguments)
		r.Meta = with(r.Meta, `"`+consent.MetaApproval+`":"`+id+`"`)
		return r
	}
	for _, other := range []string{swapped, `{"amount":10.5}`, `{"amount":1e9}`, `{}`} {
		s.refused(naming(other).Send(c), gateway.CodeApprovalInvalid, "approval_arguments_differs")
	}
	unnamed := s.alice.Call(c, "up__pay", swapped)
	c.hold(outward, unnamed.Code() == string(gateway.CodeApprovalRequired), "unnamed: %.300s", unnamed.Body)
	s.Events(c)
	s.untouched()
	ran := naming(approved).Send(c)
	c.hold(outward, len(s.up.Calls()) == 1, "the approved call did not reach the upstream once")
	row := s.OneEvent(c)
	c.hold(event, row.Outcome == gateway.OutcomeCommitted && ran.Code() == "", "%s %q: %.300s", row.Type, row.Outcome, ran.Body)
	granted := s.last(func(e *audit.Event) bool { return e.Type == audit.ApprovalUsed })
	c.hold(event, granted.Approval.String() == id && granted.Approver == s.Gateway.Names().Principal("carol"), "on record: %+v", granted)
	s.refused(naming(approved).Send(c), gateway.CodeApprovalInvalid, "approval_consumed")
	s.served()
}
