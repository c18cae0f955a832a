package registry

import (
	"errors"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry/listed"
	"mcp-gateway/registry/review"
)

const ticketTool = `{"name":"open","inputSchema":{"type":"object","properties":{"key":{"type":"string"}}},` +
	`"outputSchema":{"type":"object","properties":{"id":{"type":"string"},"note":{"type":"string"}},"required":["id"]}}`

// TestEvidence holds that a write is served only where its results are sure to name
// what was written, or a reviewer wrote why that is not needed.
func TestEvidence(t *testing.T) {
	const bare = `{"name":"open","inputSchema":{"type":"object"}}`
	for name, tt := range map[string]struct {
		raw    string
		facts  gateway.ExposureFacts
		waived string
		want   string
	}{
		"guaranteed":           {ticketTool, gateway.ExposureFacts{SideEffect: gateway.Write, ExternalID: "/id"}, "", "approved"},
		"optional":             {ticketTool, gateway.ExposureFacts{SideEffect: gateway.Write, ExternalID: "/note"}, "", "withheld evidence_not_guaranteed"},
		"of an unreviewed":     {ticketTool, gateway.ExposureFacts{ExternalID: "/note"}, "", "withheld evidence_not_guaranteed"},
		"waived":               {ticketTool, gateway.ExposureFacts{SideEffect: gateway.Write, ExternalID: "/note"}, "it is a log", "approved"},
		"no output schema":     {bare, gateway.ExposureFacts{SideEffect: gateway.Write, ExternalID: "/id"}, "", "withheld evidence_not_guaranteed"},
		"a word that is sure":  {ticketTool, gateway.ExposureFacts{SideEffect: gateway.Write, ExternalID: "/id", Outcomes: &gateway.OutcomeWords{Pointer: "/id"}}, "", "approved"},
		"a word that may lack": {ticketTool, gateway.ExposureFacts{SideEffect: gateway.Write, ExternalID: "/id", Outcomes: &gateway.OutcomeWords{Pointer: "/note"}}, "it is a log", "withheld evidence_not_guaranteed"},
		"a word of no schema":  {bare, gateway.ExposureFacts{SideEffect: gateway.Write, Outcomes: &gateway.OutcomeWords{Pointer: "/id"}}, "it is a log", "withheld evidence_not_guaranteed"},
		"of a read":            {bare, gateway.ExposureFacts{SideEffect: gateway.Read, ExternalID: "/id"}, "", "approved"},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(Options{})
			id := gateway.ItemID{Upstream: "up", Name: "open"}
			rec := &Record{Definition: protocol.DigestOf([]byte(tt.raw)), Facts: tt.facts, Waive: map[string]string{review.WaiveEvidence: tt.waived}}
			r.SetExposure(&Exposure{Items: map[gateway.ItemID]*Record{id: rec}})
			publish(t, r, "up", []byte(tt.raw), tool("other", ""))
			if got := states(r)["up/open"]; got != tt.want {
				t.Errorf("stands as %s, want %s", got, tt.want)
			}
			if got := states(r)["up/other"]; got != "new unreviewed" {
				t.Errorf("the other tool stands as %s", got)
			}
		})
	}
}

func TestFits(t *testing.T) {
	d := listed.Examine(gateway.ItemID{Upstream: "up"}, []byte(ticketTool), newClock().time()).Def
	for name, tt := range map[string]struct {
		facts  gateway.ExposureFacts
		fits   bool
		reason gateway.Reason
	}{
		"as declared":     {gateway.ExposureFacts{IdempotencyField: "/key", Data: map[string]string{"/key": "internal"}, ExternalID: "/id"}, true, ""},
		"no such key":     {gateway.ExposureFacts{IdempotencyField: "/request_id"}, false, ""},
		"no such data":    {gateway.ExposureFacts{Data: map[string]string{"/title": "internal"}}, false, ""},
		"no such outcome": {gateway.ExposureFacts{ExternalID: "/ticket"}, false, gateway.ReasonNoEvidence},
	} {
		rec := &Record{Facts: tt.facts}
		err := rec.Fits(d.ID.Kind, d.InputSchema, d.OutputSchema)
		var e *gateway.Error
		switch {
		case tt.fits:
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case !errors.As(err, &e) || tt.reason != "" && (len(e.Reasons) != 1 || e.Reasons[0] != tt.reason):
			t.Errorf("%s: %v", name, err)
		}
	}
	other := &Record{Facts: gateway.ExposureFacts{ExternalID: "/x"}}
	if err := other.Fits(gateway.KindPrompt, nil, nil); err != nil {
		t.Errorf("of a prompt: %v", err)
	}
}
