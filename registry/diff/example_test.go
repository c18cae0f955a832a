package diff_test

import (
	"fmt"

	"mcp-gateway/registry/diff"
)

func ExampleDefinitions() {
	old := []byte(`{"name":"note","description":"Stores a note.","inputSchema":{"type":"object"}}`)
	new := []byte(`{"name":"note","description":"Stores a note.\u202e","inputSchema":{"type":"object","required":["key"]}}`)
	for _, c := range diff.Definitions(old, new) {
		fmt.Printf("%s %s (%s): %q to %q\n", c.Kind, c.Pointer, c.Class, c.Old, c.New)
	}
	// Output:
	// changed /description (description): "Stores a note." to "Stores a note.\\u{202e}"
	// added /inputSchema/required (input_required_added): "" to "key"
}
