package state_test

import (
	"fmt"
	"log"
	"os"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/proxy/state"
)

// What an upstream gave as requestState comes back to it byte for byte, and to
// nobody else.
func Example() {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ring, err := keyring.Open(dir + "/keys")
	if err != nil {
		log.Fatal(err)
	}
	call := &state.Binding{Principal: "alice", Method: "tools/call", Item: gateway.ItemID{Upstream: "desk", Name: "open"}}
	token := state.Seal(ring, call, state.State{Inner: []byte(`"step 2"`)}, now)
	back, err := state.Open(ring, call, token, now)
	fmt.Println(string(back.Inner), err)
	call.Principal = "mallory"
	_, err = state.Open(ring, call, token, now)
	fmt.Println(err)
	// Output:
	// "step 2" <nil>
	// state_invalid: keyring: token was not sealed by this ring, or was altered
}
