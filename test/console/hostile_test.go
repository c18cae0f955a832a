package console

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// cookie is the one that the browser keeps; nil for none.
func (b *tab) cookie() *network.Cookie {
	b.Helper()
	var found *network.Cookie
	b.do(chromedp.ActionFunc(func(ctx context.Context) error {
		all, err := storage.GetCookies().Do(ctx)
		for _, c := range all {
			if c.Name == "mcp-gateway" {
				found = c
			}
		}
		return err
	}))
	return found
}

// A call whose arguments are a page stays a text.
func TestArgumentsThatArePages(t *testing.T) {
	s := open(t)
	b := newTab(t)
	id := s.ask(t, "transfer", `{"to":"<script>alert(1)</script><img src=x onerror=alert(2)>","note":"{{.}} </pre><h1>Approved</h1>","amount":"\" onmouseover=\"alert(3)"}`)
	s.enter(b, "carol")
	b.do(chromedp.Navigate(s.Admin + "/console/approvals/" + id))
	b.sees(`<script>alert(1)</script>`)
	if n := b.eval("document.querySelectorAll('main h1, main img, main script').length"); n != "1" {
		b.Errorf("%s elements of the page, want its own heading alone", n)
	}
	b.calm()
}

// Nobody approves their own call, on the page or past it.
func TestOnesOwnCall(t *testing.T) {
	s := open(t)
	b := newTab(t)
	id := s.ask(t, "close_account", `{"to":"all"}`)
	s.enter(b, "alice")
	b.do(chromedp.Navigate(s.Admin + "/console/approvals/" + id))
	b.sees("This is your own call: another person must approve it.")
	b.picture("console-own-call")
	if n := b.eval("document.querySelectorAll('button.good').length"); n != "0" {
		b.Errorf("%s buttons approve it", n)
	}
	b.eval(`window.told = 0, fetch("/console/approvals/` + id + `/approve", {method: "POST", body: new URLSearchParams({reason: "mine"})}).then(r => { window.told = r.status })`)
	b.holds("window.told")
	if told := b.eval("window.told"); told != "403" {
		b.Errorf("past the page: %s", told)
	}
	if r := s.alice.Call(t, "bank__close_account", `{"to":"all"}`); r.Code() != "approval_required" || s.paid.Load() != 0 {
		t.Errorf("%s", r.Body)
	}
}

func TestAViewerSeesNoArguments(t *testing.T) {
	s := open(t)
	b := newTab(t)
	id := s.ask(t, "transfer", invoice)
	s.enter(b, "vera")
	b.sees("1 call waits.")
	if n := b.eval("document.querySelectorAll('main a').length"); n != "0" {
		b.Errorf("%s links", n)
	}
	b.do(chromedp.Navigate(s.Admin + "/console/approvals/" + id))
	b.sees("No role of your key may do that.")
}

// A page from elsewhere answers nothing in the name of who is signed in.
func TestAForeignPage(t *testing.T) {
	s := open(t)
	b := newTab(t)
	id := s.ask(t, "transfer", invoice)
	s.enter(b, "carol")
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<form method="post" action="%s/console/approvals/%s/approve"><input name="reason" value="x"></form>
			<iframe id="frame" src="%s/console/pending"></iframe><a href="%s/console/approvals/%s">open</a>`, s.Admin, id, s.Admin, s.Admin, id)
	}))
	defer evil.Close()
	// Another name of this machine is another site, for browsers and their cookies.
	elsewhere := "http://localhost:" + evil.URL[len("http://127.0.0.1:"):]
	b.do(chromedp.Navigate(elsewhere))
	b.eval("document.forms[0].submit()")
	b.holds("location.port === " + quoted(s.Admin[strings.LastIndex(s.Admin, ":")+1:]))
	if r := s.alice.Call(t, "bank__transfer", invoice); r.Code() != "approval_required" || s.paid.Load() != 0 {
		t.Errorf("%s", r.Body)
	}
	// A link from there leads to the call all the same, without a second sign-in.
	b.do(chromedp.Navigate(elsewhere), chromedp.Click("a", chromedp.ByQuery))
	b.sees("What would be sent")
}
