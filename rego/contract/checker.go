package contract

import (
	"maps"
	"strings"
)

// anyID is the name under which the type checker knows every member of an
// object with arbitrary names. OPA's checker reads `properties` of a schema and
// not `additionalProperties`: without a stand-in, nothing below
// input.resources would be checked.
const anyID = "some id"

// ForChecker returns the schema of the phases, joined, in the form that
// OPA's type checker can make most of.
func ForChecker(phases ...Phase) any {
	var joined map[string]any
	for _, phase := range phases {
		schema := Tree(phase)
		delete(schema, "$id")
		standIn(schema)
		if joined == nil {
			joined = schema
			continue
		}
		mergeMembers(joined, schema)
	}
	return joined
}

// mergeMembers adds to the members of one object schema those of another: a field
// that one phase knows is no mistake before it is known which phase asks.
func mergeMembers(into, from map[string]any) {
	have, _ := into["properties"].(map[string]any)
	more, _ := from["properties"].(map[string]any)
	for name, v := range more {
		both, inside := have[name].(map[string]any)
		other, object := v.(map[string]any)
		if inside && object && both["properties"] != nil {
			mergeMembers(both, other)
			continue
		}
		if !inside {
			have[name] = v
		}
	}
	maps.DeleteFunc(into, func(key string, _ any) bool { return key == "required" })
}

// standIn puts a schema under additionalProperties where the checker sees it.
func standIn(schema map[string]any) {
	if members, ok := schema["additionalProperties"].(map[string]any); ok {
		schema["properties"] = map[string]any{anyID: members}
	}
	for key, v := range schema {
		if sub, ok := v.(map[string]any); ok && !strings.HasPrefix(key, "$") {
			standIn(sub)
		}
	}
}
