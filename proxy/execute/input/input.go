package input

import (
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/registry"
)

// Tool holds the arguments against the pinned schema, and the headers that
// mirror them (2026-07-28, Custom Headers from Tool Parameters). A tool with side
// effects takes no argument that its schema does not declare.
func Tool(c *call.Call) error {
	tool := c.Item.Item()
	args := c.Arguments
	if args == nil {
		args = noArguments
	}
	if c.Header != nil {
		if err := protocol.CheckParams(c.Header, tool.Definition.Mirrors, args, c.Era == audit.Modern); err != nil {
			return err
		}
	}
	violations, err := tool.Definition.Input.Check(args)
	if err != nil {
		return gateway.Because(gateway.CodeInvalidArguments, err, call.AsError(err).Reasons...)
	}
	if len(violations) == 0 && tool.Facts.Class() != gateway.Read {
		violations = tool.Definition.Input.Undeclared(args)
	}
	if len(violations) == 0 {
		violations = overBounds(tool.Facts.Bounds, args)
	}
	return invalid(violations)
}

var noArguments = []byte("{}")

// Prompt holds the arguments against those that the pinned prompt declares:
// they are strings, the required ones are there, and no others are.
func Prompt(c *call.Call) error {
	declared, required := PromptArguments(c.Item.Item().Definition)
	var violations []gateway.Violation
	sent := make(map[string]bool, len(declared))
	for raw, value := range protocol.Members(c.Arguments) {
		name := string(raw)
		sent[name] = true
		if _, ok := declared[name]; !ok {
			violations = append(violations, gateway.Violation{Pointer: pointer(name), Keyword: "additionalProperties"})
		} else if protocol.Kind(value) != '"' {
			violations = append(violations, gateway.Violation{Pointer: pointer(name), Keyword: "type"})
		}
	}
	for _, name := range required {
		if !sent[name] {
			violations = append(violations, gateway.Violation{Pointer: pointer(name), Keyword: "required"})
		}
	}
	slices.SortFunc(violations, func(a, b gateway.Violation) int { return strings.Compare(a.Pointer, b.Pointer) })
	return invalid(violations)
}

func invalid(violations []gateway.Violation) error {
	if len(violations) == 0 {
		return nil
	}
	e := gateway.Fail(gateway.CodeInvalidArguments)
	e.Violations = violations
	return e
}

// pointer is the JSON Pointer of a member.
func pointer(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// PromptArguments returns which arguments a pinned prompt declares, and whether
// each is required, and the required ones in their order.
func PromptArguments(d *registry.Definition) (declared map[string]bool, required []string) {
	declared = make(map[string]bool)
	list, _ := protocol.Member(d.Raw, "arguments")
	for argument := range protocol.Elements(list) {
		raw, _ := protocol.Member(argument, "name")
		name, _ := protocol.Text(raw)
		needed, _ := protocol.Member(argument, "required")
		if declared[name] = protocol.Kind(needed) == 't'; declared[name] {
			required = append(required, name)
		}
	}
	return declared, required
}
