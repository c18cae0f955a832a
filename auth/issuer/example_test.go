package issuer_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"mcp-gateway/auth/issuer"
	"mcp-gateway/egress"
)

// The metadata of an authorization server are found from its issuer alone.
func ExampleDiscover() {
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"issuer":%q,"token_endpoint":%q}`, server.URL, server.URL+"/token")
	}))
	defer server.Close()

	client := egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}})
	m, err := issuer.Discover(context.Background(), client, server.URL)
	fmt.Println(m.Token == server.URL+"/token", err)
	// Output: true <nil>
}
