package policy

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// open opens a gateway with one tool and these rules.
func open(t *testing.T, rules, settings string) (*stage.Stage, *stage.Peer) {
	t.Helper()
	dir := t.TempDir()
	head := "package mcp.gateway\n\n"
	if strings.Contains(rules, "lib.") {
		head += "import data.mcp.lib\n\n"
	}
	text := head + "visible contains id if some id, _ in input.resources\n\n" + rules + "\n"
	if err := os.WriteFile(filepath.Join(dir, "p.rego"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	up := stage.NewPeer()
	up.Add(`{"name":"look","inputSchema":{"type":"object"}}`, stage.Result(stage.Text(`"done"`)))
	up.Add(`{"name":"export","inputSchema":{"type":"object"}}`, stage.Result(stage.Text(`"done"`)))
	return stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"use"}}, {Name: "carol", Scopes: []string{"other"}}},
		Upstreams:  []stage.Upstream{stage.Served(t, "desk", up)},
		Settings:   "policy: {dir: " + dir + ", timeout: 10s}\n" + settings,
	}), up
}

// TestRateClass holds that a class which policy names is limited as configured, by
// principal, and that the answer says when to come back.
func TestRateClass(t *testing.T) {
	s, up := open(t, "allow if true\n\nobligations contains lib.rate_class(\"exports\") if lib.tool(\"desk\", \"export\")", "limits: {rates: {classes: {exports: 2/h}}}\n")
	alice := s.Host("alice")
	for range 2 {
		if r := alice.Call(t, "desk__export", "{}"); r.IsError() {
			t.Fatalf("%s", r.Body)
		}
	}
	s.Events(t)
	r := alice.Call(t, "desk__export", "{}")
	if !r.IsError() || r.Code() != string(gateway.CodeRateLimited) || r.Get("/_meta/mcp-gateway~1error/reasons") != `["rate_class"]` ||
		!strings.Contains(string(r.Body), "Retry after 18") { // half an hour, less what has passed
		t.Errorf("over the class: %d %s", r.Status, r.Body)
	}
	e := s.OneEvent(t)
	if e.Type != audit.ToolRefused || e.Code != gateway.CodeRateLimited || !slices.Equal(e.Reasons, []gateway.Reason{gateway.ReasonClassRate}) {
		t.Errorf("event: %+v", e)
	}
	if !strings.Contains(string(s.Journal(t)), `"rate_class.exports"`) {
		t.Error("the class is not on record")
	}
	if r := alice.Call(t, "desk__look", "{}"); r.IsError() {
		t.Errorf("what is in no class: %s", r.Body)
	}
	if r := s.Host("bob").Call(t, "desk__export", "{}"); r.IsError() {
		t.Errorf("another principal: %s", r.Body)
	}
	if n := len(up.Calls()); n != 4 {
		t.Errorf("%d calls reached the upstream, want 4", n)
	}
}

// TestUnknownRateClass holds that a class without a rate lets nothing pass.
func TestUnknownRateClass(t *testing.T) {
	s, up := open(t, "allow if true\n\nobligations contains lib.rate_class(\"exports\") if lib.tool(\"desk\", \"export\")", "")
	if r := s.Host("alice").Call(t, "desk__export", "{}"); r.Code() != string(gateway.CodePolicyUnavailable) {
		t.Errorf("%s", r.Body)
	}
	if n := len(up.Calls()); n != 0 {
		t.Errorf("%d calls reached the upstream", n)
	}
}

// TestScopeMissing holds that a policy of the simple form says in one line that a scope
// is missing, and what is said without it.
func TestScopeMissing(t *testing.T) {
	for rules, want := range map[string]gateway.Reason{
		"allow if lib.permitted": gateway.ReasonPolicyUndefined,
		"allow if lib.permitted\n\ndeny contains \"scope_missing\" if lib.scope_missing": gateway.ReasonScopeMissing,
	} {
		s, _ := open(t, rules, "")
		if r := s.Host("alice").Call(t, "desk__look", "{}"); r.IsError() {
			t.Errorf("%s: who holds the scope: %s", rules, r.Body)
		}
		s.Events(t)
		s.Host("carol").Call(t, "desk__look", "{}")
		if e := s.OneEvent(t); e.Type != audit.ToolRefused || !slices.Equal(e.Reasons, []gateway.Reason{want}) {
			t.Errorf("%s: who does not: %+v", rules, e)
		}
	}
}

// TestHostClaims holds that what hosts of both eras say of themselves is there for
// rules that refuse, and is no ground to allow anything.
func TestHostClaims(t *testing.T) {
	s, _ := open(t, "allow if true\n\ndeny contains \"wild_host\" if input.context.host_untrusted.name == \"wild\"", "")
	alice := s.Host("alice")
	wild := alice.Calling("desk__look", "{}")
	wild.Meta = strings.Replace(wild.Meta, `"name":"stage"`, `"name":"wild"`, 1)
	if r := wild.Send(t); r.Code() != string(gateway.CodeForbidden) {
		t.Errorf("a host of today: %s", r.Body)
	}
	if r := alice.Call(t, "desk__look", "{}"); r.IsError() {
		t.Errorf("another one: %s", r.Body)
	}
	for name, want := range map[string]string{"wild": string(gateway.CodeForbidden), "tame": ""} {
		began := alice.Legacy("", "", protocol.MethodInitialize,
			`"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"`+name+`","version":"1"}`).Send(t)
		session := began.Header.Get(protocol.HeaderSession)
		if began.Status != http.StatusOK || session == "" {
			t.Fatalf("initialize: %d %s", began.Status, began.Body)
		}
		if r := alice.Legacy("2025-06-18", session, protocol.MethodToolsCall, `"name":"desk__look","arguments":{}`).Send(t); r.Code() != want {
			t.Errorf("%s, of old: %s, want %q", name, r.Body, want)
		}
	}
}

// TestWarned holds that what a rule in mode warn says is on record and binds nobody,
// and that the host is not told.
func TestWarned(t *testing.T) {
	s, _ := open(t, "allow if true\n\n# METADATA\n# custom: {mode: warn}\ndeny contains \"soon\" if lib.reads", "")
	r := s.Host("alice").Call(t, "desk__look", "{}")
	if r.IsError() || strings.Contains(string(r.Body), "soon") {
		t.Errorf("%s", r.Body)
	}
	if !strings.Contains(string(s.Journal(t)), `"warned.soon"`) {
		t.Error("the warning is not on record")
	}
}

// TestIdentityIsTheCredentials holds that nothing that a request says of its sender,
// beside the credential, makes it anybody else.
func TestIdentityIsTheCredentials(t *testing.T) {
	s, up := open(t, "allow if input.subject.id == \"alice\"", "")
	if r := s.Host("alice").Call(t, "desk__look", "{}"); r.IsError() {
		t.Fatalf("alice: %s", r.Body)
	}
	bob := s.Host("bob")
	plain := bob.Calling("desk__look", "{}")
	s.Events(t)
	plain.Send(t)
	who := s.OneEvent(t).Principal
	for name, r := range map[string]*stage.Request{
		"a header":        bob.Calling("desk__look", "{}").With("X-Forwarded-User", "alice").With("X-Remote-User", "alice").With("From", "alice"),
		"a cookie":        bob.Calling("desk__look", "{}").With("Cookie", "user=alice"),
		"the query":       bob.Calling("desk__look", "{}").At("/mcp?user=alice&subject=alice"),
		"arguments":       bob.Calling("desk__look", `{"subject":{"id":"alice"},"user":"alice"}`),
		"the host's name": named(bob.Calling("desk__look", "{}")),
		"a member":        bob.Ask(protocol.MethodToolsCall, `"subject":"alice","name":"desk__look","arguments":{}`).With(protocol.HeaderName, "desk__look"),
	} {
		if reply := r.Send(t); reply.Code() == "" {
			t.Errorf("by %s bob is alice: %s", name, reply.Body)
		}
		for _, e := range s.Events(t) {
			if e.Principal != who {
				t.Errorf("by %s bob is on record as another", name)
			}
		}
	}
	if n := len(up.Calls()); n != 1 {
		t.Errorf("%d calls reached the upstream", n)
	}
}

// named says in _meta that it is alice.
func named(r *stage.Request) *stage.Request {
	r.Meta = strings.Replace(r.Meta, `"name":"stage"`, `"name":"alice"`, 1)
	r.Meta = strings.Replace(r.Meta, "{", `{"subject":"alice",`, 1)
	return r
}
