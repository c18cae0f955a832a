package console

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var shots = flag.String("shots", "", "write pictures of the pages into this `directory`")

// patience is how long a page may take to show what it must.
const patience = 30 * time.Second

// tab is one tab of a browser of its own, with what it complained about.
type tab struct {
	*testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

// newTab starts a browser.
func newTab(t *testing.T) *tab {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Fatal("there is no Chromium here")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1000, 760), // its profile is its own to remove
		chromedp.Flag("disable-dev-shm-usage", true))
	browser, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, shut := chromedp.NewContext(browser)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); shut() })
	b := &tab{T: t, ctx: ctx}
	chromedp.ListenTarget(ctx, b.hear)
	b.do(log.Enable())
	b.dark(false)
	return b
}

// hear notes scripts that fail, what the policy of contents stopped, and dialogs.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, "exception: "+e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		if e.Entry.Source != log.SourceNetwork && e.Entry.Source != log.SourceRecommendation { // a refused request is no fault of the page
			b.complaints = append(b.complaints, string(e.Entry.Source)+": "+e.Entry.Text)
		}
	case *page.EventJavascriptDialogOpening:
		b.complaints = append(b.complaints, "dialog: "+e.Message)
	}
}

// calm holds that the browser had nothing to complain about.
func (b *tab) calm() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.Errorf("the browser says: %s", c)
	}
}

// do does things in the tab, and fails when they can't be done in time.
func (b *tab) do(actions ...chromedp.Action) {
	b.Helper()
	if err := b.try(actions...); err != nil {
		var text string
		_ = chromedp.Run(b.ctx, chromedp.Text("body", &text, chromedp.ByQuery)) // to tell what was there instead
		b.Fatalf("%v\nthe page says: %s", err, text)
	}
}

func (b *tab) try(actions ...chromedp.Action) error {
	// The tab itself must not end with the time of one step: a context that is made
	// from it before its first use would own it.
	if chromedp.FromContext(b.ctx).Target == nil {
		if err := chromedp.Run(b.ctx); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, actions...)
}

// text is what a part of the page says.
func (b *tab) text(selector string) string {
	b.Helper()
	var text string
	b.do(chromedp.Text(selector, &text, chromedp.ByQuery))
	return text
}

// eval is the value of an expression in the page.
func (b *tab) eval(expression string) string {
	b.Helper()
	var value string
	b.do(chromedp.Evaluate(`String(`+expression+`)`, &value))
	return value
}

// sees waits until the page holds a text.
func (b *tab) sees(text string) {
	b.Helper()
	b.holds(`document.body.innerText.includes(` + quoted(text) + `)`)
}

// holds waits until an expression is true in the page, whichever page that is by then.
func (b *tab) holds(expression string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		var is bool
		if err := chromedp.Run(ctx, chromedp.Evaluate(`Boolean(document.body && `+expression+`)`, &is)); err == nil && is {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.Fatalf("it never holds: %s\nthe page says: %s", expression, b.eval("document.body.innerText"))
		}
	}
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// picture writes a picture of the page, where pictures are wanted.
func (b *tab) picture(name string) {
	b.Helper()
	if *shots == "" {
		return
	}
	var png []byte
	b.do(chromedp.FullScreenshot(&png, 100)) // of the whole page, losslessly
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644); err != nil {
		b.Fatal(err)
	}
}

// dark turns the browser's preference.
func (b *tab) dark(on bool) {
	b.Helper()
	value := "light"
	if on {
		value = "dark"
	}
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: value}, {Name: "prefers-reduced-motion", Value: "reduce"}, // pictures are of what stays
	}))
}

// order is what the Tab key leads to, from the page's beginning to its end.
func (b *tab) order() string {
	b.Helper()
	b.eval("document.activeElement.blur(), window.getSelection().removeAllRanges(), window.scrollTo(0, 0)")
	var names []string
	for range 30 {
		b.do(chromedp.KeyEvent(kb.Tab))
		at := b.eval(`(e => e === document.body ? "" : (e.getAttribute("aria-labelledby") || (e.labels && e.labels[0] || e).textContent).trim())(document.activeElement)`)
		if at == "" {
			break
		}
		if ring := b.eval("getComputedStyle(document.activeElement).outlineStyle"); ring != "solid" {
			b.Errorf("nobody sees that %q has the focus", at)
		}
		names = append(names, at)
	}
	return strings.Join(names, " | ")
}

// named holds that everything that can be used has a name for those who don't see it,
// and that the page has one heading of the first level and one main part.
func (b *tab) named() {
	b.Helper()
	nameless := b.eval(`[...document.querySelectorAll("a, button, input:not([type=hidden]), textarea, summary, th, h1, h2")].filter(e => {
		const labels = [...(e.labels || [])].map(l => l.textContent).join("");
		return !(e.getAttribute("aria-label") || labels || e.textContent).trim();
	}).map(e => e.outerHTML).join("\n")`)
	if nameless != "" {
		b.Errorf("without a name: %s", nameless)
	}
	if n := b.eval(`document.querySelectorAll("h1").length + " " + document.querySelectorAll("main").length + " " + document.documentElement.lang`); n != "1 1 en" {
		b.Errorf("headings, main parts and language: %s", n)
	}
}
