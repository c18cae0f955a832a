package schema

import (
	"cmp"
	"slices"
	"strings"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"mcp-gateway/gateway"
	"mcp-gateway/schema/plan"
)

// maxExplained bounds the violations that are gathered before the first ones
// by pointer are chosen.
const maxExplained = 4096

// explain turns the library's error tree into violations.
func explain(failure *jsonschema.ValidationError, limit int) []gateway.Violation {
	out := gather(nil, failure)
	sortViolations(out)
	out = slices.Compact(out)
	return out[:min(len(out), limit)]
}

func sortViolations(vs []gateway.Violation) {
	slices.SortFunc(vs, func(a, b gateway.Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Keyword, b.Keyword))
	})
}

func gather(out []gateway.Violation, e *jsonschema.ValidationError) []gateway.Violation {
	if len(out) >= maxExplained {
		return out
	}
	at := pointer(e.InstanceLocation)
	add := func(keyword string, members ...string) {
		for _, m := range members {
			out = append(out, gateway.Violation{Pointer: at + "/" + plan.Escape(m), Keyword: keyword})
		}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			out = gather(out, cause)
		}
		return out
	case *kind.Required:
		add("required", k.Missing...)
	case *kind.DependentRequired:
		add("dependentRequired", k.Missing...)
	case *kind.Dependency:
		add("dependencies", k.Missing...)
	case *kind.AdditionalProperties:
		add("additionalProperties", k.Properties...)
	case *kind.PropertyNames:
		add("propertyNames", k.Property)
	case *kind.Not:
		out = append(out, gateway.Violation{Pointer: at, Keyword: "not"})
	case *kind.FalseSchema:
		out = append(out, gateway.Violation{Pointer: at, Keyword: forbidding(e.SchemaURL)})
	default:
		out = append(out, gateway.Violation{Pointer: at, Keyword: lastOf(k.KeywordPath())})
	}
	return out
}

// forbidding names the keyword under which a false schema stands.
func forbidding(location string) string {
	_, fragment, _ := strings.Cut(location, "#")
	tokens := strings.Split(fragment, "/")
	last := tokens[len(tokens)-1]
	if r := roles[last]; r == one || r == oneOrList {
		return last
	}
	if len(tokens) > 1 {
		if parent := tokens[len(tokens)-2]; roles[parent] != data {
			return parent
		}
	}
	return "false"
}

func lastOf(path []string) string {
	if len(path) == 0 {
		return "schema"
	}
	return path[len(path)-1]
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(plan.Escape(t))
	}
	return b.String()
}
