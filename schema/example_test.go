package schema_test

import (
	"fmt"

	"mcp-gateway/schema"
)

func ExampleSchema_Check() {
	s, err := schema.Compile([]byte(`{
		"type": "object",
		"properties": {"window_minutes": {"type": "integer", "minimum": 1, "maximum": 30}},
		"required": ["service"],
		"additionalProperties": false
	}`), schema.Limits{RequireObject: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	violations, _ := s.Check([]byte(`{"window_minutes": 45, "receipt": "forged"}`))
	for _, v := range violations {
		fmt.Println(v.Pointer, v.Keyword)
	}
	// Output:
	// /receipt additionalProperties
	// /service required
	// /window_minutes maximum
}

func ExampleCompile_hostile() {
	_, err := schema.Compile([]byte(`{"$ref":"#"}`), schema.Limits{})
	fmt.Println(err)
	// Output:
	// contract_violation at schema schema_unsafe: "" applies to itself without consuming any of the value
}
