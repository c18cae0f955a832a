package scalar_test

import (
	"fmt"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/schema/plan/scalar"
)

func ExampleRule_Number() {
	two := 2
	r := scalar.RuleOf(&jsonschema.Schema{MinLength: &two})
	fuel := 100
	fmt.Println(r.Number([]byte("1e400")) == scalar.Yes, r.String([]byte(`"x"`), &fuel) == scalar.No)
	// Output: true true
}
