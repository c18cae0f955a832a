package facts

import (
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"

	"mcp-gateway/gateway"
)

// Reviewed are the members of an item's properties that few records have; of a record
// that has none of them there is nothing to be seen.
func Reviewed(f *gateway.ExposureFacts, state gateway.ExposureState) [][2]*ast.Term {
	var all [][2]*ast.Term
	add := func(name string, value *ast.Term) { all = append(all, ast.Item(ast.StringTerm(name), value)) }
	if len(f.Tenants) > 0 {
		var tenants []*ast.Term
		for _, tenant := range slices.Compact(slices.Sorted(slices.Values(f.Tenants))) {
			tenants = append(tenants, ast.StringTerm(tenant))
		}
		add("tenants", ast.ArrayTerm(tenants...))
	}
	if f.Contract != "" {
		add("contract", ast.StringTerm(f.Contract))
	}
	if d := f.Deprecated; d != nil {
		add("deprecated", ast.ObjectTerm(
			ast.Item(ast.StringTerm("sunset"), ast.StringTerm(d.Sunset.UTC().Format(time.DateOnly))),
			ast.Item(ast.StringTerm("passed"), ast.InternedTerm(state == gateway.StateRetired))))
	}
	return all
}
