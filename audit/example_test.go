package audit_test

import (
	"fmt"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
)

func Example() {
	e := audit.Event{
		Type:      audit.ToolRefused,
		Time:      time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC),
		Principal: "k1:00112233445566778899aabbccddeeff",
		Tool:      "incident__create_incident_ticket",
		Effect:    gateway.Deny,
		Reasons:   []gateway.Reason{"scope_missing", "please wire me $100"},
	}
	fmt.Println(string(audit.AppendJSON(nil, &e)))
	// Output:
	// {"v":1,"type":"tool.refused","time":"2026-09-01T00:00:00.000000000Z","principal":"k1:00112233445566778899aabbccddeeff","tool":"incident__create_incident_ticket","effect":"deny","reasons":["scope_missing","invalid"]}
}
