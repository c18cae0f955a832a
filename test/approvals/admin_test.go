package approvals

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"mcp-gateway/admin"
	"mcp-gateway/audit"
	"mcp-gateway/test/stage"
)

const order = `{"to":"<bob> & sons","amount":10,"pin":"1234"}`

func TestWhatAnApproverIsShown(t *testing.T) {
	_, s := open(t, stage.Options{})
	id := ticketOf(t, s.Host("alice").Call(t, "bank__wipe", order))
	got := s.AskAdmin(t, "carol", http.MethodGet, "/v1/approvals/"+id, "")
	var k admin.Ticket
	if err := json.Unmarshal(got.Body, &k); err != nil || got.Status != 200 || k.Sheet == nil {
		t.Fatalf("%v %d %s", err, got.Status, got.Body)
	}
	sheet := k.Sheet
	if string(sheet.Arguments) != `{"to":"<bob> & sons","amount":10}` || strings.Join(sheet.Hidden, " ") != "/pin" || strings.Contains(string(got.Body), "1234") {
		t.Errorf("arguments %s, hidden %q", sheet.Arguments, sheet.Hidden)
	}
	if sheet.SideEffect != "destructive" || sheet.Reversible || sheet.Contained || sheet.Owner != "treasury" || sheet.Purpose != "it is tested" ||
		!strings.HasPrefix(sheet.Destination, "http://127.0.0.1:") || strings.Join(sheet.Notifies, "|") != `"<bob> & sons"|the bank` ||
		sheet.Data["/to"] != "personal" || len(sheet.Reasons) != 1 || sheet.Reasons[0] != "destructive" {
		t.Errorf("%+v", sheet)
	}
	if k.Caller.Subject != "alice" || k.Upstream != "bank" || k.Tool != "tool:wipe" || k.Expires.Before(k.Created) || k.Bars != "" {
		t.Errorf("%+v", k)
	}
	reads := events(t, s, audit.DetailRead)
	if len(reads) != 1 || reads[0].Client != "carol" {
		t.Errorf("who read it is on record as %+v", reads)
	}
	if list := s.AskAdmin(t, "vera", http.MethodGet, "/v1/approvals?state=pending", ""); !strings.Contains(string(list.Body), id) || strings.Contains(string(list.Body), "sons") {
		t.Errorf("the list tells %s", list.Body)
	}
}

func TestWhoMayAnswer(t *testing.T) {
	up, s := open(t, stage.Options{})
	alice := s.Host("alice")
	id := ticketOf(t, alice.Call(t, "bank__wipe", order))
	path := "/v1/approvals/" + id
	for _, tc := range []struct {
		name, who, method, path, body string
		status                        int
		code                          string
	}{
		{"nobody", "", http.MethodGet, "/v1/approvals", "", 401, "unauthenticated"},
		{"a viewer reads", "vera", http.MethodGet, path, "", 403, "forbidden"},
		{"a viewer approves", "vera", http.MethodPost, path + "/approve", because, 403, "forbidden"},
		{"an auditor reads", "audrey", http.MethodGet, path, "", 200, ""},
		{"an auditor approves", "audrey", http.MethodPost, path + "/approve", because, 403, "forbidden"},
		{"an operator approves", "oscar", http.MethodPost, path + "/approve", because, 403, "forbidden"},
		{"the caller approves", "alice", http.MethodPost, path + "/approve", because, 403, "approver_is_caller"},
		{"another tenant reads", "far", http.MethodGet, path, "", 404, "approval_unknown"},
		{"another tenant approves", "far", http.MethodPost, path + "/approve", because, 404, "approval_unknown"},
		{"another tenant revokes", "far", http.MethodPost, path + "/revoke", because, 404, "approval_unknown"},
		{"no reason", "carol", http.MethodPost, path + "/approve", `{"reason":" "}`, 400, "reason_missing"},
		{"an unknown member", "carol", http.MethodPost, path + "/approve", `{"reason":"x","force":true}`, 400, "malformed_request"},
		{"a member twice", "carol", http.MethodPost, path + "/approve", `{"reason":"x","reason":"y"}`, 400, "malformed_request"},
		{"a member in another case", "carol", http.MethodPost, path + "/approve", `{"Reason":"x"}`, 400, "malformed_request"},
		{"two documents", "carol", http.MethodPost, path + "/approve", because + because, 400, "malformed_request"},
		{"too large", "carol", http.MethodPost, path + "/approve", `{"reason":"` + strings.Repeat("x", 20<<10) + `"}`, 400, "malformed_request"},
		{"remembered, though policy does not allow it", "carol", http.MethodPost, path + "/approve", `{"reason":"x","remember":true}`, 409, "consent_not_remembered"},
		{"no such ticket", "carol", http.MethodPost, "/v1/approvals/x/approve", because, 404, "approval_unknown"},
		{"no such route", "carol", http.MethodGet, "/v2/approvals", "", 404, "not_found"},
		{"a wrong state", "carol", http.MethodGet, "/v1/approvals?state=lost", "", 400, "malformed_request"},
		{"another person", "carol", http.MethodPost, path + "/approve", because, 200, ""},
		{"twice", "carol", http.MethodPost, path + "/approve", because, 409, "approval_decided"},
		{"denied afterwards", "carol", http.MethodPost, path + "/deny", because, 409, "approval_decided"},
	} {
		r := s.AskAdmin(t, tc.who, tc.method, tc.path, tc.body)
		if r.Status != tc.status || r.Code() != tc.code || up.ran.Load() != 0 {
			t.Errorf("%s: %d %q, want %d %q: %s", tc.name, r.Status, r.Code(), tc.status, tc.code, r.Body)
		}
	}
	granted := events(t, s, audit.ApprovalGranted)
	if len(granted) != 1 || granted[0].Client != "carol" || granted[0].Approver != s.Gateway.Names().Principal("carol") || granted[0].Approval.String() != id {
		t.Errorf("on record: %+v", granted)
	}
	if refused := events(t, s, audit.AdminRefused); len(refused) != 5 {
		t.Errorf("%d refusals are on record, want 5: %+v", len(refused), refused)
	}
	if granted[0].Tool != "bank__wipe" || granted[0].Label != "api" {
		t.Errorf("granted: %+v", granted[0])
	}
	if r := alice.Call(t, "bank__wipe", order); r.Code() != "" || up.ran.Load() != 1 {
		t.Errorf("%s", r.Body)
	}
	used := events(t, s, audit.ApprovalUsed)
	if len(used) != 1 || len(events(t, s, audit.ApprovalGranted)) != 1 || used[0].Tool != "bank__wipe" || used[0].Approval.String() != id ||
		used[0].Label != "api" || used[0].Principal == "" || used[0].Approver != granted[0].Approver {
		t.Errorf("used: %+v", used)
	}
}

// A host's key opens nothing here, and a page of a browser neither.
func TestWhoIsNotHeard(t *testing.T) {
	_, s := open(t, stage.Options{})
	host := s.AdminRequest(t, "", http.MethodGet, "/v1/approvals", "")
	host.Header.Set("Authorization", "Bearer "+s.Host("alice").Key())
	if r := stage.SendAdmin(t, host); r.Status != 401 {
		t.Errorf("a host's key: %d %s", r.Status, r.Body)
	}
	if r := stage.NewHost(s.URL, s.StaffKey("carol")).Call(t, "bank__look", `{}`); r.Status != 401 {
		t.Errorf("a key of staff calls tools: %d %s", r.Status, r.Body)
	}
	for header, value := range map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"} {
		page := s.AdminRequest(t, "carol", http.MethodGet, "/v1/approvals", "")
		page.Header.Set(header, value)
		if r := stage.SendAdmin(t, page); r.Status != 403 {
			t.Errorf("%s: %d", header, r.Status)
		}
	}
	turned := s.AdminRequest(t, "carol", http.MethodGet, "/v1/approvals", "")
	turned.Host = "evil.example"
	if r := stage.SendAdmin(t, turned); r.Status != http.StatusMisdirectedRequest {
		t.Errorf("a foreign name: %d", r.Status)
	}
	form := s.AdminRequest(t, "carol", http.MethodPost, "/v1/approvals/x/approve", because)
	form.Header.Set("Content-Type", "text/plain")
	if r := stage.SendAdmin(t, form); r.Status != 400 {
		t.Errorf("a form's media type: %d", r.Status)
	}
	last := 0
	for range 7 {
		wrong := s.AdminRequest(t, "", http.MethodGet, "/v1/status", "")
		wrong.Header.Set("Authorization", "Bearer mcpgw_wrong")
		last = stage.SendAdmin(t, wrong).Status
	}
	if last != 429 {
		t.Errorf("the seventh wrong key: %d", last)
	}
	if r := s.AskAdmin(t, "vera", http.MethodGet, "/v1/status", ""); r.Status != 200 || !strings.Contains(string(r.Body), `"id":"bank"`) {
		t.Errorf("a right key beside wrong ones: %d %s", r.Status, r.Body)
	}
	for _, path := range []string{"/v1/upstreams", "/v1/tools"} {
		if r := s.AskAdmin(t, "vera", http.MethodGet, path, ""); r.Status != 200 || !strings.Contains(string(r.Body), "bank") {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

func TestPagesOfTickets(t *testing.T) {
	_, s := open(t, stage.Options{})
	var want []string
	for _, amount := range []string{"1", "2", "3", "4", "5"} {
		want = append([]string{ticketOf(t, s.Host("alice").Call(t, "bank__wipe", `{"amount":`+amount+`}`))}, want...)
	}
	var got []string
	for cursor := ""; ; {
		var page admin.Tickets
		r := s.AskAdmin(t, "vera", http.MethodGet, "/v1/approvals?limit=2&cursor="+cursor, "")
		if err := json.Unmarshal(r.Body, &page); err != nil {
			t.Fatalf("%v: %s", err, r.Body)
		}
		for _, k := range page.Approvals {
			got = append(got, k.ID)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("listed %q, want %q", got, want)
	}
}

// Who is taken out of the configuration is heard no more, at once.
func TestAKeyThatIsTakenAway(t *testing.T) {
	_, s := open(t, stage.Options{})
	if r := s.AskAdmin(t, "vera", http.MethodGet, "/v1/status", ""); r.Status != 200 {
		t.Fatalf("%d", r.Status)
	}
	before, rest, _ := strings.Cut(text(t, s, "upstreams.yaml"), "    - {id: vera")
	_, after, _ := strings.Cut(rest, "\n")
	s.Write(t, "upstreams.yaml", before+after)
	if err := s.Gateway.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := s.AskAdmin(t, "vera", http.MethodGet, "/v1/status", ""); r.Status != 401 {
		t.Errorf("%d", r.Status)
	}
}

// A browser that is given the listener's address finds the console, the log says where it
// is, and so does a refusal that waits for a person.
func TestTheConsoleIsFound(t *testing.T) {
	_, s := open(t, stage.Options{Console: "-"})
	root := func(s *stage.Stage, accept string) *stage.Asked {
		r := s.AdminRequest(t, "", http.MethodGet, "/", "")
		r.Header.Set("Accept", accept)
		return stage.SendAdmin(t, r)
	}
	if r := root(s, "text/html,application/xhtml+xml"); r.Status != http.StatusSeeOther || r.Header.Get("Location") != "/console/" {
		t.Errorf("a browser: %d %q", r.Status, r.Header.Get("Location"))
	}
	if r := root(s, "*/*"); r.Status != 404 || r.Code() != "not_found" {
		t.Errorf("a program: %d %s", r.Status, r.Body)
	}
	if !strings.Contains(s.Log(), `"url":"`+s.Admin+`","console":"`+s.Admin+`/console/"`) {
		t.Errorf("the log does not say where it is:\n%s", s.Log())
	}
	call := s.Host("alice").Call(t, "bank__wipe", order)
	id := ticketOf(t, call)
	page := s.Admin + "/console/approvals/" + id
	if want := "nothing was executed. Ticket " + id + ". A person answers it at " + page; !strings.Contains(call.Get("/content/0/text"), want) {
		t.Errorf("the refusal says %s", call.Get("/content/0/text"))
	}
	if got := call.Get("/_meta/mcp-gateway~1error/approval/url"); got != `"`+page+`"` {
		t.Errorf("for programs: %s", got)
	}
	_, plain := open(t, stage.Options{})
	if r := root(plain, "text/html"); r.Status != 404 {
		t.Errorf("a browser where there is no console: %d", r.Status)
	}
	bare := plain.Host("alice").Call(t, "bank__wipe", order)
	if text := bare.Get("/content/0/text"); !strings.HasSuffix(text, "Ticket "+ticketOf(t, bare)+`."`) {
		t.Errorf("without a console: %s", text)
	}
}
