package record

import (
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// faults says where arguments broke a pinned schema. A host may name members as
// it likes, so a pointer is written only as far as the schema declares its
// names, and indexes of arrays as "-".
func faults(schema []byte, violations []gateway.Violation) []audit.Fault {
	if len(violations) == 0 {
		return nil
	}
	out := make([]audit.Fault, 0, len(violations))
	for _, v := range violations {
		out = append(out, audit.Fault(declared(schema, v.Pointer)+" "+v.Keyword))
	}
	return out
}

// declared returns the part of a JSON Pointer into a value whose names stand in
// the schema's own properties and items; "/" if there is none. References are
// not followed: what is behind one counts as not declared.
func declared(schema []byte, pointer string) string {
	var out strings.Builder
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		name := unescape(token)
		if properties, ok := member(schema, "properties"); ok {
			if next, ok := member(properties, name); ok {
				out.WriteString("/" + token)
				schema = next
				continue
			}
		}
		items, ok := member(schema, "items")
		if !ok || strings.Trim(token, "0123456789") != "" {
			break
		}
		out.WriteString("/-")
		schema = items
	}
	if out.Len() == 0 {
		return "/"
	}
	return out.String()
}

// member looks into an object only; a schema may also be a boolean.
func member(object []byte, name string) ([]byte, bool) {
	if protocol.Kind(object) != '{' {
		return nil, false
	}
	return protocol.Member(object, name)
}

// unescape undoes the escapes of a pointer's token (RFC 6901, 4).
func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
