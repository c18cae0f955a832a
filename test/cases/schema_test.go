package cases

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// schemas are the cases of schemas that do harm.
func schemas() map[string]proof {
	const unsafe, mirror = gateway.ReasonSchemaUnsafe, gateway.ReasonHeaderMirror
	return map[string]proof{
		"ATK-029": remoteReference,
		"ATK-031": unservable(unsafe, func(c *trial) []string {
			return []string{
				c.raw("/inputSchema"), `{"type":"object","$ref":"#"}`, `{"type":"object","anyOf":[{"$ref":"#"}]}`,
				`{"type":"object","not":{"$ref":"#/not"}}`, `{"type":"object","$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}},"properties":{"x":{"$ref":"#/$defs/a"}}}`,
				`{"type":"object","if":{"$ref":"#/if"}}`, `{"type":"object","$defs":{"a":{"$id":"https://x.invalid/a","$ref":"https://x.invalid/a"}},"properties":{"x":{"$ref":"#/$defs/a"}}}`,
				`{"type":"object","$dynamicAnchor":"m","allOf":[{"$dynamicRef":"#m"}]}`,
				`{"type":"object","dependentSchemas":{"x":{"$ref":"#"}}}`,
			}
		}),
		"ATK-033": unservable(unsafe, func(*trial) []string {
			return []string{doubling("allOf", 30), doubling("anyOf", 30), doubling("oneOf", 30), doubling("allOf", 1000)}
		}),
		"ATK-035": patterns,
		"ATK-036": unservable(unsafe, func(*trial) []string {
			return []string{deep(90, `{"type":"object","properties":{"p":`, `}}`), deep(150, `{"type":"object","not":`, `}`), deep(60, `{"type":"object","items":{"allOf":[`, `]}}`)}
		}, deep(2000, `{"type":"object","properties":{"p":`, `}}`), deep(180, `{"type":"object","properties":{"p":`, `}}`)),
		"ATK-037": dialects,
		"ATK-038": unservable(mirror, func(c *trial) []string {
			return []string{
				c.raw("/inputSchema"), mirrored("password", "Zone"), mirrored("plain", "Api-Key"), mirrored("userEmail", "Who"), mirrored("clientSecret", "Zone"),
				mirrored("credit_card", "Card"), mirrored("ssn", "Id"), mirrored("AUTHORIZATION", "A"),
			}
		}),
		"ATK-039": unservable(mirror, func(c *trial) []string {
			return []string{
				c.raw("/inputSchema"), mirrored("r", `Region\nX`), mirrored("r", ""), mirrored("r", "a b"), mirrored("r", "a:b"), mirrored("r", `é`),
				`{"type":"object","properties":{"r":{"type":"object","x-mcp-header":"R"}}}`, `{"type":"object","properties":{"r":{"type":"string","x-mcp-header":7}}}`,
				`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"R"},"b":{"type":"string","x-mcp-header":"r"}}}`,
				`{"type":"object","anyOf":[{"properties":{"r":{"type":"string","x-mcp-header":"R"}}}]}`,
			}
		}),
	}
}

func mirrored(property, header string) string {
	return `{"type":"object","properties":{"` + property + `":{"type":"string","x-mcp-header":"` + header + `"}}}`
}

// doubling is a schema of n steps, each of which refers twice to the next.
func doubling(keyword string, n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, keyword, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

func deep(n int, open, end string) string {
	return strings.Repeat(open, n) + `{"type":"object"}` + strings.Repeat(end, n)
}

// unservable proves that tools with such input schemas are withheld for that reason,
// each at the cost of itself alone, and that output schemas are judged alike where
// the reason is one of schemas. Of the further schemas, which are beyond what is read
// at all, it proves that they cost only themselves.
func unservable(reason gateway.Reason, list func(*trial) []string, beyond ...string) proof {
	return func(c *trial) {
		up := newPeer()
		var names []string
		add := func(definition string) {
			name := fmt.Sprintf("bad%d", len(names))
			names = append(names, name)
			up.Add(strings.Replace(definition, "NAME", name, 1), stage.Result(`{}`))
		}
		for _, schema := range list(c) {
			add(`{"name":"NAME","inputSchema":` + schema + `}`)
			if reason == gateway.ReasonSchemaUnsafe {
				add(`{"name":"NAME","inputSchema":{"type":"object"},"outputSchema":` + schema + `}`)
			}
		}
		for i, schema := range beyond {
			up.Add(fmt.Sprintf(`{"name":"beyond%d","inputSchema":%s}`, i, schema), stage.Result(`{}`))
		}
		s := c.open(up, stage.Options{})
		for i := range beyond {
			name := fmt.Sprintf("up__beyond%d", i)
			c.hold(outward, !slices.Contains(s.alice.List(c), name), "%s is listed", name)
			s.Events(c)
			r := s.alice.Call(c, name, `{}`)
			row := s.OneEvent(c)
			c.hold(outward, r.Code() == string(gateway.CodeUnknownTool), "%s: %s", name, r.Body)
			c.hold(event, row.Code == gateway.CodeUnknownTool && len(row.Reasons) == 1, "%s is on record as %q", name, row.Reasons)
		}
		for _, name := range names {
			s.withheld(name, reason)
		}
		s.served()
	}
}

// remoteReference: a schema elsewhere is fetched by nobody, and the tool that needs it
// is withheld rather than served without.
func remoteReference(c *trial) {
	var fetched atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		stage.Say(w, `{"type":"object"}`)
	}))
	c.Cleanup(elsewhere.Close)
	unservable(gateway.ReasonSchemaUnsafe, func(c *trial) []string {
		var all []string
		for _, ref := range []string{c.text("/inputSchema/$ref"), elsewhere.URL + "/s", elsewhere.URL + "/s#/$defs/x", "file:///etc/passwd", "other.json", "//" + strings.TrimPrefix(elsewhere.URL, "http://")} {
			all = append(all, `{"type":"object","$ref":"`+ref+`"}`, `{"type":"object","properties":{"x":{"items":{"$ref":"`+ref+`"}}}}`)
		}
		return append(all, `{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","$id":"`+elsewhere.URL+`/","properties":{"x":{"$ref":"s"}}}`)
	})(c)
	unservable(gateway.ReasonSchemaInvalid, func(c *trial) []string { return []string{c.raw("/inputSchema")} })(c) // says of no object
	c.hold(outward, fetched.Load() == 0, "it was fetched %d times", fetched.Load())
}

// patterns: a pattern that makes backtracking matchers stand still is answered at
// once; one that can't be matched in linear time is not served.
func patterns(c *trial) {
	up := newPeer().Add(`{"name":"redos","inputSchema":`+c.raw("/inputSchema")+`}`, stage.Result(stage.Text(done)))
	ahead := []string{`(?=a)b`, `(?!a)b`, `(a)\\1`, `(?<=a)b`, `a{1,5000}{1,5000}`}
	for i, pattern := range ahead {
		up.Add(fmt.Sprintf(`{"name":"ahead%d","inputSchema":{"type":"object","properties":{"v":{"type":"string","pattern":"%s"}}}}`, i, pattern), stage.Result(`{}`))
	}
	s := c.open(up, stage.Options{})
	for era, call := range s.eras() {
		r := call("up__redos", `{"v":"`+strings.Repeat("a", 30_000)+`!"}`)
		s.refused(r, gateway.CodeInvalidArguments)
		c.hold(outward, r.Get("/_meta/mcp-gateway~1error/violations") == `[{"pointer":"/v","keyword":"pattern"}]`, "%s: %.300s", era, r.Body)
		s.untouched()
		s.passed(call("up__redos", `{"v":"`+strings.Repeat("a", 30_000)+`"}`))
		s.up.Calls()
	}
	for i := range ahead {
		s.withheld(fmt.Sprintf("ahead%d", i), gateway.ReasonSchemaUnsafe)
	}
	s.served()
}

// dialects: a schema of another dialect is withheld, and the operator is told which.
func dialects(c *trial) {
	list := []string{
		c.raw("/inputSchema"), `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`, `{"$schema":"https://x.invalid/own","type":"object"}`,
		`{"type":"object","properties":{"x":{"$schema":"http://json-schema.org/draft-03/schema#","type":"string"}}}`,
	}
	up := newPeer()
	for i, schema := range list {
		up.Add(fmt.Sprintf(`{"name":"old%d","inputSchema":%s}`, i, schema), stage.Result(`{}`))
	}
	s := c.open(up, stage.Options{})
	for i := range list {
		reason := gateway.ReasonSchemaInvalid
		if i == 3 {
			reason = gateway.ReasonSchemaUnsafe // two dialects in one schema
		}
		s.withheld(fmt.Sprintf("old%d", i), reason)
	}
	for _, o := range s.Gateway.Registry().Observations() {
		if o.ID.Name == "old0" {
			c.hold(outward, strings.Contains(o.Detail, c.text("/inputSchema/$schema")), "the operator is told %q", o.Detail)
		}
	}
	s.served()
}
