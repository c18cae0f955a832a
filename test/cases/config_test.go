package cases

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// configurations are the cases of what configurations ask for.
func configurations() map[string]proof {
	return map[string]proof{
		"ATK-018": ambiguousIDs,
		"ATK-091": shells,
		"ATK-092": environments,
	}
}

// reload puts further upstreams into the configuration, and returns the codes of the
// problems that this is refused with.
func (s *scene) reload(upstreams string) []string {
	s.c.Helper()
	text, err := os.ReadFile(s.Path("upstreams.yaml"))
	s.c.must(err)
	s.Write(s.c, "upstreams.yaml", strings.Replace(string(text), "upstreams:\n", "upstreams:\n"+upstreams, 1))
	err = s.Gateway.Reload(s.c.Context())
	s.Write(s.c, "upstreams.yaml", string(text))
	var problems gateway.Problems
	if err != nil && !errors.As(err, &problems) {
		s.c.Fatal(err)
	}
	var codes []string
	for _, p := range problems {
		s.c.hold(outward, p.Pos.Line > 0 && p.Message != "", "a problem without its place: %+v", p)
		codes = append(codes, p.Code)
	}
	return codes
}

// notLoaded holds that each of the upstreams is refused with a problem of that code,
// that this is on record, and that what was in force stays so.
func (s *scene) notLoaded(code string, upstreams ...string) {
	s.c.Helper()
	for _, text := range upstreams {
		refusals := len(s.Rows(s.c, audit.Filter{Type: audit.ConfigRefused}))
		codes := s.reload(text)
		s.c.hold(outward, slices.Contains(codes, code), "%s is answered %v, want %s", text, codes, code)
		rows := s.Rows(s.c, audit.Filter{Type: audit.ConfigRefused})
		s.c.hold(event, len(rows) > refusals && slices.Contains(rows[len(rows)-1].Reasons, gateway.Reason(code)), "on record as %+v", rows)
		s.served()
	}
}

// ambiguousIDs: no id can end where a separator begins, so that one exposed name is
// one tool of one upstream.
func ambiguousIDs(c *trial) {
	s := c.open(newPeer(), stage.Options{})
	ids := []string{"acme_", "acme__x", "_acme", "acme__", "a_b", "-acme", "Acme", "9acme"}
	if c.raw("/upstreams/"+ids[0]) == "" || c.text("/separator") != "__" {
		c.Fatal("the case is another one")
	}
	for _, id := range ids {
		s.notLoaded("bad_id", "  "+id+`: {http: {url: "https://acme.invalid/mcp"}}`+"\n")
	}
	// With the ids that there are, a tool that begins with the separator is its own.
	own := stage.NewPeer().Add(stage.Tool("_status"), stage.Result(stage.Text(`"acme"`)))
	s = c.open(newPeer(), stage.Options{Upstreams: []stage.Upstream{
		stage.Served(c, "acme", own), stage.Served(c, "acme-b", stage.NewPeer().Add(stage.Tool("status"), stage.Result(stage.Text(`"acme-b"`)))),
		stage.Served(c, "twin", stage.NewPeer().Add(stage.Tool("-x"), stage.Result(`{}`))), stage.Served(c, "twin-", stage.NewPeer().Add(stage.Tool("x"), stage.Result(`{}`))),
	}})
	for _, name := range []string{"twin__-x", "twin-__x"} { // alike but for what separates words: neither is served
		s.refused(s.alice.Call(c, name, `{}`), gateway.CodeUnknownTool, gateway.ReasonNameCollision)
	}
	for name, want := range map[string]string{"acme___status": `"acme"`, "acme-b__status": `"acme-b"`} {
		r := s.alice.Call(c, name, `{}`)
		s.passed(r)
		c.hold(outward, r.Get("/content/0/text") == want, "%s: %s", name, r.Body)
	}
	s.served()
}

// shells: a command that carries its program in an argument is refused, and no shell
// splits the words of the others.
func shells(c *trial) {
	s := c.open(newPeer(), stage.Options{})
	command := func(words ...string) string {
		return `  shelly: {stdio: {command: ["` + strings.Join(words, `", "`) + `"]}}` + "\n"
	}
	s.notLoaded("inline_code",
		command(c.text("/command"), c.text("/args/0"), c.text("/args/1")), command("/bin/bash", "-lc", "server"), command("env", "sh", "-c", "server"),
		command("python3", "-c", "1"), command("node", "--eval", "1"), command("node", "-e", "1"), command("perl", "-e1"), command("ruby", "-e", "1"),
		command("/usr/bin/env", "-S", "sh -c id"), command("busybox", "sh", "-c", "id"), command("nice", "-n", "5", "bash", "-c", "id"), command("cmd.exe", "/c", "dir"),
		command("pwsh", "-Command", "dir"), command("deno", "eval", "1"), command("php", "-r", "1"), command("awk", "BEGIN{system(\\\"id\\\")}"),
	)
	mark := filepath.Join(c.TempDir(), "mark")
	s = c.open(newPeer(), stage.Options{Upstreams: []stage.Upstream{stage.Process("child", "plain", "x; touch "+mark, "$(touch "+mark+")", "`touch "+mark+"`")}})
	s.passed(s.alice.Call(c, "child__good", `{}`))
	_, err := os.Stat(mark)
	c.hold(outward, errors.Is(err, os.ErrNotExist), "a shell saw the words of the command")
	s.served("child__good")
}

// environments: a child has the variables that its configuration names, and no other.
func environments(c *trial) {
	const name, value = "CASES_VAULT_TOKEN", "s.abc-canary-of-the-environment"
	os.Setenv(name, value) //nolint:errcheck // a name and a value without NUL
	s := c.open(newPeer(), stage.Options{Upstreams: []stage.Upstream{stage.Process("child", "env")}})
	r := s.alice.Call(c, "child__names", `{}`)
	s.passed(r)
	names := strings.Fields(strings.Trim(r.Get("/content/0/text"), `"`))
	slices.Sort(names)
	c.hold(outward, slices.Equal(names, []string{stage.RoleVar, "PATH"}), "the child sees %v", names)
	c.hold(event, len(s.Leaks(c, value)) == 0, "the gateway's environment is kept or logged")
	s.served("child__good")
}
