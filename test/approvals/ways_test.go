package approvals

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

const pages = `{"elicitation":{"url":{}}}`

// legacy begins a session of a revision, and returns how alice asks in it.
func legacy(t *testing.T, h *stage.Host, revision, capabilities string) func(method, params string) *stage.Request {
	t.Helper()
	r := h.Legacy("", "", protocol.MethodInitialize,
		`"protocolVersion":"`+revision+`","capabilities":`+capabilities+`,"clientInfo":{"name":"raw","version":"1"}`).Send(t)
	session := r.Header.Get(protocol.HeaderSession)
	if session == "" {
		t.Fatalf("initialize: %d %s", r.Status, r.Body)
	}
	n := h.Legacy(revision, session, protocol.NotificationInitialized, "")
	n.ID = ""
	n.Send(t)
	return func(method, params string) *stage.Request { return h.Legacy(revision, session, method, params) }
}

// interview calls a tool on a stream, answers the one question that comes, and returns
// the question and the last message.
func interview(t *testing.T, ask func(method, params string) *stage.Request, params, answer string) (question, last string) {
	t.Helper()
	call := ask(protocol.MethodToolsCall, params)
	req, err := http.NewRequestWithContext(t.Context(), call.Verb, call.URL, strings.NewReader(call.Text()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = call.Header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		m, err := protocol.ParseMessage([]byte(data), protocol.DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if m.Method == "" {
			return question, data
		}
		question = data
		if r := ask("", "").Saying(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + answer + `}`).Send(t); r.Status != 202 {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	t.Fatalf("the stream ended after %q: %v", question, lines.Err())
	return "", ""
}

// One gateway, and every way by which a call comes to be approved: each runs once, and
// not before.
func TestEveryWay(t *testing.T) {
	up, s := open(t, stage.Options{Console: "-"})
	alice := s.Host("alice")
	const yes = `{"action":"accept","content":{"approve":true}}`
	n := 0
	fresh := func() string { n++; return fmt.Sprintf(`{"amount":%d}`, n) }
	approve := func(id string) {
		t.Helper()
		if r := s.AskAdmin(t, "carol", http.MethodPost, "/v1/approvals/"+id+"/approve", because); r.Status != 200 {
			t.Fatalf("%s", r.Body)
		}
	}
	for name, way := range map[string]func(t *testing.T) *stage.Reply{
		"2026-07-28, a form": func(t *testing.T) *stage.Reply {
			args := fresh()
			call := func() *stage.Request { return declaring(alice.Calling("bank__pay", args), forms) }
			return answering(t, call().Send(t), call(), yes).Send(t)
		},
		"2026-07-28, our page": func(t *testing.T) *stage.Reply {
			args := fresh()
			call := func() *stage.Request { return declaring(alice.Calling("bank__wipe", args), pages) }
			first := call().Send(t)
			question := first.Get("/inputRequests")
			_, rest, _ := strings.Cut(question, `"url":"`+s.Admin+"/console/approvals/")
			id, _, ok := strings.Cut(rest, `"`)
			if !ok || !strings.Contains(question, `"mode":"url"`) {
				t.Fatalf("%s", first.Body)
			}
			opened := answering(t, first, call(), `{"action":"accept"}`).Send(t)
			if opened.Get("/resultType") != `"input_required"` {
				t.Fatalf("to open the page is no approval: %s", opened.Body)
			}
			forged := answering(t, first, call(), yes).Send(t)
			if forged.Get("/resultType") != `"input_required"` {
				t.Fatalf("to say yes without the page is none either: %s", forged.Body)
			}
			onThePage(t, s, "carol", id)
			return answering(t, first, call(), `{"action":"accept"}`).Send(t)
		},
		"2025-11-25": func(t *testing.T) *stage.Reply { return asReply(t, s, protocol.Revision20251125, fresh(), yes) },
		"2025-06-18": func(t *testing.T) *stage.Reply { return asReply(t, s, protocol.Revision20250618, fresh(), yes) },
		"a host without elicitation, by the API": func(t *testing.T) *stage.Reply {
			args := fresh()
			approve(ticketOf(t, alice.Call(t, "bank__wipe", args)))
			return alice.Call(t, "bank__wipe", args)
		},
		"a legacy host without elicitation, by the command line": func(t *testing.T) *stage.Reply {
			ask := legacy(t, alice, protocol.Revision20251125, `{}`)
			params := `"name":"bank__wipe","arguments":` + fresh()
			id := ticketOf(t, ask(protocol.MethodToolsCall, params).Send(t))
			asked(t, s, "")
			t.Setenv("CAROL", s.StaffKey("carol"))
			if out, err := run(t, s, "approve", id, "--reason", "agreed", "--key", "env:CAROL"); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			return ask(protocol.MethodToolsCall, params).Send(t)
		},
		"a host without elicitation, by the page": func(t *testing.T) *stage.Reply {
			args := fresh()
			onThePage(t, s, "carol", ticketOf(t, alice.Call(t, "bank__wipe", args)))
			return alice.Call(t, "bank__wipe", args)
		},
	} {
		t.Run(name, func(t *testing.T) {
			up.ran.Store(0)
			if r := way(t); r.Code() != "" || r.IsError() || up.ran.Load() != 1 {
				t.Errorf("%d executed: %s", up.ran.Load(), r.Body)
			}
		})
	}
}

// asReply lets a legacy host answer on its open call.
func asReply(t *testing.T, s *stage.Stage, revision, args, answer string) *stage.Reply {
	t.Helper()
	ask := legacy(t, s.Host("alice"), revision, `{"elicitation":{}}`)
	question, last := interview(t, ask, `"name":"bank__pay","arguments":`+args, answer)
	if !strings.Contains(question, `"method":"elicitation/create"`) || !strings.Contains(question, "Tool: pay on bank") || strings.Contains(question, `"mode":"url"`) {
		t.Errorf("asked %s", question)
	}
	m, err := protocol.ParseMessage([]byte(last), protocol.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return &stage.Reply{Status: 200, Body: []byte(last), Result: m.Result, Fault: m.Error}
}

// What a legacy host answers that is no consent runs nothing.
func TestWhatIsNoConsentOnAnOpenCall(t *testing.T) {
	up, s := open(t, stage.Options{})
	for i, tc := range []struct{ answer, code string }{
		{`{"action":"decline"}`, "user_denied"},
		{`{"action":"cancel"}`, "user_denied"},
		{`{"action":"accept","content":{"approve":false}}`, "user_denied"},
		{`{"action":"accept","content":{"approve":"true"}}`, "approval_answer_malformed"},
		{`{"action":"yes"}`, "approval_answer_malformed"},
	} {
		ask := legacy(t, s.Host("alice"), protocol.Revision20250618, `{"elicitation":{}}`)
		_, last := interview(t, ask, fmt.Sprintf(`"name":"bank__pay","arguments":{"amount":%d}`, i), tc.answer)
		if !strings.Contains(last, `"`+tc.code+`"`) || up.ran.Load() != 0 {
			t.Errorf("%s: %d executed, %s", tc.answer, up.ran.Load(), last)
		}
	}
}

// onThePage approves as a browser does.
func onThePage(t *testing.T, s *stage.Stage, who, id string) {
	t.Helper()
	if done := pressed(t, s, who, id); done.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", done.Status, done.Body)
	}
}

// pressed signs in and sends the page's form that approves.
func pressed(t *testing.T, s *stage.Stage, who, id string) *stage.Asked {
	t.Helper()
	form := func(path string, values url.Values, cookie string) *stage.Asked {
		r := s.AdminRequest(t, "", http.MethodPost, path, values.Encode())
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if cookie != "" {
			r.Header.Set("Cookie", cookie)
		}
		return stage.SendAdmin(t, r)
	}
	in := form("/console/login", url.Values{"key": {s.StaffKey(who)}}, "")
	cookie, _, _ := strings.Cut(in.Header.Get("Set-Cookie"), ";")
	return form("/console/approvals/"+id+"/approve", url.Values{"reason": {"agreed"}}, cookie)
}
