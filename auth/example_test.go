package auth_test

import (
	"context"
	"fmt"
	"net/http"

	"mcp-gateway/auth"
	"mcp-gateway/gateway"
)

// A key is made once, its digest goes into configuration, and whoever presents
// the key is the principal written beside the digest.
func Example() {
	key, digest := auth.NewKey()

	a, err := auth.New(auth.Options{Keys: []auth.Key{{
		SHA256:    digest,
		Principal: gateway.Principal{Issuer: "gateway", Subject: "ci", Tenant: "platform", Client: "ci"},
	}}})
	if err != nil {
		panic(err)
	}

	ctx := context.Background()
	p, err := a.Identify(ctx, auth.Request{Header: http.Header{"Authorization": {"Bearer " + key}}})
	fmt.Println(p.Subject, p.Tenant, err)

	_, err = a.Identify(ctx, auth.Request{})
	fmt.Println(err)
	// Output:
	// ci platform <nil>
	// unauthenticated: auth: no Authorization header
}
