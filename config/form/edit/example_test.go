package edit_test

import (
	"fmt"

	"mcp-gateway/config/form/edit"
)

// Keys that are there change in their place, new ones follow; comments stay.
func ExampleSet() {
	text := []byte("# People.\nada:\n  role: reviewer   # since May\n  desk: 4\n")

	out, err := edit.Set("people.yaml", text, []string{"ada"}, []edit.Pair{
		{Key: "role", Value: "approver"},
		{Key: "desk", Remove: true},
		{Key: "note", Value: edit.Quote("yes: both")},
	})
	fmt.Printf("%s%v\n", out, err)
	// Output:
	// # People.
	// ada:
	//   role: approver   # since May
	//   note: "yes: both"
	// <nil>
}
