package terms

import (
	"context"

	"mcp-gateway/rego/contract"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/types"
)

// OfType returns the kinds of a type of OPA's.
func OfType(t types.Type) contract.Kinds {
	switch t := t.(type) {
	case *types.NamedType:
		return OfType(t.Type)
	case types.Null:
		return contract.Null
	case types.Boolean:
		return contract.Boolean
	case types.Number:
		return contract.Number
	case types.String:
		return contract.String
	case *types.Array:
		return contract.Array
	case *types.Set:
		return contract.Set
	case *types.Object:
		return contract.Object
	case types.Any:
		var k contract.Kinds
		for _, one := range t {
			k |= OfType(one)
		}
		if k != 0 {
			return k
		}
	}
	return contract.AnyKind | contract.Set
}

// OfValue returns the kind of a value; all kinds of one that is not known before
// evaluation.
func OfValue(v ast.Value) contract.Kinds {
	switch v.(type) {
	case ast.Null:
		return contract.Null
	case ast.Boolean:
		return contract.Boolean
	case ast.Number:
		return contract.Number
	case ast.String:
		return contract.String
	case ast.Object:
		return contract.Object
	default:
		return contract.AnyKind
	}
}

// Call returns what a built-in answers; nil for nothing.
func Call(name string, operands []*ast.Term) (out ast.Value) {
	call := topdown.GetBuiltin(name)
	if call == nil {
		return nil
	}
	err := call(topdown.BuiltinContext{Context: context.Background()}, operands, func(t *ast.Term) error {
		out = t.Value
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}
