package check_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"mcp-gateway/rego/check"
)

// A mistyped field is found when the policy is loaded, with its place and what
// it could have been.
func ExampleLoad() {
	folder := fstest.MapFS{"team.rego": {Data: []byte(`package mcp.gateway

visible contains id if some id, _ in input.resources

allow if input.subject.tennant == "platform"
`)}}
	_, err := check.Load(context.Background(), folder, "policy")
	fmt.Println(err)
	// Output:
	// policy/team.rego:5:10: rego_type_error: undefined ref: input.subject.tennant; have: "tennant"; want (one of): ["id" "properties" "type"]
	// allow if input.subject.tennant == "platform"
	//          ^
}
