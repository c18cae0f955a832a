package form_test

import (
	"fmt"
	"time"

	"mcp-gateway/config/form"
)

// One description reads a file, and finds all that is wrong with it.
func Example() {
	var name string
	timeout := 5 * time.Second
	description := form.Object{Fields: []form.Field{
		{Key: "name", Need: true, Value: form.Text(&name)},
		{Key: "timeout", Value: form.Duration(&timeout, time.Second, time.Minute)},
	}}

	good := form.Parse("good.yaml", []byte("name: clock\n"), 1<<20)
	good.Read(description)
	fmt.Println(name, timeout, len(good.Problems()))

	bad := form.Parse("bad.yaml", []byte("nmae: clock\ntimeout: 2h\n"), 1<<20)
	bad.Read(description)
	for _, p := range bad.Problems() {
		fmt.Println(p.Pos, p.Code)
	}
	// Output:
	// clock 5s 0
	// bad.yaml:1:1 unknown_key
	// bad.yaml:1:1 missing_key
	// bad.yaml:2:10 out_of_range
}
