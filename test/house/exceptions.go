package house

// exceptions names what may break a rule, as "rule path" or "rule path:name",
// with the reason.
func exceptions() map[string]string {
	return map[string]string{
		"package test/bench":                        "one measuring program: its roles are processes of the same binary",
		"error text test/failclosed/ground_test.go": "what is tested is that the operator is told which part is broken",
		"error text schema/schema_test.go":          "the text itself is tested: a refusal names the place in the schema, for the operator",
	}
}
