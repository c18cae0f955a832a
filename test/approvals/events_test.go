package approvals

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"mcp-gateway/admin"
	"mcp-gateway/test/stage"
)

// An auditor asks what is on record, a page at a time; nobody else does, and a question
// that is not understood is refused rather than answered in part.
func TestTheRecordIsForAuditors(t *testing.T) {
	staff := append(people(), stage.Staff{Name: "afar", Tenant: "elsewhere", Roles: []string{"auditor"}})
	_, s := open(t, stage.Options{Staff: staff})
	for range 5 {
		s.Host("alice").Call(t, "bank__nothing", `{}`)
	}
	ask := func(who, query string) (admin.Events, int) {
		t.Helper()
		got := s.AskAdmin(t, who, http.MethodGet, "/v1/events"+query, "")
		var page admin.Events
		if err := json.Unmarshal(got.Body, &page); err != nil {
			t.Fatal(err)
		}
		return page, got.Status
	}
	seen := map[string]bool{}
	cursor := ""
	for pages := 0; ; pages++ {
		page, status := ask("audrey", "?refused=true&code=unknown_tool&limit=2"+cursor)
		if status != 200 || pages > 3 {
			t.Fatalf("page %d: %d", pages, status)
		}
		for _, e := range page.Events {
			if e.Code != "unknown_tool" || e.Principal == "" || e.ToolRef == "" || seen[e.ID] {
				t.Errorf("%+v", e)
			}
			seen[e.ID] = true
		}
		if cursor = "&cursor=" + page.Next; page.Next == "" {
			break
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d refusals, want 5", len(seen))
	}
	count := func(who, query string) (admin.Counts, int) {
		t.Helper()
		got := s.AskAdmin(t, who, http.MethodGet, "/v1/events/counts"+query, "")
		var all admin.Counts
		if err := json.Unmarshal(got.Body, &all); err != nil {
			t.Fatal(err)
		}
		return all, got.Status
	}
	if all, status := count("audrey", "?refused=true&by=code,type"); status != 200 || len(all.Groups) != 1 || all.Groups[0].Rows != 5 ||
		all.Groups[0].Values[0] != "unknown_tool" || all.Groups[0].Values[1] != "tool.refused" {
		t.Errorf("%d %+v", status, all)
	}
	if all, status := count("afar", "?by=code&refused=true"); status != 200 || len(all.Groups) != 0 {
		t.Errorf("another tenant's auditor counts %+v", all)
	}
	for _, query := range []string{"", "?by=", "?by=prev", "?by=code&by=type", "?by=code&cursor=1.1", "?by=code&tol=x"} {
		if _, status := count("audrey", query); status != http.StatusBadRequest {
			t.Errorf("counts%s: %d", query, status)
		}
	}
	if _, status := count("carol", "?by=code"); status != http.StatusForbidden {
		t.Errorf("an approver counts: %d", status)
	}
	if page, status := ask("afar", "?refused=true"); status != 200 || len(page.Events) != 0 {
		t.Errorf("another tenant's auditor sees %+v", page.Events)
	}
	for query, unseen := range map[string]string{
		"?tool=bank__never&upstream=bank":               "tool", // a name that is not served stands in no event
		"?code=forbidden":                               "",
		"?reason=nothing_like_it":                       "reason",
		"?approver=k1:00112233445566778899aabbccddeeff": "approver",
	} {
		page, status := ask("audrey", query)
		if got := strings.Join(page.Unseen, ","); status != 200 || len(page.Events) != 0 || got != unseen {
			t.Errorf("%s: %d, unseen %q", query, status, got)
		}
		all, _ := count("audrey", "?by=code&"+query[1:])
		if got := strings.Join(all.Unseen, ","); len(all.Groups) != 0 || got != unseen {
			t.Errorf("counts of %s: unseen %q", query, got)
		}
	}
	for _, who := range []string{"carol", "vera", "oscar"} {
		if _, status := ask(who, ""); status != http.StatusForbidden {
			t.Errorf("%s: %d", who, status)
		}
	}
	for _, query := range []string{
		"?tol=x", "?effect=maybe", "?limit=0", "?limit=1001", "?since=yesterday", "?refused=no", "?id=x", "?cursor=x", "?code=x&code=y", "?tool=",
		"?principal=ci", "?approver=carol", "?outcome=unknown", "?state=fine", "?unresolved=no",
	} {
		if _, status := ask("audrey", query); status != http.StatusBadRequest {
			t.Errorf("%s: %d", query, status)
		}
	}
}

// A refusal of a question names the member and what it wants.
func TestAQuestionThatIsNotUnderstood(t *testing.T) {
	_, s := open(t, stage.Options{Staff: people()})
	for query, want := range map[string]string{
		"?efect=deny":    `"efect" is no member of a question; there are since,`,
		"?effect=denied": "effect wants one of allow, deny, ask.",
		"?outcome=done":  "outcome wants one of ",
		"?tool=":         "tool wants a word.",
		"?code=a&code=b": "code is given more than once.",
		"?since=monday":  "since wants a time (RFC 3339).",
	} {
		var told admin.Trouble
		got := s.AskAdmin(t, "audrey", http.MethodGet, "/v1/events"+query, "")
		if err := json.Unmarshal(got.Body, &told); err != nil || got.Status != 400 || !strings.HasPrefix(told.Error.Message, want) {
			t.Errorf("%s: %d %v %q", query, got.Status, err, told.Error.Message)
		}
	}
}
