package token_test

import (
	"encoding/base64"
	"fmt"

	"mcp-gateway/auth/token"
)

// What a token says is read before it is verified, and believed only after.
func Example() {
	segment := base64.RawURLEncoding.EncodeToString
	raw := segment([]byte(`{"alg":"ES256","typ":"at+jwt"}`)) + "." +
		segment([]byte(`{"iss":"https://id.example","sub":"alice","scope":"use files:read"}`)) + ".c2lnbmF0dXJl"

	t, err := token.Parse(raw)
	if err != nil {
		panic(err)
	}
	mapping := token.DefaultMapping()
	p, err := mapping.Principal(t.Claims, t.Claims.Issuer())
	fmt.Println(t.Algorithm, p.Subject, p.Scopes, err)
	// Output: ES256 alice [files:read use] <nil>
}
