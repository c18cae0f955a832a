package credential_test

import (
	"context"
	"fmt"

	"mcp-gateway/gateway"
	"mcp-gateway/upstream/credential"
)

// Whom a request is made for goes with its context; a token shows nowhere.
func Example() {
	ctx := credential.For(context.Background(), gateway.Behalf{Principal: "alice", Token: gateway.NewBearer("secret")})
	fmt.Printf("%+v\n", credential.Behalf(ctx))
	fmt.Println(credential.Behalf(context.Background()) == gateway.Behalf{})
	// Output:
	// {Principal:alice Token:[token]}
	// true
}
