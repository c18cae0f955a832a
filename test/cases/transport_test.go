package cases

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// transports are the cases of streams, sessions and processes.
func transports() map[string]proof {
	return map[string]proof{
		"ATK-095": lineInjection,
		"ATK-096": endlessEvent,
		"ATK-097": slowUpstream,
		"ATK-098": hijack,
		"ATK-100": hostileEndpoints,
		"ATK-101": metadataElsewhere,
		"ATK-106": noise,
		"ATK-107": sampling,
		"BUG-07":  emptyEvents,
		"BUG-27":  namedEvents,
	}
}

// streamed sends a request whose answer comes as a stream and returns the lines of it,
// as a client splits them that knows CR, LF and both as ends (WHATWG HTML, 9.2.5).
func (s *scene) streamed(r *stage.Request) []string {
	s.c.Helper()
	req, err := http.NewRequestWithContext(s.c.Context(), r.Verb, r.URL, strings.NewReader(r.Text()))
	s.c.must(err)
	req.Header = r.Header
	resp, err := http.DefaultClient.Do(req)
	s.c.must(err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	s.c.must(err)
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		s.c.Fatalf("%d %v %s", resp.StatusCode, resp.Header, raw)
	}
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(raw)), "\n")
}

// progressing answers with progress that says a text, and a result that says it too.
func progressing(quoted string) stage.Answer {
	return func(w http.ResponseWriter, _ *http.Request, m stage.Message) {
		token, _ := protocol.Lookup(m.Params, "/_meta/progressToken")
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":1,\"message\":%s}}\n\n", token, quoted)
		_, _ = fmt.Fprintf(w, "data: %s\n\n", stage.Response(m.ID, `{"content":[{"type":"text","text":`+quoted+`}],"structuredContent":{"t":`+quoted+`}}`))
	}
}

// inStreams calls a tool with a token for progress in both eras and gives the lines of
// each answer to the test.
func (s *scene) inStreams(tool string, look func(era string, lines []string)) {
	s.c.Helper()
	legacy := s.legacy(`{}`)
	s.Events(s.c)
	modern := s.alice.Calling(tool, `{}`)
	modern.Meta = strings.Replace(stage.Meta, "{", `{"progressToken":"p",`, 1)
	for era, r := range map[string]*stage.Request{
		"modern": modern, "legacy": legacy(protocol.MethodToolsCall, `"_meta":{"progressToken":"p"},"name":"`+tool+`"`),
	} {
		look(era, s.streamed(r))
		row := s.OneEvent(s.c)
		s.c.hold(event, row.Outcome == gateway.OutcomeCommitted, "%s: on record as %+v", era, row)
	}
}

// lineInjection: whatever a text holds, an event is one message on one line.
func lineInjection(c *trial) {
	quoted := c.raw("/text")
	s := c.open(newPeer().Add(stage.Tool("injects"), progressing(quoted)), stage.Options{})
	s.inStreams("up__injects", func(era string, lines []string) {
		messages := 0
		for _, line := range lines {
			data, isData := strings.CutPrefix(line, "data: ")
			switch {
			case isData:
				messages++
				c.hold(outward, json.Valid([]byte(data)), "%s: %q", era, line)
			default:
				c.hold(outward, line == "" || strings.HasPrefix(line, "event: message") || strings.HasPrefix(line, ":") || strings.HasPrefix(line, "id: "), "%s: %q", era, line)
			}
		}
		c.hold(outward, messages == 2, "%s: %d messages of two: %q", era, messages, lines)
	})
	s.served()
}

// namedEvents: every event that carries a message says so.
func namedEvents(c *trial) {
	s := c.open(newPeer().Add(stage.Tool("tells"), progressing(`"x"`)), stage.Options{})
	s.inStreams("up__tells", func(era string, lines []string) {
		name, messages := "", 0
		for _, line := range lines {
			switch {
			case line == "":
				name = ""
			case strings.HasPrefix(line, "event:"):
				name = strings.TrimSpace(strings.TrimPrefix(line, "event:"))
			case strings.HasPrefix(line, "data:"):
				messages++
				c.hold(outward, name == "message", "%s: an event called %q: %s", era, name, line)
			}
		}
		c.hold(outward, messages == 2, "%s: %q", era, lines)
	})
	s.served()
}

// emptyEvents: events that carry nothing, comments and those of other names are
// passed over.
func emptyEvents(c *trial) {
	head := c.text("/sse/0") + c.text("/sse/1")
	before := map[string]string{
		"case": head, "retry": "retry: 10\n\n" + head, "named": "event: ping\ndata: {}\n\n" + head, "many": strings.Repeat(head, 100),
		"crlf": strings.ReplaceAll(head, "\n", "\r\n"), "id": "id: 7\n\n", "fields": "x: y\ndata:\n\n: \n\n", "mark": "\xef\xbb\xbf" + head,
	}
	up := newPeer()
	for name, text := range before {
		up.Add(stage.Tool(name), func(w http.ResponseWriter, _ *http.Request, m stage.Message) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, text+"event: message\ndata: "+stage.Response(m.ID, stage.Text(done))+"\n\n") // the gateway may have gone
		})
	}
	s := c.open(up, stage.Options{})
	for _, call := range s.eras() {
		for name := range before {
			r := call("up__"+name, `{}`)
			s.passed(r)
			c.hold(outward, r.Get("/content/0/text") == done, "%s: %s", name, r.Body)
		}
	}
	s.served()
}

// endlessEvent: an event that does not end costs its call; others to the same
// upstream, before, during and after it, do not notice.
func endlessEvent(c *trial) {
	const cut = 4 << 20
	shapes := map[string]string{"data": "data: ", "comment": ": ", "field": "x", "name": "event: ", "lines": "data: x\ndata: "}
	up := newPeer()
	for name, head := range shapes {
		up.Add(stage.Tool(name), func(w http.ResponseWriter, r *http.Request, _ stage.Message) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, err := io.WriteString(w, head)
			for piece := strings.Repeat("x", 64<<10); err == nil && r.Context().Err() == nil; {
				_, err = io.WriteString(w, piece)
			}
		})
	}
	s := c.open(up, stage.Options{Settings: fmt.Sprintf("limits: {message: %d}\n", cut)})
	for _, call := range s.eras() {
		for name := range shapes {
			s.refused(call("up__"+name, `{}`), gateway.CodeContractViolation, gateway.ReasonResultTooLarge)
			s.served()
		}
	}
}

// slowUpstream: a deadline is held whatever drips, what waited is let go, and an
// upstream that is slow again and again is asked no more for a while.
func slowUpstream(c *trial) {
	var waiting atomic.Int32
	drip := func(head string) stage.Answer {
		return func(w http.ResponseWriter, r *http.Request, _ stage.Message) {
			waiting.Add(1)
			defer waiting.Add(-1)
			if head != "" {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, head)
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		}
	}
	slow := newPeer().Add(stage.Tool("headers"), drip("")).Add(stage.Tool("drips"), drip("data: {")).Add(stage.Tool("pings"), drip(": ping\n\n"))
	s := c.open(newPeer(), stage.Options{
		Upstreams: []stage.Upstream{stage.Served(c, "slow", slow).With("circuit: {after: 6, rest: 1h}")},
		Review:    reviewedAs(stage.Read("use") + ", timeout: 150ms"),
	})
	calls := s.eras()
	for _, call := range calls {
		for _, tool := range []string{"headers", "drips", "pings"} {
			row := s.refused(call("slow__"+tool, `{}`), gateway.CodeTimeout)
			c.hold(event, row.Outcome == gateway.OutcomeFailed, "the outcome is %q", row.Outcome)
			s.served()
		}
	}
	arrived := len(slow.Calls())
	c.hold(outward, arrived == 6, "%d calls arrived", arrived)
	for _, call := range calls {
		s.refused(call("slow__headers", `{}`), gateway.CodeUnavailable, "circuit_open")
		s.refused(call("slow__good", `{}`), gateway.CodeUnavailable, "circuit_open")
	}
	c.hold(outward, len(slow.Calls()) == 0, "the upstream was asked all the same")
	s.served()
	stage.Await(c, "nobody waits for it any more", func() bool { return waiting.Load() == 0 })
}

// hijack: a session is its principal's; to all others it is one that does not exist.
func hijack(c *trial) {
	s := c.open(newPeer(), stage.Options{Principals: two()})
	legacy := s.legacy(`{}`)
	id := legacy("", "").Header.Get(protocol.HeaderSession)
	s.Events(c)
	for _, name := range []string{"bob", "carol"} {
		theirs := func(id string) []*stage.Reply {
			ask := s.Host(name).Legacy(protocol.Revision20251125, id, protocol.MethodToolsCall, `"name":"up__good"`)
			out := []*stage.Reply{ask.Send(c)}
			for _, verb := range []string{http.MethodGet, http.MethodDelete} {
				out = append(out, (&stage.Request{Verb: verb, URL: ask.URL, Header: ask.Header}).Send(c))
			}
			return out
		}
		stolen := theirs(id)
		rows := s.Events(c)
		unknown := theirs("0123456789abcdefghijklmnop")
		s.Events(c)
		for i, r := range stolen {
			c.hold(outward, r.Status == 404 && r.Code() == string(gateway.CodeSessionUnknown) && bare(r) == bare(unknown[i]), "%s: %d %s", name, r.Status, r.Body)
		}
		c.hold(event, len(rows) > 0, "nothing is on record")
		for _, row := range rows {
			c.hold(event, row.Code == gateway.CodeSessionUnknown && string(row.Client) == name, "on record as %+v", row)
		}
		s.untouched()
	}
	s.passed(legacy(protocol.MethodToolsCall, `"name":"up__good"`).Send(c))
	s.served()
}

// metadataElsewhere: where an upstream's refusal points to, nobody goes.
func metadataElsewhere(c *trial) {
	var visited atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visited.Add(1) }))
	c.Cleanup(elsewhere.Close)
	pointing := func(status int, challenge string) stage.Answer {
		return func(w http.ResponseWriter, _ *http.Request, _ stage.Message) {
			w.Header().Set("WWW-Authenticate", challenge)
			w.Header().Set("Location", elsewhere.URL)
			w.Header().Set("Link", "<"+elsewhere.URL+">; rel=preload")
			w.WriteHeader(status)
		}
	}
	local := strings.Replace(c.text("/www_authenticate"), "http://169.254.169.254", elsewhere.URL, 1)
	up := newPeer().Add(stage.Tool("meta"), pointing(401, c.text("/www_authenticate"))).Add(stage.Tool("here"), pointing(401, local)).Add(stage.Tool("scope"), pointing(403, local))
	s := c.open(up, stage.Options{})
	for _, call := range s.eras() {
		for tool, reason := range map[string]gateway.Reason{"meta": "http_401", "here": "http_401", "scope": "http_403"} {
			r := call("up__"+tool, `{}`)
			code := gateway.CodeUnavailable
			if tool == "scope" {
				code = gateway.Code(r.Code())
			}
			s.refused(r, code, reason)
			c.hold(outward, r.Header.Get("WWW-Authenticate") == "" && !strings.Contains(string(r.Body), "169.254"), "passed on: %v %s", r.Header, r.Body)
			s.served()
		}
	}
	c.hold(outward, visited.Load() == 0, "it was visited %d times", visited.Load())
}

// noise: lines of a process that are no messages are passed over; one that says
// nothing else is started anew.
func noise(c *trial) {
	s := c.open(newPeer(), stage.Options{Upstreams: []stage.Upstream{stage.Process("child", "noisy")}})
	for _, call := range s.eras() {
		r := call("child__noise", `{}`)
		s.passed(r)
		c.hold(outward, !strings.Contains(string(r.Body), "not json") && !strings.Contains(string(r.Body), "started"), "passed on: %s", r.Body)
		s.refused(call("child__floods", `{}`), gateway.CodeExecutionError, "stdout_noise")
		s.served()
		stage.Await(c, "the process is started again", func() bool { return s.alice.Call(c, "child__good", `{}`).Code() == "" })
		s.Events(c)
	}
	c.hold(event, !strings.Contains(string(s.Journal(c)), "not json"), "noise is on record")
}

// sampling: what an upstream asks of a model reaches no host that was not to be asked.
func sampling(c *trial) {
	request := with(c.raw("/from_upstream"), `"jsonrpc":"2.0"`)
	over := func(w http.ResponseWriter, _ *http.Request, m stage.Message) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+strings.Replace(request, `"u1"`, string(m.ID), 1)+"\n\ndata: "+request+"\n\ndata: "+stage.Response(m.ID, stage.Text(done))+"\n\n") // the gateway may have gone
	}
	s := c.open(newPeer().Add(stage.Tool("ask"), over), stage.Options{Upstreams: []stage.Upstream{stage.Process("child", "asks")}})
	legacy := s.legacy(`{"sampling":{}}`)
	s.Events(c)
	for tool, want := range map[string]string{"up__ask": done, "child__ask": `"declined"`} {
		modern := s.alice.Calling(tool, `{}`)
		modern.Meta = strings.Replace(stage.Meta, `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":{"sampling":{}}`, 1)
		for _, r := range []*stage.Request{modern, legacy(protocol.MethodToolsCall, `"name":"`+tool+`"`)} {
			got := r.Send(c)
			text := string(got.Body)
			c.hold(outward, !strings.Contains(text, "createMessage"), "%s was asked: %s", tool, text)
			c.hold(outward, strings.Contains(text, `"text":`+want), "%s: %s", tool, text)
			row := s.OneEvent(c)
			c.hold(event, row.Outcome == gateway.OutcomeCommitted, "%s: on record %+v", tool, row)
		}
	}
	s.served("child__good")
}

// hangUp leaves in the middle of a call once it has arrived.
func (s *scene) hangUp(r *stage.Request, arrived func() bool) {
	s.c.Helper()
	ctx, leave := context.WithCancel(s.c.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := r.Do(ctx)
		gone <- err
	}()
	stage.Await(s.c, "the call arrives", arrived)
	leave()
	if err := <-gone; err == nil {
		s.c.Error("it was answered")
	}
}

// hostileEndpoints: an authorization server whose metadata name anything but web
// servers is believed in nothing, and none of what it names is called.
func hostileEndpoints(c *trial) {
	command := strings.ReplaceAll(c.text("/as_metadata/authorization_endpoint"), `\`, "/")
	for _, members := range []string{
		`"authorization_endpoint":` + c.raw("/as_metadata/authorization_endpoint") + `,"jwks_uri":"SELF/keys"`,
		`"jwks_uri":"` + command + `"`, `"jwks_uri":"http://169.254.169.254/keys"`, `"jwks_uri":"SELF/keys","token_endpoint":"javascript:alert(1)"`,
		`"jwks_uri":"SELF/keys","introspection_endpoint":"file:///etc/passwd"`, `"jwks_uri":"https://name:secret@keys.invalid/"`,
	} {
		c.distrusts(members)
	}
}

// distrusts shows a token of an issuer with such metadata to a gateway.
func (c *trial) distrusts(members string) {
	c.Helper()
	var called atomic.Int32
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, "/.well-known/") {
			called.Add(1)
		}
		stage.Say(w, `{"issuer":"`+server.URL+`",`+strings.ReplaceAll(members, "SELF", server.URL)+`}`)
	}))
	c.Cleanup(server.Close)
	s := c.open(newPeer(), stage.Options{Auth: fmt.Sprintf("issuers: [{issuer: %q}]", server.URL), Listen: `url: "https://gw.example"`})
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	token := part(`{"alg":"RS256","kid":"k"}`) + "." + part(`{"iss":"`+server.URL+`","aud":"https://gw.example/mcp","sub":"x","exp":9999999999}`) + "." + part("signature")
	r := s.alice.Calling("up__good", `{}`).With("Authorization", "Bearer "+token).Send(c)
	c.hold(outward, r.Status == 503 && r.Code() == string(gateway.CodeIssuerUnavailable) && r.Result == nil, "%s: %d %s", members, r.Status, r.Body)
	c.hold(outward, called.Load() == 0, "%s: what they name was called %d times", members, called.Load())
	s.untouched()
	stage.Await(c, "it is counted", func() bool { return s.Counted(c, gateway.CodeIssuerUnavailable) == 1 })
	c.hold(event, len(s.Leaks(c, token)) == 0, "the token is kept or logged")
	s.served()
}
