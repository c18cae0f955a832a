package diff

// Class says what a change can do, so that a reviewer reads the grave ones
// first.
type Class string

// The classes.
const (
	Description        Class = "description"          // text that a model reads
	Unit               Class = "unit"                 // text that says what a number counts
	InputRequiredAdded Class = "input_required_added" // an argument must now be given
	InputType          Class = "input_type"           // other arguments are taken, or asked for
	Enum               Class = "enum"                 // other fixed values
	Annotation         Class = "annotation"           // the upstream's claims about itself
	OutputSchema       Class = "output_schema"        // the shape of results
	HeaderMirror       Class = "header_mirror"        // an argument leaves in a header, or no longer
	UnknownMember      Class = "unknown_member"       // nothing that the protocol or JSON Schema knows
	Other              Class = "other"                // name, icons, execution, _meta

	// Of an upstream itself.
	Launch       Class = "launch"       // what is started, or where it is reached
	Issuer       Class = "issuer"       // who vouches for its host
	Agreed       Class = "agreed"       // the revision and what it declares
	Instructions Class = "instructions" // what it tells models
)

// place says how the members of the object being walked are to be read. A
// property called "description" is no description.
type place struct {
	kind  placeKind
	class Class // of what lies here and is not named otherwise
	set   bool  // a list of which the order means nothing
}

type placeKind int

const (
	inTool      placeKind = iota // the definition itself
	inSchema                     // members are keywords
	inNames                      // members are names, their values schemas
	inData                       // members are data
	inUpstream                   // what an upstream itself is
	inArguments                  // a list of arguments of a prompt, and each of them
)

// below returns the place of a member's value, and the class of a change there.
func (p place) below(name string) place {
	switch p.kind {
	case inTool:
		return toolMember(name)
	case inSchema:
		return keyword(name, p.class)
	case inUpstream:
		return upstreamMember(name)
	case inArguments:
		return argumentMember(name)
	case inNames:
		return place{kind: inSchema, class: p.class}
	default:
		return place{kind: inData, class: p.class}
	}
}

func toolMember(name string) place {
	switch name {
	case "description", "title":
		return place{kind: inData, class: Description}
	case "inputSchema":
		return place{kind: inSchema, class: InputType}
	case "outputSchema":
		return place{kind: inSchema, class: OutputSchema}
	case "annotations":
		return place{kind: inData, class: Annotation}
	case "arguments":
		return place{kind: inArguments, class: InputType}
	case "name", "icons", "execution", "_meta", "uri", "uriTemplate", "mimeType", "size":
		return place{kind: inData, class: Other}
	default:
		return place{kind: inData, class: UnknownMember}
	}
}

func upstreamMember(name string) place {
	switch name {
	case "issuer":
		return place{kind: inData, class: Issuer}
	case "revision", "capabilities":
		return place{kind: inData, class: Agreed}
	case "instructions":
		return place{kind: inData, class: Instructions}
	default:
		return place{kind: inData, class: Launch}
	}
}

// argumentMember places a member of a prompt's argument.
func argumentMember(name string) place {
	switch name {
	case "description", "title":
		return place{kind: inData, class: Description}
	case "required":
		return place{kind: inData, class: InputRequiredAdded}
	case "name":
		return place{kind: inData, class: InputType}
	default:
		return place{kind: inData, class: UnknownMember}
	}
}

// keyword places the value of a schema keyword. class is that of the schema.
func keyword(name string, class Class) place {
	switch name {
	case "description", "title", "$comment", "examples":
		return place{kind: inData, class: Description}
	case "enum":
		return place{kind: inData, class: Enum, set: true}
	case "const":
		return place{kind: inData, class: Enum}
	case "required":
		return place{kind: inData, class: class, set: true}
	case "x-mcp-header":
		return place{kind: inData, class: HeaderMirror}
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return place{kind: inNames, class: class}
	case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains",
		"additionalProperties", "unevaluatedProperties", "propertyNames",
		"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "contentSchema":
		return place{kind: inSchema, class: class}
	case "type", "format", "default", "dependentRequired", "$ref", "$dynamicRef",
		"$id", "$anchor", "$dynamicAnchor", "$schema", "$vocabulary",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems",
		"minContains", "maxContains", "minProperties", "maxProperties",
		"contentEncoding", "contentMediaType", "deprecated", "readOnly", "writeOnly", "nullable":
		return place{kind: inData, class: class}
	default:
		return place{kind: inData, class: UnknownMember}
	}
}
