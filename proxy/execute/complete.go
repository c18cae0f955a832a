package execute

import (
	"errors"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/execute/input"
	"mcp-gateway/registry/uri"
)

// The kinds of references (2026-07-28, Completion, Reference Types).
const (
	refPrompt   = "ref/prompt"
	refResource = "ref/resource"
)

// maxValues is how many suggestions one answer may hold.
const maxValues = 100

// Complete are the stages of completion/complete: of what the principal may see,
// and of nothing else.
func (x *Executor) Complete() []call.Stage {
	return x.stages(&method{
		resolve: resolveReference,
		check:   checkReference,
		params:  referenceParams,
		output:  checkCompletion,
		clean:   cleanCompletion,
	})
}

// resolveReference finds the prompt, template or resource whose argument is to be
// completed. Policy sees that argument and those given before it as the arguments.
func resolveReference(c *call.Call) error {
	ref, _ := protocol.Member(c.Request.Params, "ref")
	argument, _ := protocol.Member(c.Request.Params, "argument")
	name, named := "", false
	if protocol.Kind(argument) == '{' {
		name, named = text(argument, "name")
		_, valued := text(argument, "value")
		named = named && valued
	}
	switch {
	case protocol.Kind(ref) != '{':
		return gateway.Wrong(gateway.CodeInvalidParams, "/params/ref")
	case !named:
		return gateway.Wrong(gateway.CodeInvalidParams, "/params/argument")
	}
	var err error
	if c.Arguments, err = given(c.Request.Params, argument, name); err != nil {
		return err
	}
	switch kind, _ := text(ref, "type"); kind {
	case refPrompt:
		prompt, ok := text(ref, "name")
		if !ok {
			return gateway.Wrong(gateway.CodeInvalidParams, "/params/ref/name")
		}
		c.Name = prompt
		c.Item, c.Missing = c.Catalog.Resolve(gateway.KindPrompt, c.Scope, prompt)
		return nil
	case refResource:
		return resolveTemplate(c, ref)
	}
	return gateway.Wrong(gateway.CodeInvalidParams, "/params/ref/type")
}

// resolveTemplate finds the template of that very text, or else the resource that
// a URI names.
func resolveTemplate(c *call.Call, ref []byte) error {
	asked, ok := text(ref, "uri")
	if !ok {
		return gateway.Wrong(gateway.CodeInvalidParams, "/params/ref/uri")
	}
	c.Name = asked
	c.Item, c.Missing = c.Catalog.Resolve(gateway.KindTemplate, c.Scope, asked)
	if c.Missing != gateway.ReasonToolAbsent {
		return nil
	}
	if normal, err := uri.Normalize(asked); err == nil {
		c.Name = normal
		c.Item, c.Missing = c.Catalog.Resolve(gateway.KindResource, c.Scope, normal)
	}
	return nil
}

// given are the arguments as one object: those that the host has already, which
// are strings, and the one that it is about.
func given(params, argument []byte, name string) ([]byte, error) {
	out := []byte{'{'}
	before, _ := protocol.Lookup(params, "/context/arguments")
	switch protocol.Kind(before) {
	case '{':
		for key, value := range protocol.Members(before) {
			if protocol.Kind(value) != '"' || string(key) == name {
				return nil, gateway.Wrong(gateway.CodeInvalidParams, "/params/context/arguments")
			}
			out = append(protocol.AppendString(out, string(key)), ':')
			out = append(append(out, value...), ',')
		}
	case 0:
	default:
		return nil, gateway.Wrong(gateway.CodeInvalidParams, "/params/context/arguments")
	}
	value, _ := protocol.Member(argument, "value")
	out = append(protocol.AppendString(out, name), ':')
	return append(append(out, value...), '}'), nil
}

// checkReference refuses an argument that the pinned prompt does not declare.
func checkReference(c *call.Call) error {
	d := c.Item.Item().Definition
	if d.ID.Kind != gateway.KindPrompt {
		return nil // what a template's variables are is its server's affair
	}
	declared, _ := input.PromptArguments(d)
	for name := range protocol.Members(c.Arguments) {
		if _, ok := declared[string(name)]; !ok {
			return gateway.Fail(gateway.CodeInvalidParams)
		}
	}
	return nil
}

// referenceParams renders the reference anew, under the upstream's own name.
func referenceParams(c *call.Call) (string, []byte) {
	item := c.Item.Item()
	p := []byte(`{"ref":{"type":"` + refResource + `","uri":`)
	own := item.ID.Name
	switch item.ID.Kind {
	case gateway.KindPrompt:
		p = []byte(`{"ref":{"type":"` + refPrompt + `","name":`)
	case gateway.KindResource:
		own = item.Spelled(item.ID.Name)
	}
	p = append(protocol.AppendString(p, own), '}')
	for _, member := range [...]string{"argument", "context"} {
		if value, ok := protocol.Member(c.Request.Params, member); ok {
			p = append(append(p, `,"`+member+`":`...), value...)
		}
	}
	return "", append(p, '}')
}

func checkCompletion(c *call.Call) error {
	values, _ := protocol.Lookup(c.Incoming.Result, "/completion/values")
	n := 0
	ok := protocol.Kind(values) == '['
	for value := range protocol.Elements(values) {
		n++
		ok = ok && protocol.Kind(value) == '"'
	}
	if !ok || n > maxValues {
		return gateway.Because(gateway.CodeContractViolation, errors.New("completion.values is not an array of at most 100 strings"), gateway.ReasonResultShape)
	}
	return nil
}
