package registry

import (
	"maps"
	"strings"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/identity"
)

// TestIdentity holds that nothing of an upstream is served that is not the one that
// was reviewed, and everything again once it is.
func TestIdentity(t *testing.T) {
	is := &identity.Facts{Argv: []string{"a"}}
	r := New(Options{Facts: func(string, *Listing) *identity.Facts { return is }})
	x := reviewed("up", tool("a", ""), tool("b", ""))
	x.Upstreams = map[string]*UpstreamRecord{"up": {Identity: is.Digest()}}
	maps.Copy(x.Items, reviewed("other", tool("a", "")).Items)
	r.SetExposure(x)
	for _, upstream := range []string{"up", "other"} {
		publish(t, r, upstream, tool("a", ""), tool("b", ""))
	}
	serves := func(want string) {
		t.Helper()
		if got := strings.Join(names(r.Snapshot(), ""), " "); got != want {
			t.Errorf("serves %s, want %s", got, want)
		}
	}
	serves("other__a up__a up__b")
	is = &identity.Facts{Argv: []string{"b"}}
	publish(t, r, "up", tool("a", ""), tool("b", "")) // the same list, by another
	serves("other__a")
	if got := states(r)["up/a"]; got != "changed identity_changed" {
		t.Errorf("it stands as %s", got)
	}
	is = &identity.Facts{Argv: []string{"a"}}
	publish(t, r, "up", tool("a", ""), tool("b", ""))
	serves("other__a up__a up__b")
}

// TestSunset holds that a deprecated tool is served until its day, and then not,
// although its list is the same.
func TestSunset(t *testing.T) {
	c := newClock()
	r := New(Options{Clock: c.time})
	x := reviewed("up", tool("a", ""), tool("b", ""))
	x.Items[gateway.ItemID{Upstream: "up", Name: "a"}].Facts.Deprecated = &gateway.Deprecation{Sunset: c.time().AddDate(0, 0, 2)}
	r.SetExposure(x)
	list := [][]byte{tool("a", ""), tool("b", "")}
	publish(t, r, "up", list...)
	if got := states(r)["up/a"]; got != "deprecated" {
		t.Errorf("before: %s", got)
	}
	if p, _ := r.Snapshot().Resolve(gateway.KindTool, "", "up__a"); !p.Valid() || p.Item().State != gateway.StateDeprecated {
		t.Error("it is not served before its sunset")
	}
	revision := r.Snapshot().Revision()
	c.advance(24 * time.Hour)
	if publish(t, r, "up", list...); r.Snapshot().Revision() != revision {
		t.Error("a day ahead of it something changed")
	}
	c.advance(24 * time.Hour)
	publish(t, r, "up", list...)
	if got := states(r)["up/a"]; got != "retired retired" {
		t.Errorf("after: %s", got)
	}
	if got := names(r.Snapshot(), ""); len(got) != 1 || got[0] != "up__b" {
		t.Errorf("serves %v", got)
	}
}

// TestReplicas holds that definitions which are listed by turns are told from one
// that changed.
func TestReplicas(t *testing.T) {
	c := newClock()
	r := New(Options{Clock: c.time})
	r.SetExposure(reviewed("up", tool("a", "old")))
	for _, version := range []string{"old", "new", "old", "new", "old"} {
		c.advance(time.Minute)
		publish(t, r, "up", tool("a", version))
		if version == "new" && !strings.HasPrefix(states(r)["up/a"], "changed definition_changed") {
			t.Errorf("it stands as %s", states(r)["up/a"])
		}
	}
	if got := states(r)["up/a"]; got != "approved" {
		t.Errorf("as reviewed it stands as %s", got)
	}
	c.advance(time.Minute)
	publish(t, r, "up", tool("a", "new"))
	if got := states(r)["up/a"]; got != "changed definition_changed replicas_disagree" {
		t.Errorf("again and again: %s", got)
	}
}

// TestAlikeNamesAreTwins holds that names which differ by case or separator alone
// are both withheld, each with both named.
func TestAlikeNamesAreTwins(t *testing.T) {
	r := New(Options{})
	list := [][]byte{tool("send-mail", ""), tool("Send_Mail", ""), tool("sendmail", "")}
	r.SetExposure(reviewed("up", list...))
	publish(t, r, "up", list...)
	want := map[string]string{"up/send-mail": "withheld name_collision", "up/Send_Mail": "withheld name_collision", "up/sendmail": "approved"}
	if got := states(r); !maps.Equal(got, want) {
		t.Errorf("states %v", got)
	}
	for _, o := range r.Observations() {
		if o.State == gateway.StateWithheld && (!strings.Contains(o.Detail, "up/send-mail") || !strings.Contains(o.Detail, "up/Send_Mail")) {
			t.Errorf("%s: %s", o.ID, o.Detail)
		}
	}
	if p, _ := r.Snapshot().Resolve(gateway.KindTool, "", "up__SendMail"); p.Valid() {
		t.Error("a name resolves that is not byte for byte that of a tool")
	}
}
