package workbench

import (
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/lint"
	"mcp-gateway/rego/names"
	"mcp-gateway/rego/policy"
	"mcp-gateway/rego/written"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Strange says what of an input, as JSON, no input of that phase has. What a file holds
// is named by it. It is gateway.Problems or nil.
func Strange(file string, input []byte, phase contract.Phase) error {
	var all ast.Errors
	for _, f := range written.Document(file, input, contract.Input(phase)) {
		all = append(all, &ast.Error{Code: f.Code, Message: f.Message, Location: f.Location})
	}
	if len(all) == 0 {
		return nil
	}
	return check.Problems(map[string]string{file: string(input)}, all)
}

// Vet says what of a policy's tests shows nothing: a field that the input does not
// have, in a reference or in what a test puts in the input's place, a word or kind that
// a field never is, a rule that is not there. Such a test is as good as none, and one
// that holds for a `not` passes. The error is gateway.Problems.
func Vet(s *check.Suite) error {
	schemas := ast.NewSchemaSet()
	schemas.Put(ast.SchemaRootRef, contract.ForChecker(contract.Phases()...))
	c := ast.NewCompiler().WithCapabilities(check.Capabilities()).WithSchemas(schemas).WithUseTypeCheckAnnotations(true).SetErrorLimit(0)
	var faults []lint.Fault
	c.WithStageAfterID(names.Stage, ast.CompilerStageDefinition{Name: "CheckNames", MetricName: "check_names", Stage: func(c *ast.Compiler) *ast.Error {
		faults = names.Unresolved(c, s.Data, policy.Packages())
		return nil
	}})
	c.Compile(s.Modules)
	if !c.Failed() {
		input := contract.Input(contract.Phases()...)
		faults = append(faults, lint.Check(c, input)...)
		faults = append(faults, written.Inputs(c, s.Tests, input)...)
	}
	said := map[string]bool{} // lines
	var all ast.Errors
	for _, f := range faults {
		if s.Tests(f.Location.File) {
			all = append(all, &ast.Error{Code: f.Code, Message: f.Message, Location: f.Location})
			said[f.Location.String()] = true
		}
	}
	for _, e := range c.Errors {
		if e.Location == nil || !said[e.Location.String()] {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return check.Problems(s.Texts, all)
}
