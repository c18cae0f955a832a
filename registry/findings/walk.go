package findings

import (
	"strconv"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// maxDepth bounds the walk; a schema that is deeper is refused on admission.
const maxDepth = 130

// definition walks what a model or a caller is shown of a definition.
func (in *inspection) definition(kind gateway.Kind, raw []byte) {
	if protocol.Kind(raw) != '{' {
		return
	}
	for name, value := range protocol.Members(raw) {
		switch string(name) {
		case "description", "title", "uri", "uriTemplate":
			in.prose("/"+string(name), value)
		case "name":
			in.called("/name", value)
		case "annotations":
			in.claims(value)
		case "inputSchema":
			in.schema("/inputSchema", value, 0)
			in.arguments("/inputSchema", value)
		case "outputSchema":
			in.schema("/outputSchema", value, 0)
		case "arguments":
			in.prompt(value)
		}
	}
	if kind == gateway.KindTool {
		in.output(raw)
	}
}

// prompt walks the arguments of a prompt.
func (in *inspection) prompt(list []byte) {
	if protocol.Kind(list) != '[' {
		return
	}
	i := 0
	for argument := range protocol.Elements(list) {
		at := "/arguments/" + strconv.Itoa(i)
		i++
		if protocol.Kind(argument) != '{' {
			continue
		}
		for name, value := range protocol.Members(argument) {
			switch string(name) {
			case "description", "title":
				in.prose(at+"/"+string(name), value)
			case "name":
				in.called(at+"/name", value)
			}
		}
	}
}

// called looks at a name that the upstream chose.
func (in *inspection) called(at string, raw []byte) {
	if text, ok := protocol.Text(raw); ok {
		in.label(at, text)
		if strings.ContainsAny(text, " \n\t") { // a resource's is for people to read
			in.prose(at, raw)
		}
	}
}

// schema walks every text in a schema, wherever it may stand.
func (in *inspection) schema(at string, raw []byte, depth int) {
	switch protocol.Kind(raw) {
	case '[':
		i := 0
		for element := range protocol.Elements(raw) {
			in.schema(at+"/"+strconv.Itoa(i), element, depth+1)
			i++
		}
		return
	case '{':
	default:
		return
	}
	if depth > maxDepth {
		return
	}
	for name, value := range protocol.Members(raw) {
		below := at + "/" + token(string(name))
		switch string(name) {
		case "description", "title", "$comment":
			in.prose(below, value)
		case "default", "const":
			in.values(below, value, depth+1)
			in.preset(below, value, depth)
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			in.named(below, value, depth+1)
		case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "additionalProperties",
			"unevaluatedProperties", "propertyNames", "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
			in.schema(below, value, depth+1)
		case "type", "format", "pattern", "$ref", "$id", "$schema", "$anchor":
		default: // enum, examples, and what no revision knows: a model is shown it all
			in.values(below, value, depth+1)
		}
	}
}

// named walks schemas that stand under names of the upstream's choice.
func (in *inspection) named(at string, raw []byte, depth int) {
	if protocol.Kind(raw) != '{' {
		return
	}
	for name, value := range protocol.Members(raw) {
		below := at + "/" + token(string(name))
		in.label(below, string(name))
		in.schema(below, value, depth)
	}
}

// values walks the texts of fixed values: a model reads them as it reads prose.
func (in *inspection) values(at string, raw []byte, depth int) {
	if depth > maxDepth {
		return
	}
	switch protocol.Kind(raw) {
	case '"':
		in.prose(at, raw)
	case '[':
		i := 0
		for element := range protocol.Elements(raw) {
			in.values(at+"/"+strconv.Itoa(i), element, depth+1)
			i++
		}
	case '{':
		for name, value := range protocol.Members(raw) {
			in.label(at+"/"+token(string(name)), string(name))
			in.values(at+"/"+token(string(name)), value, depth+1)
		}
	}
}

// token escapes a name for a JSON Pointer.
func token(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
