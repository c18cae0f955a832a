package execute

import (
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/execute/input"
	"mcp-gateway/proxy/execute/output"
	"mcp-gateway/registry/uri"
)

// ToolsCall are the stages of tools/call.
func (x *Executor) ToolsCall() []call.Stage {
	return x.stages(&method{
		resolve: func(c *call.Call) error { return resolveName(c, gateway.KindTool) },
		check:   input.Tool,
		params:  nameAndArguments,
		output:  output.Tool,
		clean:   cleanToolResult,
		asks:    true,
	})
}

// PromptsGet are the stages of prompts/get.
func (x *Executor) PromptsGet() []call.Stage {
	return x.stages(&method{
		resolve: func(c *call.Call) error { return resolveName(c, gateway.KindPrompt) },
		check:   input.Prompt,
		params:  nameAndArguments,
		output:  output.Messages,
		clean:   cleanMessages,
		asks:    true,
	})
}

// ResourcesRead are the stages of resources/read.
func (x *Executor) ResourcesRead() []call.Stage {
	return x.stages(&method{
		resolve: resolveURI,
		check:   func(*call.Call) error { return nil }, // resolving it was the check
		params: func(c *call.Call) (string, []byte) {
			asked := c.Item.Item().Spelled(c.Name)
			return asked, append(protocol.AppendString([]byte(`{"uri":`), asked), '}')
		},
		output: output.Contents,
		clean:  cleanContents,
		asks:   true,
	})
}

// resolveName finds the pinned tool or prompt that the exposed name means, byte
// for byte, or why there is none.
func resolveName(c *call.Call, kind gateway.Kind) error {
	name, ok := text(c.Request.Params, "name")
	if !ok {
		return gateway.Wrong(gateway.CodeInvalidParams, "/params/name")
	}
	c.Name = name
	if args, ok := protocol.Member(c.Request.Params, "arguments"); ok {
		if protocol.Kind(args) != '{' {
			return gateway.Wrong(gateway.CodeInvalidParams, "/params/arguments")
		}
		c.Arguments = args
	}
	c.Item, c.Missing = c.Catalog.Resolve(kind, c.Scope, name)
	c.Known = c.Catalog.Known(kind, c.Scope, name)
	return nil
}

// resolveURI finds the pinned resource or template that a URI means. Everything
// from here on sees its normal form: policy, event and upstream.
func resolveURI(c *call.Call) error {
	asked, ok := text(c.Request.Params, "uri")
	if !ok {
		return gateway.Wrong(gateway.CodeInvalidParams, "/params/uri")
	}
	normal, err := uri.Normalize(asked)
	if err != nil {
		return gateway.Because(gateway.CodeInvalidParams, err)
	}
	c.Name = normal
	c.Arguments = append(protocol.AppendString([]byte(`{"uri":`), normal), '}')
	c.Item, c.Missing = c.Catalog.ResolveURI(c.Scope, normal)
	return nil
}

// unknown is the code for a name that means nothing to this principal.
func unknown(c *call.Call) gateway.Code {
	kind := c.Request.Method
	if kind == protocol.MethodComplete {
		if ref, _ := protocol.Lookup(c.Request.Params, "/ref/type"); protocol.IsText(ref, refPrompt) {
			kind = protocol.MethodPromptsGet
		}
	}
	switch kind {
	case protocol.MethodToolsCall:
		return gateway.CodeUnknownTool
	case protocol.MethodPromptsGet:
		return gateway.CodeUnknownPrompt
	default:
		return gateway.CodeUnknownResource
	}
}

func nameAndArguments(c *call.Call) (string, []byte) {
	name := c.Item.Item().ID.Name
	p := append(make([]byte, 0, len(name)+len(c.Sent)+32), `{"name":`...)
	p = protocol.AppendString(p, name)
	if c.Sent != nil {
		p = append(append(p, `,"arguments":`...), c.Sent...)
	}
	return name, append(p, '}')
}

// text returns a string member of a checked object.
func text(object []byte, name string) (string, bool) {
	raw, _ := protocol.Member(object, name)
	return protocol.Text(raw)
}
