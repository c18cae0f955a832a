package egress_test

import (
	"fmt"
	"net/netip"

	"mcp-gateway/egress"
)

func ExampleGuard_Judge() {
	g := egress.NewGuard([]string{"127.0.0.1"}, nil)
	fmt.Println(g.Judge("127.0.0.1", netip.MustParseAddr("127.0.0.1")))
	fmt.Println(g.Judge("tracker.example", netip.MustParseAddr("127.0.0.1")))
	// Output:
	// <nil>
	// address is not allowed for outgoing connections: 127.0.0.1 (loopback)
}
