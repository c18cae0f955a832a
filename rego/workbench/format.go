package workbench

import (
	"mcp-gateway/rego/check"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/format"
)

// Format returns a Rego file as `opa fmt` would write it. The error is
// gateway.Problems where it does not parse.
func Format(name string, text []byte) ([]byte, error) {
	out, err := format.SourceWithOpts(name, text, format.Opts{RegoVersion: ast.RegoV1})
	if err != nil {
		return nil, check.Problems(map[string]string{name: string(text)}, err)
	}
	return out, nil
}
