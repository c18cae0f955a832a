package approvals

import (
	"encoding/json"
	"net/http"
	"testing"

	"mcp-gateway/admin"
	"mcp-gateway/audit"
	"mcp-gateway/test/stage"
)

// Kept arguments are for examiners alone, of their tenant, and each look is on record
// with who and why. Where none are kept there is nothing to see.
func TestKeptArgumentsAreForExaminers(t *testing.T) {
	staff := append(people(),
		stage.Staff{Name: "xena", Roles: []string{"examiner"}},
		stage.Staff{Name: "afar", Tenant: "elsewhere", Roles: []string{"examiner"}})
	_, s := open(t, stage.Options{Staff: staff, Settings: "audit: {detail: {keep: 1h}}\n"})
	const arguments = `{"to":"a text of its own","amount":1.10}`
	s.Host("alice").Call(t, "bank__look", arguments)
	decided := events(t, s, audit.ToolDecided)
	if len(decided) != 1 {
		t.Fatalf("%d calls were decided", len(decided))
	}
	path := "/v1/details/" + decided[0].Action.String()
	stage.Await(t, "the arguments are kept", func() bool {
		return s.AskAdmin(t, "xena", http.MethodGet, path+"?reason=dispute", "").Status == http.StatusOK
	})
	before := len(events(t, s, audit.DetailRead))
	for _, tc := range []struct {
		name, who, path string
		status          int
	}{
		{"an auditor", "audrey", path + "?reason=dispute", http.StatusForbidden},
		{"an approver", "carol", path + "?reason=dispute", http.StatusForbidden},
		{"an operator", "oscar", path + "?reason=dispute", http.StatusForbidden},
		{"another tenant's examiner", "afar", path + "?reason=dispute", http.StatusNotFound},
		{"no reason", "xena", path, http.StatusBadRequest},
		{"another reason", "xena", path + "?reason=curious", http.StatusBadRequest},
		{"two reasons", "xena", path + "?reason=dispute&reason=replay", http.StatusBadRequest},
		{"no id", "xena", "/v1/details/x?reason=dispute", http.StatusBadRequest},
		{"another action", "xena", "/v1/details/" + audit.NewID(decided[0].Time).String() + "?reason=dispute", http.StatusNotFound},
	} {
		if r := s.AskAdmin(t, tc.who, http.MethodGet, tc.path, ""); r.Status != tc.status {
			t.Errorf("%s: %d %s, want %d", tc.name, r.Status, r.Body, tc.status)
		}
	}
	if n := len(events(t, s, audit.DetailRead)); n != before {
		t.Errorf("%d looks are on record of who saw nothing", n-before)
	}
	r := s.AskAdmin(t, "xena", http.MethodGet, path+"?reason=subject_request", "")
	var shown admin.Detail
	if err := json.Unmarshal(r.Body, &shown); err != nil || r.Status != http.StatusOK || string(shown.Arguments) != arguments || shown.Expires.Before(decided[0].Time) {
		t.Fatalf("%v %d %s", err, r.Status, r.Body)
	}
	looks := events(t, s, audit.DetailRead)
	last := looks[len(looks)-1]
	if len(looks) != before+1 || last.Action != decided[0].Action || last.Client != "xena" || last.Approver == "" || len(last.Reasons) != 1 || last.Reasons[0] != "subject_request" {
		t.Errorf("the look is on record as %+v", last)
	}
}
