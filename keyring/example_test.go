package keyring_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"mcp-gateway/keyring"
)

// A token that travelled through a host opens for the principal that it was
// sealed for, also after the key was rotated, and for nobody else.
func Example() {
	state, err := os.MkdirTemp("", "state")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(state)
	ring, err := keyring.Open(filepath.Join(state, "keys"))
	if err != nil {
		log.Fatal(err)
	}
	token := ring.Seal(keyring.State, []byte("approved: INC-0001"), []byte("alice"))
	if err := ring.Rotate(keyring.State); err != nil {
		log.Fatal(err)
	}
	inner, err := ring.Open(keyring.State, token, []byte("alice"))
	fmt.Println(string(inner), err)
	_, err = ring.Open(keyring.State, token, []byte("bob"))
	fmt.Println(err)
	// Output:
	// approved: INC-0001 <nil>
	// keyring: token was not sealed by this ring, or was altered
}
