package scan_test

import (
	"fmt"

	"mcp-gateway/protocol/rawjson"
	"mcp-gateway/schema/plan/scan"
)

func ExampleMember() {
	raw := []byte(`{"a": 1, "b\n": [2]}`)
	for i, more := scan.Next(raw, 1); more; {
		name, value := scan.Member(raw, i)
		end := rawjson.SkipValue(raw, value)
		fmt.Printf("%q %s\n", name, raw[value:end])
		i, more = scan.Next(raw, end)
	}
	// Output:
	// "a" 1
	// "b\n" [2]
}
