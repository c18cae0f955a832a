package literals

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// longest is the length in bytes of a text that may be a name.
const longest = 256

// Of returns the texts that stand in the modules of a compiler and in the policy's data,
// sorted: constants, keys and values. Paths into the input and names of functions are
// none.
func Of(c *ast.Compiler, data map[string]any) []string {
	found := map[string]bool{}
	for _, m := range c.Modules {
		ast.WalkTerms(m, func(t *ast.Term) bool { return take(t, found) })
	}
	walk(data, found)
	all := make([]string, 0, len(found))
	for text := range found {
		if text != "" && len(text) <= longest {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}

// take notes a term, and says whether its parts are done with.
func take(t *ast.Term, found map[string]bool) bool {
	switch v := t.Value.(type) {
	case ast.String:
		found[string(v)] = true
	case ast.Ref:
		for _, part := range v[1:] {
			if _, constant := part.Value.(ast.String); !constant || v[0].Equal(ast.DefaultRootDocument) {
				ast.WalkTerms(part, func(t *ast.Term) bool { return take(t, found) })
			}
		}
		return true
	}
	return false
}

func walk(value any, found map[string]bool) {
	switch v := value.(type) {
	case string:
		found[v] = true
	case []any:
		for _, each := range v {
			walk(each, found)
		}
	case map[string]any:
		for key, each := range v {
			found[key] = true
			walk(each, found)
		}
	}
}
