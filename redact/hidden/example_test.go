package hidden_test

import (
	"fmt"

	"mcp-gateway/redact/hidden"
)

func ExampleCleaner_Clean() {
	var c hidden.Cleaner
	out, changed := c.Clean(nil, []byte("\x1b[31mred\x1b[0m \u202eevil\u200b"))
	fmt.Printf("%s %v %v\n", out, changed, c.Removed[hidden.Control:])
	// Output: red evil true [2 1 1]
}
