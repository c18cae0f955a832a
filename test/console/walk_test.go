package console

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	invoice = `{"to":"ACME GmbH","amount":"1250.00","note":"invoice 4711","pin":"0000"}`
	savings = `{"to":"Savings","amount":"40.00","note":"monthly"}`
)

func TestAnApproversWalk(t *testing.T) {
	s := open(t)
	b := newTab(t)

	// Nobody comes in without a key, and the way back is kept.
	first := s.ask(t, "transfer", invoice)
	b.do(chromedp.Navigate(s.Admin + "/console/approvals/" + first))
	b.sees("Sign in")
	b.do(chromedp.SendKeys("#key", "mcpgw_wrong"+kb.Enter, chromedp.ByQuery))
	b.sees("Nobody holds this key.")
	b.picture("console-login")
	b.named()
	b.do(chromedp.SendKeys("#key", s.StaffKey("carol")+kb.Enter, chromedp.ByQuery))
	b.sees("What would be sent")

	// What comes is shown by itself, without losing the reader's place.
	b.do(chromedp.Navigate(s.Admin + "/console/pending"))
	b.sees("1 call waits.")
	b.do(chromedp.Focus("#t-"+first, chromedp.ByQuery))
	second := s.ask(t, "close_account", `{"to":"Savings"}`)
	b.sees("2 calls wait.")
	if got := b.eval("document.activeElement.id"); got != "t-"+first {
		b.Errorf("the focus went to %q", got)
	}
	if status := b.text("[role=status]"); status != "2 calls wait." {
		b.Errorf("a screen reader is told %q", status)
	}
	b.named()
	b.picture("console-pending")
	b.dark(true)
	b.picture("console-pending-dark")
	if bright := b.eval("getComputedStyle(document.body).backgroundColor"); bright != "rgb(22, 24, 27)" {
		b.Errorf("in the dark the page is %s", bright)
	}
	b.dark(false)

	// By keyboard into the call, and what matters is there.
	b.do(chromedp.KeyEvent(kb.Enter))
	b.sees("What would be sent")
	page := b.text("main")
	for _, want := range []string{
		`"to": "ACME GmbH"`, `"amount": "1250.00"`, "write, can’t be taken back, reaches people or systems outside", "http://127.0.0.1:",
		`"ACME GmbH", the bank`, "/to is personal", "/pin", "moves_money", "a member of treasury but the caller", "alice", "invoices are paid",
	} {
		if !strings.Contains(page, want) {
			b.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(b.eval("document.documentElement.outerHTML"), "0000") {
		b.Error("the page shows what the reviewer classed as secret")
	}
	b.named()
	b.picture("console-call")
	const along = "Skip to the content | Pending | Decided | Remembered | Sign out | All that is pending | arguments | Why (kept with the answer) | " +
		"Let later calls of this tool by this caller run too, whatever their arguments, for 8h0m0s | Approve this call | Deny | Take it back"
	if got := b.order(); got != along {
		b.Errorf("the Tab key leads along\n%s, want\n%s", got, along)
	}
	b.do(chromedp.Focus("#reason", chromedp.ByQuery), chromedp.KeyEvent("agreed on the bridge"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(" "),
		chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	b.sees("by carol console: agreed on the bridge")
	if n := s.paid.Load(); n != 0 {
		t.Errorf("%d ran before they were repeated", n)
	}
	if r := s.alice.Call(t, "bank__transfer", invoice); r.Code() != "" || s.paid.Load() != 1 {
		t.Errorf("the approved call: %s", r.Body)
	}

	// The consent stands for another call of the tool, is listed, and is taken back.
	if r := s.alice.Call(t, "bank__transfer", savings); r.Code() != "" || s.paid.Load() != 2 {
		t.Errorf("a later call: %s", r.Body)
	}
	b.do(chromedp.Navigate(s.Admin + "/console/remembered"))
	b.sees("agreed on the bridge")
	b.picture("console-remembered")
	b.named()
	b.do(chromedp.Click("td button", chromedp.ByQuery))
	b.sees("None stands.")
	s.ask(t, "transfer", savings)

	// A denial, and what was decided.
	b.do(chromedp.Navigate(s.Admin+"/console/approvals/"+second), chromedp.SendKeys("#reason", "not today", chromedp.ByQuery), chromedp.Click("button.bad", chromedp.ByQuery))
	b.sees("denied")
	b.do(chromedp.Navigate(s.Admin + "/console/decided"))
	b.sees("not today")
	b.picture("console-decided")
	if r := s.alice.Call(t, "bank__close_account", `{"to":"Savings"}`); r.Code() != "user_denied" || s.paid.Load() != 2 {
		t.Errorf("after the denial: %s", r.Body)
	}

	// The cookie is no script's, and signing out ends the session itself.
	if cookie := b.eval("document.cookie"); cookie != "" {
		b.Errorf("a script reads %q", cookie)
	}
	kept := b.cookie()
	if kept == nil || !kept.HTTPOnly || kept.SameSite != network.CookieSameSiteStrict {
		b.Fatalf("%+v", kept)
	}
	b.do(chromedp.Click(".me button", chromedp.ByQuery))
	b.sees("With your own key")
	b.do(network.SetCookie(kept.Name, kept.Value).WithURL(s.Admin), chromedp.Navigate(s.Admin+"/console/pending"))
	b.sees("With your own key")
	b.calm()
}

// What a page shows is how things stand, while others act and where nobody answers it.
func TestAPageThatIsOpen(t *testing.T) {
	s := open(t)
	b := newTab(t)
	s.enter(b, "carol")
	b.sees("Nothing waits.")
	b.named()
	b.do(chromedp.Navigate(s.Admin + "/console/decided"))
	b.sees("Nothing was decided yet.")
	b.do(chromedp.Navigate(s.Admin + "/console/remembered"))
	b.sees("None stands.")

	// Another answers the call that is read here.
	id := s.ask(t, "transfer", invoice)
	b.do(chromedp.Navigate(s.Admin + "/console/approvals/" + id))
	b.sees("Approve this call")
	if r := s.AskAdmin(t, "alice", "POST", "/v1/approvals/"+id+"/deny", `{"reason":"sent twice"}`); r.Status != 200 {
		t.Fatalf("%s", r.Body)
	}
	b.sees("by alice api: sent twice")
	if n := b.eval("document.querySelectorAll('main button').length"); n != "0" {
		b.Errorf("%s buttons to answer what is answered", n)
	}

	// What is not done says why, and leads back.
	id = s.ask(t, "close_account", `{"to":"x"}`)
	b.do(chromedp.Navigate(s.Admin + "/console/approvals/" + id))
	b.sees("Approve this call")
	b.eval("document.querySelector('textarea').required = false")
	b.do(chromedp.Click("button.good", chromedp.ByQuery))
	b.sees("Say why, in at most 500 bytes.")
	b.picture("console-not-done")
	b.do(chromedp.Click(`a[href*="approvals/"]`, chromedp.ByQuery))
	b.sees("Approve this call")
	b.calm()

	// And a gateway that answers no more is not taken for one where nothing happens.
	b.do(chromedp.Navigate(s.Admin + "/console/pending"))
	b.sees("1 call waits.")
	if hidden := b.eval("document.getElementById('stale').hidden"); hidden != "true" {
		b.Error("it says that it is old")
	}
	s.Stop()
	b.sees("The gateway does not answer.")
}
