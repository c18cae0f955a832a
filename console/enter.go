package console

import (
	"net/http"
	"strings"

	"mcp-gateway/auth/staff"
)

// entry is what the sign-in page shows.
type entry struct {
	Next    string // where to go then, below Path
	Trouble string
}

// door is the sign-in page.
func (c *Console) door(w http.ResponseWriter, r *http.Request) {
	c.pages.show(w, http.StatusOK, "login", entry{Next: within(r.URL.Query().Get("next"))})
}

// within keeps a way back inside the console: letters, digits, hyphens and slashes.
func within(next string) string {
	for _, ch := range next {
		plain := ch >= 'a' && ch <= 'z' || ch >= '0' && ch <= '9' || ch == '-' || ch == '/'
		if !plain {
			return ""
		}
	}
	return strings.TrimLeft(next, "/")
}

// enter begins a session for whoever presents a key of theirs. A right key is never
// refused for others' wrong ones: nobody guesses 256 bits, and whoever shares an address
// with somebody who tries would be shut out.
func (c *Console) enter(w http.ResponseWriter, r *http.Request) {
	now, from := c.o.Clock(), source(r)
	digest := staff.DigestOf(strings.TrimSpace(r.PostFormValue("key")))
	who := c.o.Staff().Member(digest)
	back := entry{Next: within(r.PostFormValue("next"))}
	if who == nil {
		if c.tries.Wait(from, now) > 0 {
			back.Trouble = "Too many wrong keys. Wait a minute."
			c.pages.show(w, http.StatusTooManyRequests, "login", back)
			return
		}
		c.tries.Wrong(from, now)
		c.o.Refused(r.Context(), nil)
		back.Trouble = "Nobody holds this key."
		c.pages.show(w, http.StatusUnauthorized, "login", back)
		return
	}
	if err := c.o.Entered(r.Context(), who, true); err != nil {
		c.o.Failed(err)
		back.Trouble = "It could not be put on record that you came in, so you did not."
		c.pages.show(w, http.StatusServiceUnavailable, "login", back)
		return
	}
	if old, err := r.Cookie(c.cookie()); err == nil {
		c.sessions.End(old.Value)
	}
	c.setCookie(w, c.sessions.Begin(digest, now), int(c.o.Absolute.Seconds()))
	http.Redirect(w, r, Path+back.Next, http.StatusSeeOther)
}

// leave ends the session.
func (c *Console) leave(w http.ResponseWriter, r *http.Request, who *staff.Member) {
	if cookie, err := r.Cookie(c.cookie()); err == nil {
		c.sessions.End(cookie.Value)
	}
	if err := c.o.Entered(r.Context(), who, false); err != nil {
		c.o.Failed(err)
	}
	c.setCookie(w, "", -1)
	http.Redirect(w, r, Path+"login", http.StatusSeeOther)
}

func (c *Console) setCookie(w http.ResponseWriter, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: c.cookie(), Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: c.o.Secure, SameSite: http.SameSiteStrictMode,
	})
}
