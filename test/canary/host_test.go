package canary

import (
	"net/http"
	"strconv"
	"strings"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// hosts are the requests of hosts, each with the canary that it is given.
func hosts(h *stage.Host) map[string]func(c string) *stage.Request {
	call := func(args string) *stage.Request { return h.Calling("up__echo", args) }
	header := func(name string) func(string) *stage.Request {
		return func(c string) *stage.Request { return call(`{}`).With(name, c) }
	}
	meta := func(member string) func(string) *stage.Request {
		return func(c string) *stage.Request {
			r := call(`{}`)
			r.Meta = strings.Replace(stage.Meta, "{", "{"+strings.ReplaceAll(member, "%", c)+",", 1)
			return r
		}
	}
	ask := func(method, params string) func(string) *stage.Request {
		return func(c string) *stage.Request { return h.Ask(method, strings.ReplaceAll(params, "%", c)) }
	}
	body := func(text string) func(string) *stage.Request {
		return func(c string) *stage.Request { return call(`{}`).Saying(strings.ReplaceAll(text, "%", c)) }
	}
	return map[string]func(string) *stage.Request{
		"argument":             func(c string) *stage.Request { return call(`{"text":"` + c + `"}`) },
		"name of an argument":  func(c string) *stage.Request { return call(`{"` + c + `":1}`) },
		"argument, deep":       func(c string) *stage.Request { return call(`{"text":[{"a":["` + c + `"]}]}`) },
		"argument of a write":  func(c string) *stage.Request { return h.Calling("up__write", `{"text":"`+c+`"}`) },
		"argument that breaks": func(c string) *stage.Request { return h.Calling("up__strict", `{"n":"`+c+`"}`) },
		"name that breaks":     func(c string) *stage.Request { return h.Calling("up__strict", `{"n":1,"`+c+`":2}`) },
		"argument out of bounds": func(c string) *stage.Request {
			return h.Calling("up__strict", `{"n":1,"note":"`+c+c+c+c+`"}`)
		},
		"arguments that are a text": func(c string) *stage.Request { return call(strconv.Quote(c)) },
		"tool":                      func(c string) *stage.Request { return h.Calling(c, `{}`) },
		"tool of an upstream":       func(c string) *stage.Request { return h.Calling("up__"+c, `{}`) },
		"id": func(c string) *stage.Request {
			r := call(`{}`)
			r.ID = strconv.Quote(c)
			return r
		},
		"method":             func(c string) *stage.Request { return h.Ask(c, "") },
		"cursor":             ask(protocol.MethodToolsList, `"cursor":"%"`),
		"prompt argument":    ask(protocol.MethodPromptsGet, `"name":"up__greet","arguments":{"who":"%"}`),
		"prompt":             ask(protocol.MethodPromptsGet, `"name":"%"`),
		"resource":           ask(protocol.MethodResourcesRead, `"uri":"test://gone/%"`),
		"template":           ask(protocol.MethodResourcesRead, `"uri":"test://row/%"`),
		"completion":         ask(protocol.MethodComplete, `"ref":{"type":"ref/prompt","name":"up__greet"},"argument":{"name":"who","value":"%"}`),
		"state":              ask(protocol.MethodToolsCall, `"name":"up__echo","arguments":{},"requestState":"%"`),
		"answer":             ask(protocol.MethodToolsCall, `"name":"up__echo","arguments":{},"inputResponses":{"k":{"action":"accept","content":{"a":"%"}}}`),
		"subscription":       ask(protocol.MethodSubscriptionsListen, `"notifications":["%"]`),
		"user agent":         header("User-Agent"),
		"credential":         func(c string) *stage.Request { return call(`{}`).With("Authorization", "Bearer "+c) },
		"basic credential":   func(c string) *stage.Request { return call(`{}`).With("Authorization", "Basic "+c) },
		"cookie":             header("Cookie"),
		"origin":             func(c string) *stage.Request { return call(`{}`).With("Origin", "https://"+c+".example") },
		"Host":               func(c string) *stage.Request { r := call(`{}`); r.Host = c + ".example"; return r },
		"media type":         func(c string) *stage.Request { return call(`{}`).With("Content-Type", "text/"+c) },
		"accept":             func(c string) *stage.Request { return call(`{}`).With("Accept", "text/"+c) },
		"version":            header(protocol.HeaderVersion),
		"session":            header(protocol.HeaderSession),
		"mirrored method":    header(protocol.HeaderMethod),
		"mirrored name":      header(protocol.HeaderName),
		"mirrored parameter": header("Mcp-Param-Text"),
		"forwarded":          header("X-Forwarded-For"),
		"unknown header":     header("X-Anything"),
		"trace state":        header("Tracestate"),
		"baggage":            header("Baggage"),
		"path":               func(c string) *stage.Request { return call(`{}`).At("/mcp/" + c) },
		"query":              func(c string) *stage.Request { return call(`{}`).At("/mcp?token=" + c) },
		"verb": func(c string) *stage.Request {
			r := call(`{}`)
			r.Verb = strings.ToUpper(strings.ReplaceAll(c, "-", ""))
			return r
		},
		"body":            body(`%`),
		"body, cut off":   body(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%`),
		"body, twice":     body(`{"%":1,"%":2}`),
		"batch":           body(`[{"jsonrpc":"2.0","id":1,"method":"%"}]`),
		"_meta":           meta(`"x.example/%":"%"`),
		"_meta, baggage":  meta(`"baggage":"a=%","tracestate":"a=%"`),
		"_meta, trace":    meta(`"traceparent":"00-%-01"`),
		"_meta, claims":   meta(`"mcp-gateway/approval":"%","subject":"%"`),
		"_meta, progress": meta(`"progressToken":"%"`),
		"_meta, level":    meta(`"io.modelcontextprotocol/logLevel":"%"`),
		"client info": func(c string) *stage.Request {
			r := call(`{}`)
			r.Meta = strings.Replace(stage.Meta, `"name":"stage"`, `"name":"`+c+`","title":"`+c+`"`, 1)
			return r
		},
		"capabilities": func(c string) *stage.Request {
			r := call(`{}`)
			r.Meta = strings.Replace(stage.Meta, `:{},"`, `:{"extensions":{"`+c+`/x":{}}},"`, 1)
			return r
		},
		"legacy session": func(c string) *stage.Request {
			return h.Legacy(protocol.Revision20251125, "", protocol.MethodInitialize,
				`"protocolVersion":"2025-11-25","capabilities":{"experimental":{"`+c+`":{}}},"clientInfo":{"name":"`+c+`","version":"`+c+`"}`)
		},
		"unknown session": func(c string) *stage.Request {
			return h.Legacy(protocol.Revision20251125, c, protocol.MethodToolsList, "")
		},
		"key of an effect": func(c string) *stage.Request {
			r := h.Calling("up__write", `{"text":"x"}`)
			r.Meta = strings.Replace(stage.Meta, "{", `{"mcp-gateway/idempotency-key":"`+c+`",`, 1)
			return r
		},
	}
}

// stranger is a request of nobody.
func stranger(h *stage.Host, c string) *stage.Request {
	r := h.Ask(protocol.MethodToolsList, `"x":"`+c+`"`)
	r.Verb = http.MethodPost
	return r
}
