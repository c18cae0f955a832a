package redact

import "mcp-gateway/protocol"

// place is where in a document a value stands, as far as that decides what is
// done to the strings in it. The zero value leaves all alone.
type place uint8

const (
	alone    place = iota // URIs, blobs, MIME types, cursors: to change is to break
	free                  // any JSON: names and strings are cleaned
	result                // a CallToolResult, or another result with content
	content               // its array of content blocks
	block                 // a content block that is text, or of a kind not known
	media                 // an image or audio block
	link                  // a resource link
	embedded              // an embedded resource block
	resource              // the resource in it
	icons                 // an array of icons
	icon                  // one of them

	tool       // a tool definition
	schema     // a JSON Schema
	schemas    // an object whose members are schemas
	schemaList // an array of schemas
	dependency // dependencies: schemas, or arrays of names
	fixed      // enum, const, default, pattern, required: judged, never changed
)

// cleansNames reports whether member names at the place are cleaned. In a tool
// and its schemas they are not: they have a meaning there.
func (p place) cleansNames() bool { return p < tool }

// member returns the place of the member of that name; raw begins with its value.
func (p place) member(name string, raw []byte) place {
	switch p {
	case result:
		return resultMember(name)
	case block, media, link, embedded, icon, resource:
		return blockMember(p, name)
	case tool:
		return toolMember(name)
	case schema:
		return schemaMember(name, raw)
	case schemas, dependency:
		return schema
	}
	return p // free, fixed, alone
}

func resultMember(name string) place {
	switch name {
	case "content", "contents":
		return content
	case "nextCursor", "requestState", "resultType":
		return alone
	}
	return free
}

func blockMember(p place, name string) place {
	switch name {
	case "icons":
		if p == link {
			return icons
		}
	case "uri":
		if p == link || p == resource {
			return alone
		}
	case "mimeType":
		if p != block {
			return alone
		}
	case "data":
		if p == media {
			return alone
		}
	case "blob":
		if p == resource {
			return alone
		}
	case "src":
		if p == icon {
			return alone
		}
	case "resource":
		if p == embedded {
			return resource
		}
	}
	return free
}

func toolMember(name string) place {
	switch name {
	case "inputSchema", "outputSchema":
		return schema
	case "name":
		return fixed
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
	case icons:
		return icon
	case schemaList:
		return schema
	case schema: // dependencies: an array of names
		return fixed
	case block, media, link, embedded, resource, icon, result, tool:
		return free // not the shape that the protocol gives it
	}
	return p
}

// blockPlace tells a content block by its type. Contents of resources/read have
// none, but a uri.
func blockPlace(raw []byte) place {
	kind, hasType := protocol.Member(raw, "type")
	if !hasType {
		if _, ok := protocol.Member(raw, "uri"); ok {
			return resource
		}
		return block
	}
	switch string(kind) {
	case `"image"`, `"audio"`:
		return media
	case `"resource_link"`:
		return link
	case `"resource"`:
		return embedded
	}
	return block
}
