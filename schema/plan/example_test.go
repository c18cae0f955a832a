package plan_test

import (
	"fmt"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/schema/plan"
)

func ExampleNode_Audit() {
	c := jsonschema.NewCompiler()
	_ = c.AddResource("https://schema.invalid/", map[string]any{"$ref": "#"})
	n, err := plan.Build(c.MustCompile("https://schema.invalid/"), nil)
	fmt.Println(err, n.Audit(10_000))
	// Output: <nil> "" applies to itself without consuming any of the value
}
