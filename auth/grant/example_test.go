package grant_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"mcp-gateway/auth/grant"
	"mcp-gateway/auth/issuer"
	"mcp-gateway/egress"
	"mcp-gateway/gateway"
)

// A token is asked for once and used until it expires.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"of-the-gateway","token_type":"Bearer","expires_in":300}`)
	}))
	defer server.Close()

	source, err := grant.New(grant.Options{
		Upstream: "tracker", Endpoint: server.URL, Client: issuer.Client{ID: "gateway", Method: issuer.NoMethod},
		HTTP: egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}}),
	})
	if err != nil {
		panic(err)
	}
	token, err := source.Token(context.Background(), gateway.Behalf{})
	fmt.Println(token, err)
	// Output: of-the-gateway <nil>
}
