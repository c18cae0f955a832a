package cases

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// headerCases are the cases of what stands in headers.
func headerCases() map[string]proof {
	return map[string]proof{
		"ATK-079": lyingMethod,
		"ATK-080": lyingName,
		"ATK-082": lyingParam,
		"ATK-085": claimedIdentity,
		"ATK-086": crossSite,
		"ATK-087": rebinding,
		"ATK-088": passthrough,
		"BUG-31":  keptBearer,
	}
}

func encoded(s string) string {
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// lies sends calls and lists whose headers say something else than their bodies.
func (s *scene) lies(header string, values ...string) {
	s.c.Helper()
	for _, value := range values {
		s.rejected(s.alice.Calling("up__good", `{}`).With(header, value).Send(s.c), 400, -32020, gateway.CodeHeaderMismatch)
	}
	right := s.alice.Calling("up__good", `{}`).Header.Get(header)
	s.rejected(s.alice.Calling("up__good", `{}`).With(header, right, right).Send(s.c), 400, -32020, gateway.CodeHeaderMismatch)
	s.rejected(s.alice.Calling("up__good", `{}`).With(header).Send(s.c), 400, -32020, gateway.CodeHeaderMismatch)
	s.passed(s.alice.Calling("up__good", `{}`).With(header, right).Send(s.c))
	s.up.Calls()
}

// lyingMethod: a header that names another method than the body is believed by
// nobody; hosts of earlier revisions send none, and one of theirs that lies is
// refused too.
func lyingMethod(c *trial) {
	s := c.open(newPeer(), stage.Options{})
	said, body := c.text("/headers/Mcp-Method"), c.text("/body_method")
	if body != protocol.MethodToolsCall {
		c.Fatalf("the case is of %s", body)
	}
	s.lies(protocol.HeaderMethod, said, "TOOLS/CALL", "", "tools/call tools/list", encoded("tools/list"))
	s.rejected(s.alice.Ask(protocol.MethodToolsList, "").With(protocol.HeaderMethod, body).Send(c), 400, -32020, gateway.CodeHeaderMismatch)
	legacy := s.legacy(`{}`)
	s.Events(c)
	s.up.Calls()
	r := legacy(body, `"name":"up__good"`).With(protocol.HeaderMethod, said).Send(c)
	s.rejected(r, 400, -32020, gateway.CodeHeaderMismatch)
	s.served()
}

// lyingName: a name in a header is decoded, then compared.
func lyingName(c *trial) {
	s := c.open(newPeer().Add(stage.Tool("delete"), stage.Result(`{}`)), stage.Options{})
	s.lies(protocol.HeaderName, c.text("/headers/Mcp-Name"), encoded("up__delete"), "up__delete", "good", "UP__GOOD", "", "=?base64?!?=", encoded("up__good")+"x", "up__good,up__delete")
	s.passed(s.alice.Calling("up__good", `{}`).With(protocol.HeaderName, encoded("up__good")).Send(c))
	s.up.Calls()
	legacy := s.legacy(`{}`)
	s.Events(c)
	s.rejected(legacy(protocol.MethodToolsCall, `"name":"up__good"`).With(protocol.HeaderName, c.text("/headers/Mcp-Name")).Send(c), 400, -32020, gateway.CodeHeaderMismatch)
	s.served()
}

// lyingParam: a header that mirrors an argument equals it, or the call is refused;
// the upstream's are made anew.
func lyingParam(c *trial) {
	const tool = `{"name":"route","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"}}}}`
	s := c.open(newPeer().Add(tool, stage.Result(`{"content":[]}`)), stage.Options{})
	args := c.raw("/arguments")
	call := func(header string, values ...string) *stage.Reply {
		return s.alice.Calling("up__route", args).With("Mcp-Param-"+header, values...).Send(c)
	}
	for _, lie := range []string{c.text("/headers/Mcp-Param-Region"), "US", "", encoded("eu"), "us,eu"} {
		s.rejected(call("Region", lie), 400, -32020, gateway.CodeHeaderMismatch)
	}
	s.rejected(call("Region", "us", "us"), 400, -32020, gateway.CodeHeaderMismatch)
	s.rejected(call("Region"), 400, -32020, gateway.CodeHeaderMismatch)
	s.rejected(s.alice.Calling("up__route", args).With("Mcp-Param-Region", "us").With("Mcp-Param-N", "1").Send(c), 400, -32020, gateway.CodeHeaderMismatch)
	legacy := s.legacy(`{}`)
	s.Events(c)
	old := func(values ...string) *stage.Request {
		return legacy(protocol.MethodToolsCall, `"name":"up__route","arguments":`+args).With("Mcp-Param-Region", values...)
	}
	for _, lie := range [][]string{{"eu"}, {""}, {"us", "us"}} {
		s.rejected(old(lie...).Send(c), 400, -32020, gateway.CodeHeaderMismatch)
	}
	s.passed(old().Send(c)) // hosts of earlier revisions need not send it
	s.passed(old("us").Send(c))
	s.up.Calls()
	r := s.alice.Calling("up__route", args).With("Mcp-Param-Region", encoded("us")).With("Mcp-Param-Other", "admin").Send(c)
	s.passed(r)
	for _, got := range s.up.Calls() {
		c.hold(outward, got.Header.Get("Mcp-Param-Region") == "us" && got.Header.Values("Mcp-Param-Other") == nil, "the upstream got %v", got.Header)
	}
	s.served()
}

// claimedIdentity: who somebody is, the credential says and nothing else.
func claimedIdentity(c *trial) {
	claims := map[string]string{
		"X-Forwarded-User": c.text("/headers/X-Forwarded-User"), "X-User-Roles": c.text("/headers/X-User-Roles"), "X-Remote-User": "admin", "Forwarded": "for=127.0.0.1;by=admin",
		"X-Forwarded-For": "127.0.0.1", "X-Auth-Request-Email": "admin@x.invalid", "X-Scopes": "admin", "Remote-User": "admin", "X-Client-Cert": "admin",
	}
	s := c.open(newPeer().Add(stage.Tool("purge"), stage.Result(`{}`)), stage.Options{Review: func(id gateway.ItemID) string {
		if id.Name == "purge" {
			return stage.Read("admin")
		}
		return stage.Read("use")
	}})
	claiming := func(r *stage.Request) *stage.Request {
		for name, value := range claims {
			r.With(name, value)
		}
		return r
	}
	row := s.refused(claiming(s.alice.Calling("up__purge", `{}`)).Send(c), gateway.CodeUnknownTool, gateway.ReasonNotVisible)
	c.hold(event, string(row.Client) == "alice", "on record as %q", row.Client)
	s.untouched()
	row = s.passed(claiming(s.alice.Calling("up__good", `{}`)).Send(c))
	c.hold(event, string(row.Client) == "alice", "on record as %q", row.Client)
	for _, got := range s.up.Calls() {
		for name := range claims {
			c.hold(outward, got.Header.Get(name) == "", "the upstream got %s", name)
		}
	}
	stranger := claiming(s.Host("").Calling("up__good", `{}`)).Send(c)
	c.hold(outward, stranger.Status == 401 && stranger.Result == nil, "a stranger got %d %s", stranger.Status, stranger.Body)
	stage.Await(c, "the stranger is counted", func() bool { return s.Counted(c, gateway.CodeUnauthenticated) == 1 })
	s.served()
}

// fromPages sends what a page of another site could make a browser send.
func (s *scene) fromPages(status int, code gateway.Code, changes ...func(*stage.Request)) {
	s.c.Helper()
	before := s.Counted(s.c, code)
	legacy := s.legacy(`{}`)
	for _, change := range changes {
		for _, r := range []*stage.Request{s.alice.Calling("up__good", `{}`), legacy(protocol.MethodToolsCall, `"name":"up__good"`)} {
			change(r)
			got := r.Send(s.c)
			s.c.hold(outward, got.Status == status && got.Code() == string(code) && got.Result == nil && got.Header.Get("Access-Control-Allow-Origin") == "", "answered %d %v %s, want %d", got.Status, got.Header, got.Body, status)
		}
	}
	s.untouched()
	stage.Await(s.c, "all are counted", func() bool { return s.Counted(s.c, code) == before+2*len(changes) })
	s.c.hold(event, true, "")
}

func sets(header string, values ...string) func(*stage.Request) {
	return func(r *stage.Request) { r.With(header, values...) }
}

// crossSite: a page of another site makes nothing run.
func crossSite(c *trial) {
	s := c.open(newPeer(), stage.Options{})
	s.fromPages(403, gateway.CodeForbiddenOrigin,
		func(r *stage.Request) {
			r.With("Origin", c.text("/headers/Origin")).With("Content-Type", c.text("/headers/Content-Type"))
		},
		sets("Origin", c.text("/headers/Origin")), sets("Origin", "null"), sets("Sec-Fetch-Site", "cross-site"), sets("Sec-Fetch-Site", "same-site"),
		sets("Origin", "http://127.0.0.1:1"), sets("Origin", "file://"), sets("Origin", "", "https://evil.invalid"),
	)
	s.fromPages(415, gateway.CodeMediaType,
		sets("Content-Type", c.text("/headers/Content-Type")), sets("Content-Type", "application/x-www-form-urlencoded"), sets("Content-Type", "multipart/form-data; boundary=x"),
		sets("Content-Type"), sets("Content-Type", "text/plain; x=application/json"), sets("Content-Type", "application/jsonx"),
	)
	s.served()
}

// rebinding: a name that was made to point here is no name of ours.
func rebinding(c *trial) {
	s := c.open(newPeer(), stage.Options{Listen: `hosts: [gw.example]`})
	at := func(host string) func(*stage.Request) { return func(r *stage.Request) { r.Host = host } }
	s.fromPages(403, gateway.CodeForbiddenOrigin, at(c.text("/headers/Host")), at("evil.invalid:8080"), at("localhost.evil.invalid"), at("127.0.0.1.evil.invalid"), at("gw.example.evil.invalid"), at("0.0.0.0"), at("127.1"), at("2130706433"), at("localhost."+"evil"))
	for _, host := range []string{"gw.example", "localhost", "[::1]:80"} {
		r := s.alice.Calling("up__good", `{}`)
		r.Host = host
		s.Events(c)
		s.passed(r.Send(c))
	}
	s.served()
}

// passthrough: a host's own credential stays with the gateway; the upstream gets the
// gateway's, whatever way its host sends along.
func passthrough(c *trial) {
	const own = "gateway-credential-51c2"
	token := strings.TrimPrefix(c.text("/headers/Authorization"), "Bearer ")
	kept := filepath.Join(c.TempDir(), "credential")
	c.must(os.WriteFile(kept, []byte(own), 0o600))
	up := newPeer()
	s := c.openOnly(up, stage.Options{Upstreams: []stage.Upstream{
		stage.Served(c, "up", up).Bearer("file:" + kept), stage.Served(c, "other", newPeer()),
	}})
	legacy := s.legacy(`{}`)
	s.Events(c)
	key := s.alice.Key()
	for _, r := range []*stage.Request{s.alice.Calling("up__good", `{}`), legacy(protocol.MethodToolsCall, `"name":"up__good"`)} {
		r.With("Cookie", "session="+token).With("Proxy-Authorization", "Bearer "+token).With("X-Api-Key", token).With("Mcp-Authorization", token)
		s.passed(r.Send(c))
	}
	calls := s.up.Calls()
	c.hold(outward, len(calls) == 2, "%d calls arrived", len(calls))
	for _, got := range calls {
		all := string(got.Params) + strings.Join(flat(got.Header), "\n")
		c.hold(outward, got.Header.Get("Authorization") == "Bearer "+own && !strings.Contains(all, key) && !strings.Contains(all, token), "the upstream got %s", all)
	}
	r := s.alice.Calling("up__good", `{}`).With("Authorization", c.text("/headers/Authorization")).Send(c)
	c.hold(outward, r.Status == 401, "a foreign token: %d", r.Status)
	c.hold(event, len(s.Leaks(c, key, token, own)) == 0, "a credential is kept or logged")
	s.served()
}

func flat(h http.Header) []string {
	var all []string
	for name, values := range h {
		all = append(all, name+": "+strings.Join(values, ", "))
	}
	return all
}

// keptBearer: a credential stands in no log and in no event, whether it is good or
// not.
func keptBearer(c *trial) {
	token := c.text("/authorization")
	s := c.open(newPeer(), stage.Options{})
	key := s.alice.Key()
	legacy := s.legacy(`{}`)
	s.Events(c)
	s.passed(s.alice.Call(c, "up__good", `{}`))
	s.passed(legacy(protocol.MethodToolsCall, `"name":"up__good"`).Send(c))
	bad := map[gateway.Code]int{}
	for _, value := range [][]string{{token}, {strings.ToLower(token)}, {"Basic " + token}, {token, token}, {"Bearer " + key + "x"}} {
		for _, r := range []*stage.Request{s.alice.Calling("up__good", `{}`), legacy(protocol.MethodToolsCall, `"name":"up__good"`), s.alice.Ask("no/such", "")} {
			got := r.With("Authorization", value...).Send(c)
			bad[gateway.Code(got.Code())]++
			c.hold(outward, (got.Status == 401 || len(value) > 1 && got.Status == 400) && !strings.Contains(string(got.Body), "test-token"), "%q: %d %s", value, got.Status, got.Body)
		}
	}
	for code, n := range bad {
		stage.Await(c, "they are counted", func() bool { return s.Counted(c, code) == n })
	}
	for _, secret := range []string{strings.TrimPrefix(token, "Bearer "), key, key[:12], "1234567890"} {
		c.hold(event, len(s.Leaks(c, secret)) == 0, "%.8s… is kept or logged", secret)
	}
	s.served()
}
