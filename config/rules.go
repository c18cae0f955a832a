package config

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"mcp-gateway/config/command"
	"mcp-gateway/config/form"
	"mcp-gateway/config/listen"
)

func oneTransport(at form.Place) {
	switch stdio, http := at.Has("stdio"), at.Has("http"); {
	case stdio && http:
		at.Child("http").Report("two_transports", "an upstream has either `stdio` or `http`, not both")
	case !stdio && !http:
		at.Report("no_transport", "an upstream needs one of `stdio` and `http`")
	}
}

func judgeCommand(at form.Place, s *Stdio) {
	if at.Empty() {
		at.Report("empty", "wants a program and its arguments")
	}
	if program, flag, found := command.InlineCode(s.Command); found && !s.InlineCode {
		at.Report("inline_code", "`%s %s` carries its program in an argument, where no review sees it; start a file, or set unsafe_inline_code: true", filepath.Base(program), flag)
	}
	if i, found := command.SecretArgument(s.Command); found {
		at.Item(i).Mask()
		at.Item(i).Report("literal_secret", "a secret does not stand in this file, nor on a command line that every process can read: pass it by `env`")
	}
}

// judgeURL refuses what would send calls and credentials in the clear or to a
// place that the text does not show.
func judgeURL(at form.Place, raw string) {
	if raw == "" {
		return
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" && (u.Scheme == "http" || u.Scheme == "https"):
		at.Mask() // what cannot be parsed may hold a password
		at.Report("bad_url", "wants an absolute URL such as https://tracker.example/mcp")
	case u.User != nil:
		at.Mask()
		at.Report("url_credentials", "a URL holds no user and no password: use `credential`")
	case u.Scheme != "http" && u.Scheme != "https":
		at.Report("bad_url", "the scheme is not https (or http to loopback)")
	case u.Fragment != "":
		at.Report("bad_url", "an endpoint has no fragment")
	case u.Scheme == "http" && !listen.Loopback(u.Hostname()):
		at.Report("insecure_url", "plain http is for loopback only: use https")
	}
}

// tasks is the extension that can't be allowed (2026-07-28, Tasks).
const tasks = "io.modelcontextprotocol/tasks"

// judge applies the rules that look across the whole file.
func (c *Config) judge(root form.Place) {
	if root.Has("auth") {
		c.judgeAuth(root)
	}
	c.Listen.Judge(root.Child("listen"))
	c.judgeIssuers(root)
	anonymous := root.Child("auth", "unsafe_loopback_anonymous")
	if c.Auth.Anonymous != nil && !c.Listen.Local() {
		anonymous.Report("anonymous_not_loopback", "anonymous requests are let in on loopback only, and listen.mcp is %s", c.Listen.MCP)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Upstreams)) {
		u := c.Upstreams[id]
		if i := slices.Index(u.Extensions, tasks); i >= 0 {
			root.Child("upstreams", id, "extensions").Item(i).Report("tasks_unsupported", "what runs as a task escapes the checks of a call, so tasks are not passed on")
		}
		if u.Stdio == nil {
			continue
		}
		if u.Stdio.Confine == nil && c.Auth.Anonymous != nil {
			anonymous.Report("anonymous_with_stdio", "anyone on this machine could drive the unconfined process of upstream %s: confine it, or use API keys", id)
		}
		if u.Stdio.Confine != nil {
			c.judgeConfine(root.Child("upstreams", id, "stdio", "confine"), u.Stdio.Confine)
			if u.Stdio.Unconfined {
				root.Child("upstreams", id, "stdio", "unsafe_unconfined").Report("confined_and_not", "`confine` and `unsafe_unconfined` contradict each other")
			}
		}
	}
}

func (c *Config) judgeAuth(root form.Place) {
	ids, sums := map[string]bool{}, map[string]bool{}
	keys := root.Child("auth", "api_keys")
	for i, k := range c.Auth.Keys {
		if id := k.Principal.Client; id != "" && ids[id] {
			keys.Item(i).Child("id").Report("duplicate_id", "another key has the id `%s`", id)
		}
		if k.SHA256 != "" && sums[k.SHA256] {
			keys.Item(i).Child("sha256").Report("duplicate_id", "another entry has the same key")
		}
		ids[k.Principal.Client], sums[k.SHA256] = true, true
	}
}

// judgeConfine keeps children away from what the gateway's word rests on: its
// state wholly, and writing what reviewers write.
func (c *Config) judgeConfine(at form.Place, confine *Confine) {
	for key, dirs := range map[string][]string{"read": confine.Read, "write": confine.Write} {
		for i, dir := range dirs {
			if within(c.State.Dir, dir) || within(dir, c.State.Dir) {
				at.Child(key).Item(i).Report("state_exposed", "the directory holds state.dir or lies in it, so the child could reach the gateway's keys and journal")
			}
			if slices.ContainsFunc(c.SecretFiles, func(file string) bool { return within(file, dir) }) {
				at.Child(key).Item(i).Report("secret_exposed", "the child could read a secret's file that this configuration names")
			}
		}
	}
	for i, dir := range confine.Write {
		if within(c.File, dir) || within(c.Exposure, dir) || c.Policy.Dir != "" && within(dir, c.Policy.Dir) ||
			slices.ContainsFunc(c.Policy.Paths(), func(own string) bool { return within(own, dir) }) {
			at.Child("write").Item(i).Report("review_exposed", "the child could write configuration, exposure records or policy")
		}
	}
}

// within reports whether path is dir or lies in it, symbolic links followed.
func within(path, dir string) bool {
	rel, err := filepath.Rel(real(dir), real(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// real follows the links of the part of a path that exists.
func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(real(parent), filepath.Base(path))
}
