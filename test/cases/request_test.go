package cases

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// requests are the cases of what hosts send.
func requests() map[string]proof {
	return map[string]proof{
		"ATK-064": bodies(400, -32600, func(c *trial) []string {
			return []string{
				c.text("/raw"), `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{}}`,
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up__good"},"params":{"name":"up__other"}}`,
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n\u0061me":"read","name":"delete"}}`,
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up__good","_meta":{"a":1,"a":2}}}`,
			}
		}),
		"ATK-065": variants(func(c *trial) string { return c.text("/raw") }, `"METHOD":"tools/call"`, `"metho\u0064s":"tools/call"`, `"Params":{"name":"up__other"}`, `"\u017fmethod":"x"`),
		"ATK-066": variants(func(c *trial) string { return strings.Replace(c.text("/raw"), "}", `,"params":{}}`, 1) }, `"method\u0000":"tools/call"`, `"method\u0000x":"tools/call"`, `"params\u0000":{"name":"up__other"}`, `"\u0000method":"tools/call"`),
		"ATK-068": bodies(400, -32700, func(c *trial) []string {
			list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
			return []string{c.text("/raw"), list + "\n" + list, list + "1", list + ",", list + "\x00", list + "//"}
		}),
		"ATK-069": batches,
		"ATK-070": exactIDs,
		"ATK-072": tamperedState,
		"ATK-076": hiddenTool,
		"ATK-077": noEcho,
		"ATK-084": duplicateArguments,
		"BUG-17":  equalIDs,
	}
}

// bodies proves that bodies are refused in either era with that status and code,
// without the upstream hearing of them.
func bodies(status, rpc int, list func(*trial) []string) proof {
	return func(c *trial) {
		s := c.open(newPeer().Add(stage.Tool("other"), stage.Result(`{}`)), stage.Options{})
		legacy := s.legacy(`{}`)
		s.Events(c)
		for _, body := range list(c) {
			method := protocol.MethodToolsCall
			if strings.Contains(body, protocol.MethodToolsList) {
				method = protocol.MethodToolsList
			}
			s.rejected(s.alice.Ask(method, "").Saying(withMeta(body)).Send(c), status, rpc, gateway.CodeMalformed)
			s.rejected(legacy(method, "").Saying(body).Send(c), status, rpc, gateway.CodeMalformed)
		}
		s.served()
	}
}

// withMeta gives the first params of a body what a modern host sends in them.
func withMeta(body string) string {
	return strings.Replace(body, `"params":{`, `"params":{"_meta":`+stage.Meta+`,`, 1)
}

// variants proves that members which only look like those of the protocol, or are
// none, mean nothing: what a body asks for is what its exact members say, and nothing
// of the rest reaches the upstream.
func variants(body func(*trial) string, others ...string) proof {
	return func(c *trial) {
		s := c.open(newPeer().Add(stage.Tool("other"), stage.Result(`{}`)), stage.Options{})
		legacy := s.legacy(`{}`)
		s.Events(c)
		texts := []string{body(c)}
		for _, member := range others {
			texts = append(texts, `{"jsonrpc":"2.0",`+member+`,"id":1,"method":"tools/list","params":{}}`)
		}
		for _, text := range texts {
			modern := strings.ReplaceAll(strings.Replace(text, `"params":{`, `"params":{"_meta":`+stage.Meta, 1), "},}", "}}")
			for _, ask := range []*stage.Request{s.alice.Ask(protocol.MethodToolsList, "").Saying(modern), legacy(protocol.MethodToolsList, "").Saying(text)} {
				r := ask.Send(c)
				row := s.OneEvent(c)
				ignored := r.Status == 200 && r.Fault == nil && slices.Contains(r.Tools(c), "up__other")
				c.hold(outward, ignored, "%s: %d %.300s", text, r.Status, r.Body)
				c.hold(event, row.Code == "" && row.Method == protocol.MethodToolsList, "on record as %q %q", row.Method, row.Code)
			}
		}
		s.untouched()
		// In a call likewise: what goes upstream is made anew from what was decided.
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up__good","Name":"up__other","name\u0000":"up__other","arguments":{},"Arguments":{"x":1}}}`
		s.passed(legacy(protocol.MethodToolsCall, "").Saying(call).Send(c))
		for _, got := range s.up.Calls() {
			c.hold(outward, got.Name() == "good" && !strings.Contains(string(got.Params), "other") && !strings.Contains(string(got.Params), `"x"`), "the upstream got %s", got.Params)
		}
		s.served()
	}
}

// batches: several messages in one body are refused whole, in every era.
func batches(c *trial) {
	s := c.open(newPeer(), stage.Options{})
	legacy := s.legacy(`{}`)
	s.Events(c)
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"up__good"}}`
	for _, body := range []string{c.text("/raw"), "[" + call + "]", " \n[" + call + "," + call + "]", "[]", "[1]", "[[" + call + "]]"} {
		s.rejected(s.alice.Ask(protocol.MethodToolsCall, "").Saying(body).Send(c), 400, -32600, gateway.CodeMalformed)
		s.rejected(legacy(protocol.MethodToolsCall, "").Saying(body).Send(c), 400, -32600, gateway.CodeBatch)
		s.rejected(legacy(protocol.MethodToolsCall, "").With(protocol.HeaderVersion).Saying(body).Send(c), 400, -32600, gateway.CodeBatch)
	}
	s.served()
}

// meeting is a peer whose tool "echo" answers with its arguments, once as many calls
// are under way as the test says.
func meeting(n int) *stage.Peer {
	var all sync.WaitGroup
	all.Add(n)
	return newPeer().Add(stage.Tool("echo"), func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		all.Done()
		all.Wait()
		stage.Result(`{"content":[],"echo":`+m.Arguments()+`}`)(w, r, m)
	})
}

// crossed makes calls under ids at the same time: each gets its own answer, under its
// id as it was sent, and the upstream sees ids of the gateway's own.
func (s *scene) crossed(requests []*stage.Request, want []string) {
	s.c.Helper()
	replies, errs := make([]*stage.Reply, len(requests)), make([]error, len(requests))
	var under sync.WaitGroup
	for i, r := range requests {
		under.Go(func() { replies[i], errs[i] = r.Do(s.c.Context()) })
	}
	under.Wait()
	for i, r := range replies {
		s.c.must(errs[i])
		s.c.hold(outward, r.ID == requests[i].ID && r.Get("/echo") == want[i], "%s got %s, want %s", requests[i].ID, r.Body, want[i])
	}
	seen := map[string]bool{}
	for _, call := range s.up.Calls() {
		s.c.hold(outward, !seen[string(call.ID)], "the upstream saw the id %s twice", call.ID)
		seen[string(call.ID)] = true
	}
	rows := s.Events(s.c)
	s.c.hold(event, len(rows) == len(requests), "%d events of %d calls", len(rows), len(requests))
	for _, row := range rows {
		s.c.hold(event, row.Outcome == gateway.OutcomeCommitted, "on record as %+v", row)
	}
}

// exactIDs: ids that are one number to those who round them are two.
func exactIDs(c *trial) {
	ids := []string{c.raw("/ids/0"), c.raw("/ids/1"), "9007199254740993000", "9007199254740993001", `"1"`, "1", `"\u0031x"`, "-0"}
	s := c.open(meeting(2*len(ids)), stage.Options{})
	legacy := s.legacy(`{}`)
	s.Events(c)
	var requests []*stage.Request
	var want []string
	for i, id := range ids {
		args := `{"of":` + strconv.Itoa(i) + `}`
		modern, old := s.alice.Calling("up__echo", args), legacy(protocol.MethodToolsCall, `"name":"up__echo","arguments":`+args)
		modern.ID, old.ID = id, id
		requests, want = append(requests, modern, old), append(want, args, args)
	}
	s.crossed(requests, want)
	s.served()
}

// equalIDs: hosts that use the same id at the same time get each their own answer;
// within one session it is refused, since nobody could tell which was cancelled.
func equalIDs(c *trial) {
	s := c.open(meeting(5), stage.Options{Principals: two()})
	one, other := s.legacy(`{}`), begin(c, s.Host("bob"), `{}`)
	s.Events(c)
	requests := []*stage.Request{
		s.alice.Calling("up__echo", `{"tag":"A"}`), s.alice.Calling("up__echo", `{"tag":"B"}`), s.Host("bob").Calling("up__echo", `{"tag":"C"}`),
		one(protocol.MethodToolsCall, `"name":"up__echo","arguments":{"tag":"D"}`), other(protocol.MethodToolsCall, `"name":"up__echo","arguments":{"tag":"E"}`),
	}
	s.crossed(requests, []string{`{"tag":"A"}`, `{"tag":"B"}`, `{"tag":"C"}`, `{"tag":"D"}`, `{"tag":"E"}`})
	s.served()

	arrived, release := make(chan struct{}), make(chan struct{})
	s.up.Add(stage.Tool("slow"), func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		arrived <- struct{}{}
		<-release
		stage.Result(stage.Text(done))(w, r, m)
	})
	c.must(s.Gateway.Refresh(c.Context(), "up"))
	s.Review(c)
	slow := one(protocol.MethodToolsCall, `"name":"up__slow"`)
	answered := make(chan *stage.Reply, 1)
	go func() {
		r, _ := slow.Do(context.WithoutCancel(c.Context())) // nil fails below
		answered <- r
	}()
	<-arrived
	s.Events(c)
	s.up.Calls()
	again := one(protocol.MethodToolsCall, `"name":"up__good"`)
	s.refused(again.Send(c), gateway.CodeMalformed, gateway.ReasonIDInUse)
	s.untouched()
	close(release)
	r := <-answered
	c.hold(outward, r != nil && r.Get("/content/0/text") == done, "the first one: %+v", r)
}

// hiddenTool: a tool that is hidden can't be told from one that is not there.
func hiddenTool(c *trial) {
	name := strings.TrimPrefix(c.text("/name"), "admin__")
	admin := stage.NewPeer().Add(stage.Tool(name), stage.Result(`{}`))
	s := c.open(newPeer().Add(stage.Tool("hidden"), stage.Result(`{}`)), stage.Options{
		Upstreams: []stage.Upstream{stage.Served(c, "admin", admin)},
		Review: func(id gateway.ItemID) string {
			if id.Name == "good" {
				return stage.Read("use")
			}
			return stage.Read("admin")
		},
	})
	for _, call := range s.eras() {
		for _, hidden := range []string{c.text("/name"), "up__hidden"} {
			absent := call("up__absent", `{}`)
			s.OneEvent(c)
			r := call(hidden, `{}`)
			s.refused(r, gateway.CodeUnknownTool, gateway.ReasonNotVisible)
			c.hold(outward, r.Status == absent.Status && bare(r) == bare(absent), "%s answers\n%s, an absent one\n%s", hidden, r.Body, absent.Body)
		}
	}
	c.hold(outward, len(admin.Calls()) == 0, "the upstream was called")
	s.untouched()
	s.served()
}

// bare is a body without the id of its call.
func bare(r *stage.Reply) string {
	id := strings.Trim(r.Get("/data/id"), `"`)
	if id == "" {
		return string(r.Body)
	}
	return strings.ReplaceAll(string(r.Body), id, "…")
}

// noEcho: what a host learns of wrong arguments is where they are wrong, and holds no
// value.
func noEcho(c *trial) {
	token := c.text("/arguments/token")
	up := newPeer().Add(`{"name":"strict","inputSchema":`+c.raw("/schema")+`}`, stage.Result(`{}`)).
		Add(`{"name":"picky","inputSchema":{"type":"object","properties":{"q":{"enum":["a"]},"r":{"const":1},"s":{"pattern":"^x$","type":"string"},"t":{"type":"string","maxLength":3},"u":{"type":"array","uniqueItems":true}}}}`, stage.Result(`{}`))
	s := c.open(up, stage.Options{})
	for _, call := range s.eras() {
		r := call("up__strict", c.raw("/arguments"))
		s.refused(r, gateway.CodeInvalidArguments)
		c.hold(outward, r.IsError() && r.Get("/_meta/mcp-gateway~1error/violations") == `[{"pointer":"/q","keyword":"type"},{"pointer":"/token","keyword":"additionalProperties"}]`, "%s", r.Body)
		q := `"` + token + `"`
		picky := call("up__picky", `{"q":`+q+`,"r":`+q+`,"s":`+q+`,"t":`+q+`,"u":[`+q+`,`+q+`]}`)
		s.refused(picky, gateway.CodeInvalidArguments)
		for _, r := range []*stage.Reply{r, picky} {
			c.hold(outward, !strings.Contains(string(r.Body), token), "a value is told: %s", r.Body)
		}
		s.untouched()
	}
	c.hold(event, len(s.Leaks(c, token)) == 0, "a value is kept or logged")
	s.served()
}

// duplicateArguments: arguments that mean two things are decided on by nobody.
func duplicateArguments(c *trial) {
	body := strings.Replace(c.text("/raw"), `"pay"`, `"up__pay"`, 1)
	s := c.open(newPeer().Add(stage.Tool("pay"), stage.Result(`{}`)), stage.Options{})
	legacy := s.legacy(`{}`)
	s.Events(c)
	for _, args := range []string{`{"to":"bob","to":"eve"}`, `{"to":"bob","t\u006f":"eve"}`, `{"deep":[{"to":"bob","to":"eve"}]}`, `{"a":{"b":{"c":1,"c":1}}}`, `{"":1,"":2}`} {
		text := strings.Replace(body, `{"to":"bob","to":"eve"}`, args, 1)
		modern := s.alice.Calling("up__pay", `{}`).Saying(withMeta(text))
		s.rejected(modern.Send(c), 400, -32600, gateway.CodeMalformed)
		s.rejected(legacy(protocol.MethodToolsCall, "").Saying(text).Send(c), 400, -32600, gateway.CodeMalformed)
	}
	s.served()
}

// tamperedState: what a host brings back of an earlier round is what it was given, or
// nothing of it is believed.
func tamperedState(c *trial) {
	asking := `{"resultType":"input_required","requestState":"inner","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}}}}`
	up := newPeer().Add(stage.Tool("ask"), func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		if strings.Contains(string(m.Params), "inputResponses") {
			stage.Result(stage.Text(done))(w, r, m)
			return
		}
		stage.Result(asking)(w, r, m)
	})
	s := c.open(up, stage.Options{Principals: two()})
	ask := func(name, arguments, further string) *stage.Reply {
		r := s.Host(name).Calling("up__ask", arguments)
		r.Meta = strings.Replace(stage.Meta, `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}`, 1)
		r.Params += further
		return r.Send(c)
	}
	const answer = `,"inputResponses":{"k":{"action":"accept","content":{"city":"x"}}},"requestState":`
	asked := ask("alice", `{"a":1}`, "")
	state, ok := protocol.Text([]byte(asked.Get("/requestState")))
	if !ok || len(state) < 40 {
		c.Fatalf("asked %s", asked.Body)
	}
	s.Events(c)
	s.up.Calls()
	flip := func(i int) string {
		b := []byte(state)
		b[i] = map[bool]byte{true: 'B', false: 'A'}[b[i] == 'A']
		return string(b)
	}
	for _, forged := range []string{flip(0), flip(len(state) / 3), flip(len(state) / 2), flip(len(state) - 2), state[:len(state)-1], state + "A", "inner", ""} {
		s.refused(ask("alice", `{"a":1}`, answer+strconv.Quote(forged)), gateway.CodeStateInvalid)
	}
	s.refused(ask("alice", `{"a":2}`, answer+strconv.Quote(state)), gateway.CodeStateInvalid)
	s.refused(ask("bob", `{"a":1}`, answer+strconv.Quote(state)), gateway.CodeStateInvalid)
	s.untouched()
	s.passed(ask("alice", `{"a":1}`, answer+strconv.Quote(state)))
	s.served()
}
