package secret_test

import (
	"fmt"

	"mcp-gateway/config/secret"
)

// However a secret is printed, it does not show.
func Example() {
	var s secret.Secret
	fmt.Printf("%v %+v %#v %x %v\n", s, s, s, s, s.Set())
	// Output: [secret] [secret] [secret] [secret] false
}
