package child_test

import (
	"context"
	"fmt"
	"os"

	"mcp-gateway/upstream/child"
)

func ExampleSupervise() {
	// The test binary plays a server that answers each line with the line.
	options := child.Options{Command: []string{os.Args[0]}, Env: map[string]string{"CHILD_TEST_ROLE": "echo"}}
	answers := make(chan string)
	supervisor := child.Supervise(options, func(ctx context.Context, p *child.Process) error {
		if _, err := p.Send([]byte(`{"hello":"child"}`)); err != nil {
			return err
		}
		return p.Messages(func(line []byte, _ bool) bool {
			answers <- string(line)
			return true
		})
	})
	defer supervisor.Close()
	fmt.Println(<-answers)
	// Output: {"hello":"child"}
}
