package place

import "mcp-gateway/protocol"

// Place is where in a document a value stands, as far as that decides what is
// done to the strings in it. The zero value leaves all alone.
type Place uint8

const (
	Alone    Place = iota // the state of an upstream that asks: to change is to break
	Free                  // any JSON: names and strings are cleaned
	Address               // URIs: cleaned, and not spoken
	Target                // the URI of an embedded resource: where it leads is judged besides
	Medium                // media types: of their form, or replaced
	Kind                  // what kind a block is: to change is to make another of it
	Spoken                // the text of a content block
	Coded                 // blobs, images and audio: bytes in base64
	Result                // a CallToolResult, or another result with content
	Content               // its array of content blocks
	Block                 // a content block that is text, or of a kind not known
	Media                 // an image or audio block
	Link                  // a resource link
	Embedded              // an embedded resource block
	Enclosed              // the resource in it
	Resource              // one that was read
	Icons                 // an array of icons
	Icon                  // one of them
	Reading               // a ReadResourceResult
	Contents              // its array of resources
	Prompted              // a GetPromptResult
	Messages              // its array of messages, or that of a sampling request
	Message               // one of them

	Tool       // a tool definition
	Prompt     // a prompt definition
	Arguments  // its array of arguments
	Argument   // one of them
	Listed     // the definition of a resource, or of a template
	Schema     // a JSON Schema
	Schemas    // an object whose members are schemas
	SchemaList // an array of schemas
	Dependency // dependencies: schemas, or arrays of names
	Asking     // an InputRequiredResult
	Asks       // its map of requests
	Ask        // one of them
	Asked      // the params of a request to the host
	Tools      // an array of tool definitions
	Fixed      // enum, const, default, pattern, required: judged, never changed
)

// Blocks names the array of content blocks, or of messages, of a document whose
// root stands at the place.
func (p Place) Blocks() string {
	switch p {
	case Result:
		return "content"
	case Reading:
		return "contents"
	case Prompted, Asked:
		return "messages"
	}
	return ""
}

// CleansNames reports whether member names at the place are cleaned. In
// definitions, schemas and requests they are not: they have a meaning there.
func (p Place) CleansNames() bool { return p < Tool }

// Member returns the place of the member of that name; raw begins with its value.
func (p Place) Member(name string, raw []byte) Place {
	switch p {
	case Result, Reading, Prompted:
		return resultMember(p, name)
	case Message:
		return messageMember(name, raw)
	case Block, Media, Link, Embedded, Icon, Enclosed, Resource:
		return blockMember(p, name)
	case Tool, Prompt, Argument, Listed:
		return definitionMember(p, name)
	case Schema:
		return schemaMember(name, raw)
	case Schemas, Dependency:
		return Schema
	case Asking, Asks, Ask, Asked:
		return askMember(p, name)
	}
	return p // free, fixed, alone
}

func resultMember(p Place, name string) Place {
	switch name {
	case "content":
		if p == Result {
			return Content
		}
	case "contents":
		if p == Reading {
			return Contents
		}
	case "messages":
		if p == Prompted {
			return Messages
		}
	}
	return Free
}

// messageMember: the content of a message is one block or, in sampling, several.
func messageMember(name string, raw []byte) Place {
	switch {
	case name != "content":
		return Free
	case protocol.Kind(raw) == '{':
		return blockPlace(raw)
	default:
		return Content
	}
}

// askMember finds what is a key, a choice or a schema in a request to the host,
// all of which come back or are obeyed, beside its texts.
func askMember(p Place, name string) Place {
	switch p {
	case Asking:
		switch name {
		case "inputRequests":
			return Asks
		case "requestState", "resultType":
			return Alone
		}
		return Free
	case Asks:
		return Ask
	case Ask:
		if name == "params" {
			return Asked
		}
		return Fixed
	}
	switch name {
	case "requestedSchema":
		return Schema
	case "messages":
		return Messages
	case "tools":
		return Tools
	case "mode", "url", "elicitationId", "includeContext", "toolChoice", "stopSequences":
		return Fixed
	}
	return Free
}

func blockMember(p Place, name string) Place {
	switch name {
	case "type":
		if p != Icon && p != Resource && p != Enclosed {
			return Kind
		}
	case "icons":
		if p == Link {
			return Icons
		}
	case "text":
		if p == Block || p == Resource || p == Enclosed {
			return Spoken
		}
	case "content": // of a tool's result within a message
		if p == Block {
			return Content
		}
	case "uri":
		switch p {
		case Link, Resource:
			return Address
		case Enclosed:
			return Target
		}
	case "src":
		if p == Icon {
			return Address
		}
	case "mimeType":
		if p != Block {
			return Medium
		}
	case "data":
		if p == Media {
			return Coded
		}
	case "blob":
		if p == Resource || p == Enclosed {
			return Coded
		}
	case "resource":
		if p == Embedded {
			return Enclosed
		}
	}
	return Free
}

func definitionMember(p Place, name string) Place {
	switch name {
	case "inputSchema", "outputSchema":
		if p == Tool {
			return Schema
		}
	case "name":
		if p != Listed { // of a resource it is a label
			return Fixed
		}
	case "arguments":
		if p == Prompt {
			return Arguments
		}
	case "uri", "uriTemplate", "mimeType":
		if p == Listed {
			return Fixed
		}
	case "icons":
		return Icons
	}
	return Free
}

func schemaMember(name string, value []byte) Place {
	switch name {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return Schemas
	case "dependencies":
		return Dependency
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return SchemaList
	case "items":
		if protocol.Kind(value) == '[' {
			return SchemaList
		}
		return Schema
	case "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems", "contains",
		"propertyNames", "not", "if", "then", "else", "contentSchema":
		return Schema
	case "title", "description", "$comment", "examples", "example", "markdownDescription":
		return Free
	}
	return Fixed
}

// Element returns the place of an element of an array; raw begins with it.
func (p Place) Element(raw []byte) Place {
	switch p {
	case Content:
		return blockPlace(raw)
	case Contents:
		return Resource
	case Messages:
		return Message
	case Icons:
		return Icon
	case Arguments:
		return Argument
	case Tools:
		return Tool
	case SchemaList:
		return Schema
	case Schema: // dependencies: an array of names
		return Fixed
	case Block, Media, Link, Embedded, Enclosed, Resource, Icon, Result, Reading, Prompted, Message,
		Tool, Prompt, Argument, Listed, Asking, Asks, Ask, Asked:
		return Free // not the shape that the protocol gives it
	}
	return p
}

// blockPlace tells a content block by its type.
func blockPlace(raw []byte) Place {
	token, _ := protocol.Member(raw, "type")
	switch kind, _ := protocol.Text(token); kind {
	case "image", "audio":
		return Media
	case "resource_link":
		return Link
	case "resource":
		return Embedded
	}
	return Block
}

// Speaks reports whether texts for readers stand in a document whose root stands
// at the place.
func (p Place) Speaks() bool { return p == Result || p == Reading || p == Prompted }
