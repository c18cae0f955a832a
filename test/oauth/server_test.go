package oauth

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// public is where hosts believe the gateway to be: behind a proxy that speaks TLS
// for it.
const public = "https://gw.example"

const metadataPath = "/.well-known/oauth-protected-resource/mcp"

// desktop is an upstream with tools of several rights.
func desktop() *stage.Peer {
	p := stage.NewPeer()
	for _, name := range []string{"look", "ticket", "admin", "ask"} {
		p.Add(fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"severity":{"type":"string"}}}}`, name),
			stage.Result(stage.Text(`"done"`)))
	}
	return p
}

func review(id gateway.ItemID) string {
	switch id.Name {
	case "ticket":
		return stage.Read("ticket:{severity}", "use")
	case "admin":
		return stage.Read("admin")
	case "ask":
		return strings.Replace(stage.Read("ask:it"), "scopes:", "step_up: yes, scopes:", 1)
	default:
		return stage.Read("use")
	}
}

// issuer is the configuration of an issuer.
func issuer(a *authority, more string) string {
	return fmt.Sprintf("issuers: [{issuer: %q%s}]\n  scopes: [use]", a.url, more)
}

// open opens a gateway that trusts an authority.
func open(t testing.TB, a *authority, more string) (*stage.Stage, *stage.Peer) {
	t.Helper()
	up := desktop()
	return stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "desk", up)},
		Review:    review, Auth: issuer(a, more), Listen: fmt.Sprintf("url: %q", public),
	}), up
}

// introspecting is the configuration that asks the issuer.
func introspecting(t testing.TB, a *authority) string {
	t.Setenv("TEST_GATEWAY_SECRET", gwSays)
	return fmt.Sprintf(", introspection: {url: %q, client_id: %s, client_secret: \"env:TEST_GATEWAY_SECRET\"}", a.url+"/oauth/introspect", gw)
}

// TestDiscovery walks as a host does that has no token: the refusal names the
// metadata, they name the authorization server, and that one gives a token that
// lets the host in (RFC 9728 section 5).
func TestDiscovery(t *testing.T) {
	a := newAuthority(t, public+"/mcp")
	s, _ := open(t, a, "")
	refused := s.Host("").Ask(protocol.MethodToolsList, "").Send(t)
	challenge := refused.Header.Get("WWW-Authenticate")
	const want = `Bearer realm="mcp-gateway", scope="use", resource_metadata="` + public + metadataPath + `"`
	if refused.Status != http.StatusUnauthorized || challenge != want {
		t.Fatalf("%d %s", refused.Status, challenge)
	}
	resp, err := http.Get(s.URL + metadataPath)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	document, err := io.ReadAll(resp.Body)
	if err != nil || text(document, "resource") != public+"/mcp" {
		t.Fatalf("%s %v", document, err)
	}
	servers, _ := protocol.Lookup(document, "/authorization_servers/0")
	if !protocol.IsText(servers, a.url) {
		t.Fatalf("authorization servers %s", document)
	}
	got := a.login(t, desk, "use")
	host := stage.NewHost(s.URL, got.access)
	if names := host.List(t); len(names) != 2 { // look, and ask, which shows itself
		t.Errorf("the host sees %v", names)
	}
	if r := host.Call(t, "desk__look", "{}"); r.IsError() || r.Status != http.StatusOK {
		t.Errorf("call: %d %s", r.Status, r.Body)
	}
	next := a.redeem(t, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {got.refresh}, "client_id": {desk}})
	if next.access == got.access {
		t.Error("the refreshed token is the old one")
	}
	if r := stage.NewHost(s.URL, next.access).Call(t, "desk__look", "{}"); r.Status != http.StatusOK || r.IsError() {
		t.Errorf("with a refreshed token: %d %s", r.Status, r.Body)
	}
	if r := host.Calling("look", "{}").At("/mcp/desk").Send(t); r.Status != http.StatusUnauthorized ||
		!strings.HasSuffix(r.Header.Get("WWW-Authenticate"), `error="invalid_token", error_description="The credential was not accepted.", scope="use", resource_metadata="`+public+metadataPath+`/desk"`) {
		t.Errorf("at an endpoint that the token is not for: %d %s", r.Status, r.Header)
	}
}

func TestMetadataOfEndpoints(t *testing.T) {
	a := newAuthority(t)
	s, _ := open(t, a, "")
	for path, want := range map[string]int{
		metadataPath: 200, metadataPath + "/desk": 200, metadataPath + "/other": 404, metadataPath + "/": 404,
		"/.well-known/oauth-protected-resource": 404, "/.well-known/oauth-protected-resource/": 404,
	} {
		resp, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
	resp, err := http.Post(s.URL+metadataPath, "text/plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", resp.StatusCode)
	}
}

// TestIntrospected lets hosts in with opaque tokens that the authority stands by.
func TestIntrospected(t *testing.T) {
	a := newAuthority(t, public+"/mcp")
	s, _ := open(t, a, introspecting(t, a))
	got := a.login(t, kiosk, "use")
	if strings.Count(got.access, ".") == 2 {
		t.Fatal("the token is a JWT")
	}
	host := stage.NewHost(s.URL, got.access)
	for range 3 {
		if r := host.Call(t, "desk__look", "{}"); r.Status != http.StatusOK || r.IsError() {
			t.Fatalf("%d %s\n%s", r.Status, r.Body, s.Log())
		}
	}
	if n := a.granted(""); n != 1 {
		t.Errorf("the authority was asked %d times about one token", n)
	}
	if r := stage.NewHost(s.URL, "canary-of-an-opaque-token").Call(t, "desk__look", "{}"); r.Status != http.StatusUnauthorized {
		t.Errorf("a token that nobody knows: %d", r.Status)
	}
}

// TestStepUp holds who is told which scopes to ask for: who sees the tool, and is
// refused for want of scopes alone.
func TestStepUp(t *testing.T) {
	a := newAuthority(t, public+"/mcp")
	s, up := open(t, a, "")
	host := stage.NewHost(s.URL, a.login(t, desk, "use", "ticket:p3").access)
	metadata := `, resource_metadata="` + public + metadataPath + `"`
	for _, tt := range []struct{ tool, arguments, scopes string }{
		{"desk__ticket", `{"severity":"P1"}`, "ticket:p1 use"},
		{"desk__ask", `{}`, "ask:it"},
	} {
		r := host.Call(t, tt.tool, tt.arguments)
		challenge := r.Header.Get("WWW-Authenticate")
		if r.Status != http.StatusForbidden || r.Code() != string(gateway.CodeInsufficientScope) ||
			!strings.Contains(challenge, `error="insufficient_scope"`) || !strings.HasSuffix(challenge, `scope="`+tt.scopes+`"`+metadata) {
			t.Errorf("%s %s: %d %s %s", tt.tool, tt.arguments, r.Status, challenge, r.Body)
		}
	}
	if r := host.Call(t, "desk__ticket", `{"severity":"P3"}`); r.Status != http.StatusOK || r.IsError() {
		t.Errorf("with the scope: %d %s", r.Status, r.Body)
	}
	hidden, absent := host.Call(t, "desk__admin", "{}"), host.Call(t, "desk__nothing", "{}")
	if hidden.Status != http.StatusBadRequest || hidden.Header.Get("WWW-Authenticate") != "" || hidden.Code() != string(gateway.CodeUnknownTool) {
		t.Errorf("a hidden tool: %d %s %s", hidden.Status, hidden.Header, hidden.Body)
	}
	if hidden.Status != absent.Status || hidden.Get("/message") != absent.Get("/message") {
		t.Error("a hidden tool is refused unlike an absent one")
	}
	for _, arguments := range []string{`{}`, `{"severity":"p1\" x"}`, `{"severity":"a:b"}`} {
		if r := host.Call(t, "desk__ticket", arguments); r.Code() != string(gateway.CodeForbidden) || r.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s, which no scope helps: %d %s", arguments, r.Status, r.Body)
		}
	}
	if n := len(up.Calls()); n != 1 {
		t.Errorf("%d calls reached the upstream", n)
	}
	key := s.Host("alice").Call(t, "desk__ask", "{}")
	if key.Code() != string(gateway.CodeForbidden) || key.Header.Get("WWW-Authenticate") != "" {
		t.Errorf("who has a key has no issuer to ask: %s", key.Body)
	}
}

// TestStepUpOfLegacyHosts holds that hosts of earlier revisions read it as the
// result of the tool.
func TestStepUpOfLegacyHosts(t *testing.T) {
	a := newAuthority(t, public+"/mcp")
	s, _ := open(t, a, "")
	host := stage.NewHost(s.URL, a.login(t, desk, "use").access)
	hello := host.Legacy("", "", protocol.MethodInitialize, `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}`).Send(t)
	session := hello.Header.Get(protocol.HeaderSession)
	r := host.Legacy("2025-11-25", session, protocol.MethodToolsCall, `"name":"desk__ask","arguments":{}`).Send(t)
	if r.Status != http.StatusOK || !r.IsError() || r.Code() != string(gateway.CodeInsufficientScope) || r.Header.Get("WWW-Authenticate") != "" {
		t.Errorf("%d %s %s", r.Status, r.Header, r.Body)
	}
	if scopes := r.Get("/_meta/mcp-gateway~1error/scopes"); scopes != `["ask:it"]` {
		t.Errorf("scopes %s", scopes)
	}
}

// TestBeforeTheBody holds that who is not let in is refused before anything of the
// body is read.
func TestBeforeTheBody(t *testing.T) {
	a := newAuthority(t, public+"/mcp")
	s, _ := open(t, a, "")
	body := &untouched{}
	r := stage.NewHost(s.URL, "e30.e30.e30").Ask(protocol.MethodToolsList, "")
	r.Body = body
	if reply := r.Send(t); reply.Status != http.StatusUnauthorized {
		t.Errorf("%d", reply.Status)
	}
	for name, r := range map[string]*stage.Request{
		"two headers":  s.Host("alice").Ask(protocol.MethodToolsList, "").With("Authorization", "Bearer a", "Bearer b"),
		"in the query": s.Host("alice").Ask(protocol.MethodToolsList, "").At("/mcp?access_token=canary"),
	} {
		reply := r.Saying("not even JSON").Send(t)
		if reply.Status != http.StatusBadRequest || reply.Code() != string(gateway.CodeMalformedCredential) ||
			!strings.Contains(reply.Header.Get("WWW-Authenticate"), `error="invalid_request"`) {
			t.Errorf("%s: %d %s %s", name, reply.Status, reply.Header, reply.Body)
		}
	}
}

// untouched is a body that never ends and that nobody should wait for.
type untouched struct{}

func (*untouched) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestCanaries sends credentials through every path and looks for them where they
// do not belong: logs, events, upstreams, answers.
func TestCanaries(t *testing.T) {
	a := newAuthority(t, public+"/mcp")
	s, up := open(t, a, introspecting(t, a))
	good := a.login(t, desk, "use").access
	opaque := a.login(t, kiosk, "use").access
	bad := good[:len(good)-6] + "canary"
	canaries := []string{good, opaque, bad, "canary-of-a-cookie", "canary-of-the-query", gwSays, s.Host("alice").Key()}
	var replies []*stage.Reply
	for _, key := range []string{good, opaque, bad, s.Host("alice").Key()} {
		host := stage.NewHost(s.URL, key)
		for _, r := range []*stage.Request{
			host.Calling("desk__look", "{}"), host.Calling("desk__ask", "{}"), host.Calling("desk__none", "{}"),
			host.Ask(protocol.MethodToolsList, ""), host.Ask("no/such", ""),
			host.Calling("desk__look", "{}").At("/mcp?access_token=canary-of-the-query"),
			host.Calling("desk__look", "{}").With("Authorization", "Bearer "+key, "Bearer "+key),
			host.Calling("desk__look", `{"severity":1}`), host.Calling("desk__look", "{}").With("Mcp-Param-Token", key),
		} {
			r.Header.Set("Cookie", "session=canary-of-a-cookie")
			r.Header.Set("Proxy-Authorization", "Bearer "+key)
			replies = append(replies, r.Send(t))
		}
		replies = append(replies, ofOld(t, host, key)...)
	}
	s.Events(t)
	if leaks := s.Leaks(t, canaries...); len(leaks) > 0 {
		t.Errorf("kept: %v", leaks)
	}
	calls := up.Calls()
	if len(calls) == 0 {
		t.Error("no call reached the upstream")
	}
	for _, canary := range canaries {
		for _, r := range replies {
			if strings.Contains(string(r.Body), canary) || strings.Contains(fmt.Sprint(r.Header), canary) {
				t.Errorf("%.20s… is answered: %d", canary, r.Status)
			}
		}
		for _, c := range calls {
			if strings.Contains(fmt.Sprint(c.Header)+string(c.Params), canary) {
				t.Errorf("%.20s… reached the upstream", canary)
			}
		}
	}
}

// ofOld walks through a session as a host of an earlier revision does, with its
// credential in places where it has no business.
func ofOld(t *testing.T, host *stage.Host, key string) []*stage.Reply {
	t.Helper()
	began := host.Legacy("", "", protocol.MethodInitialize,
		`"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"`+key+`","version":"1"}`).Send(t)
	session := began.Header.Get(protocol.HeaderSession)
	out := []*stage.Reply{began}
	for _, r := range []*stage.Request{
		host.Legacy("2025-06-18", session, protocol.MethodToolsCall, `"name":"desk__look","arguments":{}`),
		host.Legacy("2025-06-18", session, protocol.MethodToolsCall, `"name":"`+key+`","arguments":{}`),
		host.Legacy("2025-06-18", session+key, protocol.MethodToolsList, ""),
		host.Legacy("2025-06-18", session, protocol.MethodToolsList, "").Saying(`{"jsonrpc":"2.0","id":1,"method":"` + key),
	} {
		out = append(out, r.Send(t))
	}
	return out
}
