package redact

import "mcp-gateway/protocol"

// place is where in a document a value stands, as far as that decides what is
// done to the strings in it. The zero value leaves all alone.
type place uint8

const (
	alone    place = iota // cursors and states: to change is to break
	free                  // any JSON: names and strings are cleaned
	address               // URIs and MIME types: cleaned, and not spoken
	spoken                // the text of a content block
	coded                 // blobs, images and audio: bytes in base64
	result                // a CallToolResult, or another result with content
	content               // its array of content blocks
	block                 // a content block that is text, or of a kind not known
	media                 // an image or audio block
	link                  // a resource link
	embedded              // an embedded resource block
	resource              // the resource in it
	icons                 // an array of icons
	icon                  // one of them
	reading               // a ReadResourceResult
	contents              // its array of resources
	prompted              // a GetPromptResult
	messages              // its array of messages, or that of a sampling request
	message               // one of them

	tool       // a tool definition
	prompt     // a prompt definition
	arguments  // its array of arguments
	argument   // one of them
	listed     // the definition of a resource, or of a template
	schema     // a JSON Schema
	schemas    // an object whose members are schemas
	schemaList // an array of schemas
	dependency // dependencies: schemas, or arrays of names
	asking     // an InputRequiredResult
	asks       // its map of requests
	ask        // one of them
	asked      // the params of a request to the host
	tools      // an array of tool definitions
	fixed      // enum, const, default, pattern, required: judged, never changed
)

// blocks names the array of content blocks, or of messages, of a document whose
// root stands at the place.
func (p place) blocks() string {
	switch p {
	case result:
		return "content"
	case reading:
		return "contents"
	case prompted, asked:
		return "messages"
	}
	return ""
}

// cleansNames reports whether member names at the place are cleaned. In
// definitions, schemas and requests they are not: they have a meaning there.
func (p place) cleansNames() bool { return p < tool }

// member returns the place of the member of that name; raw begins with its value.
func (p place) member(name string, raw []byte) place {
	switch p {
	case result, reading, prompted:
		return resultMember(p, name)
	case message:
		return messageMember(name, raw)
	case block, media, link, embedded, icon, resource:
		return blockMember(p, name)
	case tool, prompt, argument, listed:
		return definitionMember(p, name)
	case schema:
		return schemaMember(name, raw)
	case schemas, dependency:
		return schema
	case asking, asks, ask, asked:
		return askMember(p, name)
	}
	return p // free, fixed, alone
}

func resultMember(p place, name string) place {
	switch name {
	case "content":
		if p == result {
			return content
		}
	case "contents":
		if p == reading {
			return contents
		}
	case "messages":
		if p == prompted {
			return messages
		}
	case "nextCursor", "requestState", "resultType":
		return alone
	}
	return free
}

// messageMember: the content of a message is one block or, in sampling, several.
func messageMember(name string, raw []byte) place {
	switch {
	case name != "content":
		return free
	case protocol.Kind(raw) == '{':
		return blockPlace(raw)
	default:
		return content
	}
}

// askMember finds what is a key, a choice or a schema in a request to the host,
// all of which come back or are obeyed, beside its texts.
func askMember(p place, name string) place {
	switch p {
	case asking:
		if name == "inputRequests" {
			return asks
		}
		return resultMember(p, name)
	case asks:
		return ask
	case ask:
		if name == "params" {
			return asked
		}
		return fixed
	}
	switch name {
	case "requestedSchema":
		return schema
	case "messages":
		return messages
	case "tools":
		return tools
	case "mode", "url", "elicitationId", "includeContext", "toolChoice", "stopSequences":
		return fixed
	}
	return free
}

func blockMember(p place, name string) place {
	switch name {
	case "icons":
		if p == link {
			return icons
		}
	case "text":
		if p == block || p == resource {
			return spoken
		}
	case "content": // of a tool's result within a message
		if p == block {
			return content
		}
	case "uri":
		if p == link || p == resource {
			return address
		}
	case "src":
		if p == icon {
			return address
		}
	case "mimeType":
		if p != block {
			return address
		}
	case "data":
		if p == media {
			return coded
		}
	case "blob":
		if p == resource {
			return coded
		}
	case "resource":
		if p == embedded {
			return resource
		}
	}
	return free
}

func definitionMember(p place, name string) place {
	switch name {
	case "inputSchema", "outputSchema":
		if p == tool {
			return schema
		}
	case "name":
		if p != listed { // of a resource it is a label
			return fixed
		}
	case "arguments":
		if p == prompt {
			return arguments
		}
	case "uri", "uriTemplate", "mimeType":
		if p == listed {
			return fixed
		}
	case "icons":
		return icons
	}
	return free
}

func schemaMember(name string, value []byte) place {
	switch name {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return schemas
	case "dependencies":
		return dependency
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return schemaList
	case "items":
		if protocol.Kind(value) == '[' {
			return schemaList
		}
		return schema
	case "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems", "contains",
		"propertyNames", "not", "if", "then", "else", "contentSchema":
		return schema
	case "title", "description", "$comment", "examples", "example", "markdownDescription":
		return free
	}
	return fixed
}

// element returns the place of an element of an array; raw begins with it.
func (p place) element(raw []byte) place {
	switch p {
	case content:
		return blockPlace(raw)
	case contents:
		return resource
	case messages:
		return message
	case icons:
		return icon
	case arguments:
		return argument
	case tools:
		return tool
	case schemaList:
		return schema
	case schema: // dependencies: an array of names
		return fixed
	case block, media, link, embedded, resource, icon, result, reading, prompted, message,
		tool, prompt, argument, listed, asking, asks, ask, asked:
		return free // not the shape that the protocol gives it
	}
	return p
}

// blockPlace tells a content block by its type.
func blockPlace(raw []byte) place {
	token, _ := protocol.Member(raw, "type")
	switch kind, _ := protocol.Text(token); kind {
	case "image", "audio":
		return media
	case "resource_link":
		return link
	case "resource":
		return embedded
	}
	return block
}
