package receipt_test

import (
	"fmt"
	"os"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/receipt"
)

func Example() {
	dir, err := os.MkdirTemp("", "keys")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ring, err := keyring.Open(dir)
	if err != nil {
		panic(err)
	}
	envelope, err := receipt.Sign(ring, &receipt.Statement{V: receipt.Version, Action: "a", Outcome: gateway.OutcomeCommitted})
	if err != nil {
		panic(err)
	}
	keys := ring.Public(keyring.Receipt)
	good, err := receipt.Verify(envelope, keys, receipt.Claim{Action: "a"})
	fmt.Println(good.Outcome, err)
	_, err = receipt.Verify(envelope, keys, receipt.Claim{Action: "b"})
	fmt.Println(err)
	// Output:
	// committed <nil>
	// receipt refused: other_call
}
