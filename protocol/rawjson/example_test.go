package rawjson_test

import (
	"fmt"

	"mcp-gateway/protocol/rawjson"
)

func ExampleCheck() {
	fmt.Println(rawjson.Check([]byte(`{"to":"bob","to":"eve"}`), rawjson.DefaultLimits()))
	// Output: malformed_request malformed duplicate_member: duplicate member name: at offset 12
}

func ExampleAppendCanonical() {
	fmt.Printf("%s\n", rawjson.AppendCanonical(nil, []byte(`{ "b": 1.0, "a": "\u0041" }`)))
	// Output: {"a":"A","b":1.0}
}
