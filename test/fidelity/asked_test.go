package fidelity

import (
	"fmt"

	"mcp-gateway/protocol"
)

// questions are what an upstream may ask, and the types of the answers.
var questions = []struct{ method, params, result string }{
	{protocol.MethodElicit, "ElicitRequestFormParams", "ElicitResult"},
	{protocol.MethodElicit, "ElicitRequestURLParams", "ElicitResult"},
	{protocol.MethodCreateMessage, "CreateMessageRequestParams", "CreateMessageResult"},
	{protocol.MethodRootsList, "", "ListRootsResult"},
}

// asked is one question and an answer to it: from the upstream's schema, and from
// the host's.
func (c *scene) asked(of *schemas, i int) (q note, answer object) {
	kind := questions[i%len(questions)]
	q = note{method: kind.method}
	if kind.params != "" {
		q.params = c.draw(kind.params)
		if q.params.get("mode") == "null" {
			q.params = q.params.without("mode")
		}
		return q, of.draw(kind.result)
	}
	if c.drawn["ListRootsRequest"]++; c.chance(50) {
		q.params = c.unknown(object{{"_meta", `{"a":1}`}}, 1, 2)
	}
	return q, of.draw(kind.result)
}

// relayed lets a server of the old era ask a host of the old era on its open call.
func (c *scene) relayed(of *schemas, n int) {
	for i := range 4 * n {
		q, answer := c.asked(of, i)
		c.host.answer = answer.String()
		c.up.say(script{ask: &q, result: `{"content":[]}`})
		got := c.host.do(c.t, protocol.MethodToolsCall, c.params(protocol.MethodToolsCall))
		c.compareAsked(i, q, answer, got, c.up.calls())
	}
}

// compareAsked compares one question as the host heard it, without _meta, and one
// answer as the upstream got it, as it was.
func (c *scene) compareAsked(i int, q note, answer object, got heard, arrived []object) {
	c.t.Helper()
	kind := questions[i%len(questions)]
	heard := fmt.Sprintf("%d asked: %s%s", len(got.asked), got.result, got.fault)
	if len(got.asked) == 1 && got.asked[0].method == q.method {
		heard = got.asked[0].params.String()
	}
	name := kind.params
	if name == "" {
		name = "ListRootsRequest"
	}
	c.compare(name+" on an open call", q.params.String(), heard, c.shown(q).without("_meta", "progressToken").String())
	back := fmt.Sprint(arrived)
	if len(arrived) == 2 {
		back = arrived[1].String()
		if responses := arrived[1].get("inputResponses"); responses != "" {
			back = parse([]byte(responses)).get("q")
		}
	}
	c.compare(kind.result+" on an open call", answer.String(), back, answer.String())
}

// interviews lets a modern server ask a host of the old era.
func (c *scene) interviews(of *schemas, n int) {
	for i := range 4 * n {
		q, answer := c.asked(of, i)
		c.host.answer = answer.String()
		requests := object{{"q", q.request()}}
		c.up.say(script{result: object{{"resultType", `"input_required"`}, {"inputRequests", requests.String()}}.String(), again: `{"resultType":"complete","content":[]}`})
		got := c.host.do(c.t, protocol.MethodToolsCall, c.params(protocol.MethodToolsCall))
		c.compareAsked(i, q, answer, got, c.up.calls())
	}
}

// request is a question within an InputRequiredResult.
func (n note) request() string {
	o := object{{"method", quote(n.method)}}
	if n.params != nil {
		o = append(o, field{"params", n.params.String()})
	}
	return o.String()
}

// shown are the params of a question as a person is shown it: with the host of the
// page that it leads to, unless nothing is cleaned.
func (c *scene) shown(n note) object {
	if n.params.get("mode") != `"url"` || c.dirty {
		return n.params
	}
	return n.params.with("message", `"[opens example.test] `+n.params.get("message")[1:])
}

// rounds lets a modern server ask a modern host, which answers by asking again.
func (c *scene) rounds(of *schemas, n int) {
	for i := range 4 * n {
		c.drawn["InputRequiredResult"]++
		of.drawn["InputResponses"]++
		of.drawn["InputResponse"]++
		requests, shown, responses := object{}, object{}, object{}
		for k := range 1 + c.IntN(3) {
			q, answer := c.asked(of, i+k)
			key := c.pickOf("q", "zwei", "三/~", "") + fmt.Sprint(k)
			requests = append(requests, field{key, q.request()})
			shown = append(shown, field{key, note{method: q.method, params: c.shown(q)}.request()})
			responses = append(responses, field{key, answer.String()})
		}
		state := ""
		asking := object{{"resultType", `"input_required"`}, {"inputRequests", requests.String()}}
		if c.chance(70) {
			state = c.anyText()
			asking = append(asking, field{"requestState", state})
		}
		asking = c.shuffled(c.unknown(asking.with("_meta", c.draw("ResultMetaObject").String()), c.IntN(2), 3))
		c.round(asking, asking.with("inputRequests", shown.String()), responses, state)
	}
}

// round is one question, as it is asked and as it is shown, and its answer, in each
// method that may ask.
func (c *scene) round(asking, shown, responses object, state string) {
	c.t.Helper()
	method := c.pickOf(protocol.MethodToolsCall, protocol.MethodPromptsGet, protocol.MethodResourcesRead)
	c.up.say(script{result: asking.String(), again: `{"resultType":"complete","content":[],"messages":[],"contents":[]}`})
	params := c.params(method)
	got := parse([]byte(c.host.do(c.t, method, params).result))
	sealed := got.get("requestState")
	c.compare("InputRequiredResult of "+method, asking.String(), got.without("requestState").String(),
		c.hop(shown.without("requestState"), protocol.ResultInputRequired).String())
	c.up.say(script{result: `{"resultType":"complete","content":[],"messages":[],"contents":[]}`})
	c.host.do(c.t, method, params.with("inputResponses", responses.String()).with("requestState", sealed))
	arrived, want := object{}, object{{"inputResponses", responses.String()}}
	if state != "" {
		want = want.with("requestState", state)
	}
	if calls := c.up.calls(); len(calls) == 1 {
		arrived = calls[0].without("name", "uri", "arguments")
	}
	c.compare("InputResponses of "+method, responses.String(), arrived.String(), want.String())
}
