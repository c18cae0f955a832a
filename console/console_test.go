package console

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcp-gateway/auth"
	"mcp-gateway/auth/staff"
)

// open returns a console that carol may enter, and her key.
func open(t *testing.T, secure bool) (http.Handler, string, *[]string) {
	t.Helper()
	key, sum := auth.NewKey()
	roster, err := staff.New([]staff.Key{{SHA256: sum, Member: staff.Member{ID: "carol", Subject: "carol", Roles: []staff.Role{staff.Viewer}}}})
	if err != nil {
		t.Fatal(err)
	}
	var record []string
	c, err := New(Options{
		Staff: func() *staff.Roster { return roster }, Idle: time.Hour, Absolute: time.Hour, Secure: secure, Clock: time.Now,
		Entered: func(_ context.Context, m *staff.Member, in bool) error {
			record = append(record, map[bool]string{true: "in ", false: "out "}[in]+m.ID)
			return nil
		},
		Refused: func(context.Context, *staff.Member) { record = append(record, "refused") },
		Failed:  func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	h, err := c.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return h, key, &record
}

func post(h http.Handler, path string, form url.Values, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "https://gateway.example"+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestSigningIn(t *testing.T) {
	h, key, record := open(t, true)
	good := url.Values{"key": {key}, "next": {"approvals/01a22a90-0000"}}
	in := post(h, "/console/login", good)
	cookie := in.Header().Get("Set-Cookie")
	if in.Code != http.StatusSeeOther || in.Header().Get("Location") != "/console/approvals/01a22a90-0000" {
		t.Fatalf("%d %v", in.Code, in.Header())
	}
	for _, want := range []string{"__Host-mcp-gateway=", "Path=/;", "HttpOnly", "Secure", "SameSite=Strict"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	session, _, _ := strings.Cut(cookie, ";")
	out := post(h, "/console/logout", nil, "Cookie", session)
	again := post(h, "/console/logout", nil, "Cookie", session)
	if out.Header().Get("Location") != "/console/login" || again.Code != http.StatusSeeOther || !strings.Contains(out.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("%v", out.Header())
	}
	if got := strings.Join(*record, ", "); got != "in carol, out carol" {
		t.Errorf("on record: %s", got)
	}
	status := 0
	for range 6 {
		status = post(h, "/console/login", url.Values{"key": {"mcpgw_wrong"}}).Code
	}
	if status != http.StatusTooManyRequests || len(*record) != 2+5 {
		t.Errorf("the sixth wrong key: %d, %d on record", status, len(*record))
	}
	if in := post(h, "/console/login", good); in.Code != http.StatusSeeOther {
		t.Errorf("a right key beside wrong ones: %d", in.Code)
	}
}

func TestWhatIsRefusedAtTheDoor(t *testing.T) {
	h, key, record := open(t, false)
	good := url.Values{"key": {key}}
	for name, header := range map[string][]string{
		"another site":   {"Sec-Fetch-Site", "cross-site"},
		"a sibling":      {"Sec-Fetch-Site", "same-site"},
		"another origin": {"Origin", "https://evil.example"},
		"no origin":      {"Origin", "null"},
	} {
		if r := post(h, "/console/login", good, header...); r.Code != http.StatusForbidden || r.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s: %d", name, r.Code)
		}
	}
	if r := post(h, "/console/login", url.Values{"key": {key + strings.Repeat(" ", 20<<10)}}); r.Code == http.StatusSeeOther {
		t.Errorf("a form without end: %d", r.Code)
	}
	if strings.Contains(strings.Join(*record, " "), "in") {
		t.Errorf("%q", *record)
	}
}

// Every page carries the headers, and nothing inline that the policy would stop.
func TestPagesAreStrict(t *testing.T) {
	h, _, _ := open(t, false)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/console/login", nil))
	for header, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
		"X-Content-Type-Options":  "nosniff", "X-Frame-Options": "DENY", "Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin",
	} {
		if got := w.Header().Get(header); got != want {
			t.Errorf("%s: %q", header, got)
		}
	}
	links := regexp.MustCompile(`/console/static/[0-9a-f]{12}/[a-z.]+`).FindAllString(w.Body.String(), -1)
	if len(links) != 4 {
		t.Errorf("links %q", links)
	}
	for _, link := range links {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, link, nil))
		if w.Code != 200 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d", link, w.Code)
		}
	}
	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|javascript:|<script(>|[^>]*[^c]>\s*[^<\s])|hx-on|hx-vals`)
	err := fs.WalkDir(files, "pages", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if found := inline.Find(text); found != nil {
			t.Errorf("%s holds %q", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The way back never leaves the console.
func FuzzWithin(f *testing.F) {
	for _, next := range []string{"pending", "//evil.example", "https://evil.example", `\evil.example`, "approvals/01a2", "../x", "%2f%2fevil"} {
		f.Add(next)
	}
	f.Fuzz(func(t *testing.T, next string) {
		u, err := url.Parse(Path + within(next))
		if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(u.Path, Path) || strings.Contains(u.Path, "..") {
			t.Errorf("%q leads to %v %v", next, u, err)
		}
	})
}
