package fidelity

import (
	"fmt"
	"strings"

	"mcp-gateway/protocol"
)

// definitions are listed, reviewed, and compared with what the host is shown of
// them: docs/presentation.md names what is not shown.
func (c *scene) definitions(n int) {
	kinds := []struct {
		method, name, key string
		draw              func(i int) object
		shown             []string
	}{
		{protocol.MethodToolsList, "Tool", "name", c.tool, []string{"name", "title", "description", "inputSchema", "outputSchema"}},
		{protocol.MethodPromptsList, "Prompt", "name", c.prompt, []string{"name", "title", "description", "arguments"}},
		{protocol.MethodResourcesList, "Resource", "uri", c.resource, []string{"uri", "name", "title", "description", "mimeType", "size"}},
		{protocol.MethodResourceTemplatesList, "ResourceTemplate", "uriTemplate", c.template, []string{"uriTemplate", "name", "title", "description", "mimeType"}},
	}
	sent := make([]map[string]object, len(kinds))
	for k, kind := range kinds {
		var all []string
		sent[k] = map[string]object{}
		for i := range n {
			d := kind.draw(i)
			sent[k][canonical(d.get(kind.key))] = d
			all = append(all, d.String())
		}
		c.up.list(kind.method, strings.Join(all, ","))
	}
	if err := c.s.Gateway.Refresh(c.t.Context(), "up"); err != nil {
		c.t.Fatal(err)
	}
	c.s.Review(c.t)
	for k, kind := range kinds {
		shown := c.listed(kind.method, kind.key)
		for key, d := range sent[k] {
			want := object{}
			for _, name := range kind.shown {
				if value := d.get(name); value != "" && value != "null" {
					want = append(want, field{name, value})
				}
			}
			got := shown[key].without("annotations")
			if kind.key == "name" {
				want = want.with("name", quote("up__"+strings.Trim(key, `"`)))
			}
			c.compare("List "+kind.name, d.String(), got.String(), want.String())
		}
	}
}

// listed are all items of a list, over all its pages, by what they are in their
// upstream.
func (c *scene) listed(method, key string) map[string]object {
	items, params := map[string]object{}, object{}
	for {
		got := parse([]byte(c.host.do(c.t, method, params).result))
		for raw := range protocol.Elements([]byte(got.get(listMembers[method]))) {
			item := parse(raw)
			items[strings.Replace(canonical(item.get(key)), `"up__`, `"`, 1)] = item
		}
		next := got.get("nextCursor")
		if next == "" {
			return items
		}
		params = object{{"cursor", next}}
	}
}

// labelled draws a definition. What has a meaning in it holds nothing that is hidden,
// for else it is withheld, whatever the profile; its words may.
func (c *scene) labelled(name string) object {
	d := c.tidy(func() object { return c.only(name) })
	for _, text := range []string{"title", "description"} {
		if d.get(text) != "" && d.get(text) != "null" {
			d = d.with(text, c.anyText())
		}
	}
	return d
}

func (c *scene) tool(i int) object {
	d := c.labelled("Tool").without("execution").with("name", quote(fmt.Sprintf("tool-%d", i)))
	d = d.with("inputSchema", c.tidy(c.inputSchema).String())
	if c.chance(30) {
		return d.with("outputSchema", c.tidy(c.inputSchema).String())
	}
	return d.without("outputSchema")
}

// inputSchema is a schema that can be enforced, with members that no draft knows.
func (c *scene) inputSchema() object {
	properties := object{}
	for _, name := range []string{"one", "zwei", "三", "a/b", "n 1"} {
		if c.chance(60) {
			properties = append(properties, field{name, c.pickOf(
				`{"type":"string","minLength":1.0,"default":"\u00e9\/","examples":[1e2,null]}`,
				`{"type":["integer","null"],"minimum":-9007199254740993,"maximum":12345678901234567890123}`,
				`{"enum":["a",1.10,null,-0.0,{"b":[]}],"title":"grüße"}`,
				`{"type":"array","items":{"$ref":"#/$defs/d"},"maxItems":3}`,
				`{"anyOf":[{"type":"number","multipleOf":0.10},{"const":null}],"vendor":{"x":1.10}}`,
				`true`, `{}`)})
		}
	}
	o := object{{"type", `"object"`}, {"properties", properties.String()}, {"$defs", `{"d":{"type":"boolean"}}`}}
	if c.chance(50) {
		o = append(o, field{"additionalProperties", c.pickOf("false", "true", "{}")})
	}
	return c.shuffled(c.unknown(o, c.IntN(2), 3))
}

func (c *scene) prompt(i int) object {
	d := c.labelled("Prompt").with("name", quote(fmt.Sprintf("prompt-%d", i)))
	var arguments []string
	for k := range c.IntN(4) {
		c.drawn["PromptArgument"]++
		a := object{{"name", quote(fmt.Sprintf("a%d", k))}}
		for _, text := range []string{"title", "description"} {
			if c.chance(50) {
				a = append(a, field{text, c.anyText()})
			}
		}
		if c.chance(50) {
			a = append(a, field{"required", c.boolean()})
		}
		arguments = append(arguments, c.shuffled(a).String())
	}
	if d = d.without("arguments"); len(arguments) > 0 {
		d = d.with("arguments", array(arguments))
	}
	return d
}

func (c *scene) resource(i int) object {
	return c.labelled("Resource").with("uri", quote(fmt.Sprintf("list://r/%d/%s", i, c.pickOf("a", "%C3%A9", "b?c=d"))))
}

func (c *scene) template(i int) object {
	return c.labelled("ResourceTemplate").with("uriTemplate", quote(fmt.Sprintf("list://t%d/{one}/{+zwei}", i)))
}
