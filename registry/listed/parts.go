package listed

import (
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Parts are digests of what a definition says, so that a reviewer sees at once
// which part a change is in. What is served is decided by the whole one alone.
type Parts struct {
	Description gateway.Digest // of title, description and annotations
	Schema      gateway.Digest // of inputSchema, outputSchema and, of a prompt, arguments
	Rest        gateway.Digest // of everything else
}

// Parts returns the digests of the parts.
func (d *Definition) Parts() Parts {
	if protocol.Kind(d.Raw) != '{' {
		return Parts{}
	}
	var parts [3][]byte
	for name, value := range protocol.Members(d.Raw) {
		at := &parts[part(string(name))]
		*at = append(append(protocol.AppendString(append(*at, ','), string(name)), ':'), value...)
	}
	digest := func(members []byte) gateway.Digest {
		object := []byte{'{', '}'}
		if len(members) > 0 {
			members[0] = '{'
			object = append(members, '}')
		}
		return protocol.DigestOf(object)
	}
	return Parts{Description: digest(parts[0]), Schema: digest(parts[1]), Rest: digest(parts[2])}
}

func part(member string) int {
	switch member {
	case "title", "description", "annotations":
		return 0
	case "inputSchema", "outputSchema", "arguments":
		return 1
	default:
		return 2
	}
}
