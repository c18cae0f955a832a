package command_test

import (
	"fmt"

	"mcp-gateway/config/command"
)

// A program in an argument and a secret behind a flag are found where they stand.
func Example() {
	program, flag, found := command.InlineCode([]string{"/bin/sh", "-c", "server; id"})
	fmt.Println(program, flag, found)
	at, found := command.SecretArgument([]string{"server", "--api-token", "hunter2"})
	fmt.Println(at, found)
	// Output:
	// /bin/sh -c true
	// 2 true
}
