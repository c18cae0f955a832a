package gateway_test

import (
	"testing"
	"time"

	"mcp-gateway/gateway"
)

func TestApprovalMeetsWhatIsAskedFor(t *testing.T) {
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	good := gateway.ApprovalFact{ID: "a1", Approver: "bob", ApproverGroups: []string{"oncall"}, ApprovedAt: now.Add(-time.Minute), Expires: now.Add(time.Minute)}
	with := func(change func(*gateway.ApprovalFact)) *gateway.ApprovalFact {
		a := good
		change(&a)
		return &a
	}
	for name, c := range map[string]struct {
		by   gateway.ApprovalBy
		fact *gateway.ApprovalFact
		met  bool
	}{
		"none":                     {gateway.ApprovalBy{}, nil, false},
		"the zero fact":            {gateway.ApprovalBy{}, &gateway.ApprovalFact{}, false},
		"by anyone else":           {gateway.ApprovalBy{}, &good, true},
		"without an id":            {gateway.ApprovalBy{}, with(func(a *gateway.ApprovalFact) { a.ID = "" }), false},
		"expired just now":         {gateway.ApprovalBy{}, with(func(a *gateway.ApprovalFact) { a.Expires = now }), false},
		"given in the future":      {gateway.ApprovalBy{}, with(func(a *gateway.ApprovalFact) { a.ApprovedAt = now.Add(1) }), false},
		"by the caller":            {gateway.ApprovalBy{}, with(func(a *gateway.ApprovalFact) { a.Self = true }), false},
		"by the caller, who may":   {gateway.ApprovalBy{Self: true}, with(func(a *gateway.ApprovalFact) { a.Self = true }), true},
		"by another where one may": {gateway.ApprovalBy{Self: true}, &good, true},
		"by the group":             {gateway.ApprovalBy{Groups: []string{"leads", "oncall"}}, &good, true},
		"by another group":         {gateway.ApprovalBy{Groups: []string{"leads"}}, &good, false},
		"by the caller, who may, outside the group": {gateway.ApprovalBy{Groups: []string{"leads"}, Self: true},
			with(func(a *gateway.ApprovalFact) { a.Self = true }), false},
	} {
		if got := c.by.MetBy(c.fact, now); got != c.met {
			t.Errorf("%s: met %v, want %v", name, got, c.met)
		}
	}
}

func TestObligationsZero(t *testing.T) {
	if !(&gateway.Obligations{}).IsZero() {
		t.Error("the zero value asks for something")
	}
	for i, o := range []gateway.Obligations{
		{MaskArguments: []string{"/a"}}, {MaskResult: []string{"/a"}}, {ResultBytes: 1}, {Approvals: []gateway.ApprovalBy{{}}},
		{IdempotencyKey: true}, {RateClasses: []string{"a"}}, {Labels: []string{"a"}}, {StepUp: []string{"a"}}, {Timeout: 1}, {FreshWithin: 1},
	} {
		if o.IsZero() {
			t.Errorf("%d: %+v asks for nothing", i, o)
		}
	}
}
