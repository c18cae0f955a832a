package fidelity

import (
	"fmt"
	"strings"

	"mcp-gateway/protocol"
)

// send sends a request and compares what reaches the upstream: its params but for
// _meta, which is each hop's own.
func (c *scene) send(kind, method string, params, want object, result string) {
	c.t.Helper()
	c.up.say(script{result: c.own(parse([]byte(result))).String()})
	got := c.host.do(c.t, method, params)
	arrived := got.result + got.fault
	if calls := c.up.calls(); len(calls) == 1 {
		arrived = calls[0].String()
	}
	c.compare(kind, params.String(), arrived, want.String())
}

// requests sends what hosts send, drawn from the schema of the host's era.
func (c *scene) requests(of *schemas, n int) {
	for range 3 * n {
		of.drawn["CallToolRequestParams"]++
		params, want := object{{"name", `"up__any"`}}, object{{"name", `"any"`}}
		if of.chance(90) {
			arguments := of.shuffled(of.unknown(nil, of.IntN(6), 4)).String()
			params, want = params.with("arguments", arguments), want.with("arguments", arguments)
		}
		c.send("CallToolRequest", protocol.MethodToolsCall, of.shuffled(of.unknown(params, 1, 2)), want, `{"content":[]}`)
	}
	for range n {
		arguments := object{}
		for _, name := range []string{"one", "zwei", "三", "d"} {
			if of.chance(60) {
				arguments = append(arguments, field{name, of.anyText()})
			}
		}
		of.drawn["GetPromptRequestParams"]++
		c.send("GetPromptRequest", protocol.MethodPromptsGet, object{{"arguments", arguments.String()}, {"name", `"up__any"`}},
			object{{"name", `"any"`}, {"arguments", arguments.String()}}, `{"messages":[]}`)
		c.completion(of, arguments)

		of.drawn["ReadResourceRequestParams"]++
		uri := fmt.Sprintf("desk://notes/%s", of.pickURI())
		c.send("ReadResourceRequest", protocol.MethodResourcesRead, object{{"uri", of.text(uri)}}, object{{"uri", quote(uri)}}, `{"contents":[]}`)
	}
}

// pickURI is what a variable of a template may stand for, in normal form.
func (v *values) pickURI() string {
	return strings.Repeat("x", v.IntN(9)) + pick(v, []string{"a", "a/b/c", "%C3%A9", "a%20b", "a+b", "a:b;c=1", "~u", "a%26b"})
}

func (c *scene) completion(of *schemas, before object) {
	of.drawn["CompleteRequestParams"]++
	of.drawn["PromptReference"]++
	of.drawn["ResourceTemplateReference"]++
	argument := object{{"name", `"one"`}, {"value", of.anyText()}}
	argument = of.shuffled(of.unknown(argument, of.IntN(2), 2))
	params := object{{"argument", argument.String()}}
	if of.chance(60) {
		params = params.with("context", object{{"arguments", before.without("one").String()}}.String())
	}
	reference := params.with("ref", `{"type":"ref/prompt","name":"up__any"}`)
	want := params.with("ref", `{"type":"ref/prompt","name":"any"}`)
	if of.chance(40) {
		reference = params.with("ref", `{"type":"ref/resource","uri":"desk:\/\/notes\/{+at}"}`)
		want = params.with("ref", `{"type":"ref/resource","uri":"desk://notes/{+at}"}`)
	}
	c.send("CompleteRequest", protocol.MethodComplete, of.shuffled(reference), want, `{"completion":{"values":[]}}`)
}
