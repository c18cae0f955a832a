package fidelity

import (
	"fmt"
	"slices"

	"mcp-gateway/protocol"
)

const notes = `"desk://notes/a"` // a resource that the template stands for

// ask makes the request that each kind of call is tried with.
func (c *scene) params(method string) object {
	switch method {
	case protocol.MethodResourcesRead:
		return object{{"uri", notes}}
	case protocol.MethodComplete:
		return object{{"ref", `{"type":"ref/prompt","name":"up__any"}`}, {"argument", `{"name":"one","value":"a"}`}}
	}
	return object{{"name", `"up__any"`}}
}

// pass lets the upstream answer with a result and compares what reaches the host.
func (c *scene) pass(kind, method string, result object) heard {
	c.t.Helper()
	result = c.own(result)
	c.up.say(script{result: result.String()})
	got := c.host.do(c.t, method, c.params(method))
	want := c.hop(result, protocol.ResultComplete)
	if method == protocol.MethodResourcesRead {
		want = want.without("ttlMs", "cacheScope")
		if c.host.modern {
			want = want.with("ttlMs", kept(result.get("ttlMs"))).with("cacheScope", `"private"`)
		}
	}
	c.compare(kind, result.String(), got.result+got.fault, want.String())
	return got
}

// kept is how long a host may keep contents: what the upstream says, if it is a
// time.
func kept(ttl string) string {
	if ttl == "" || ttl[0] == '-' || !protocol.IsInteger([]byte(ttl)) {
		return "0"
	}
	return ttl
}

// results passes n times as many results as a type has kinds of content.
func (c *scene) results(n int) {
	for range 4 * n {
		r := c.draw("CallToolResult")
		if r.get("isError") == "true" {
			r = r.with("isError", c.pickOf("false", "null"))
		}
		if r.get("content") == "null" {
			r = r.without("content")
		}
		c.pass("CallToolResult", protocol.MethodToolsCall, r)
	}
	for _, block := range []string{"TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource"} {
		for range n {
			c.pass("CallToolResult of "+block, protocol.MethodToolsCall, object{{"content", array([]string{c.draw(block).String()})}})
		}
	}
	for range n {
		c.pass("CallToolResult of an unknown block", protocol.MethodToolsCall, object{{"content", array([]string{c.unknown(object{{"type", `"vendor/new"`}}, 3, 3).String()})}})
		c.pass("CallToolResult of any structure", protocol.MethodToolsCall, object{{"content", "[]"}, {"structuredContent", c.anything(5)}})
		c.pass("GetPromptResult", protocol.MethodPromptsGet, c.draw("GetPromptResult"))
		message := c.draw("PromptMessage")
		c.pass("GetPromptResult of PromptMessage", protocol.MethodPromptsGet, object{{"messages", array([]string{message.String()})}})
		c.pass("CompleteResult", protocol.MethodComplete, c.draw("CompleteResult"))
		c.pass("ReadResourceResult", protocol.MethodResourcesRead, c.about(c.draw("ReadResourceResult")))
		for _, contents := range []string{"TextResourceContents", "BlobResourceContents"} {
			c.pass("ReadResourceResult of "+contents, protocol.MethodResourcesRead, c.about(object{{"contents", array([]string{c.draw(contents).String()})}, {"ttlMs", "5"}}))
		}
	}
}

func (c *scene) pickOf(from ...string) string { return pick(c.values, from) }

// about makes contents those of the resource that was asked for, or below it.
func (c *scene) about(result object) object {
	var all []string
	for raw := range protocol.Elements([]byte(result.get("contents"))) {
		all = append(all, parse(raw).with("uri", c.pickOf(notes, `"desk:\/\/notes\/a"`, `"desk://notes/a/b"`)).String())
	}
	return result.with("contents", array(all))
}

// notifications pass within a call; the last one comes before the answer.
func (c *scene) notifications(n int) {
	hop := []string{"_meta", "progressToken"}
	for range n {
		c.host.progress = c.pickOf(`"token"`, `"\u00e9\/"`, "0", "7", "9007199254740993", "-1")
		progress := c.draw("ProgressNotificationParams")
		logged := c.draw("LoggingMessageNotificationParams")
		c.up.say(script{
			notes:  []note{{protocol.NotificationProgress, progress.without("progressToken")}, {protocol.NotificationMessage, logged}},
			result: c.own(object{{"content", "[]"}}).String(),
		})
		got := c.host.do(c.t, protocol.MethodToolsCall, c.params(protocol.MethodToolsCall))
		heardAs := func(method string) string {
			at := slices.IndexFunc(got.notes, func(n note) bool { return n.method == method })
			if at < 0 {
				return fmt.Sprintf("nothing of %s in %v %s", method, got.notes, got.fault)
			}
			return got.notes[at].params.String()
		}
		c.compare("ProgressNotification", progress.String(), heardAs(protocol.NotificationProgress),
			progress.without(hop...).with("progressToken", c.host.progress).String())
		c.compare("LoggingMessageNotification", logged.String(), heardAs(protocol.NotificationMessage), logged.without(hop...).String())
		c.host.progress = ""
	}
}
