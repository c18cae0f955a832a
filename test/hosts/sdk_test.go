package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// connect connects a go-sdk client; an empty revision leaves the era to it.
func connect(t *testing.T, transport mcp.Transport, revision string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return session
}

// bearer adds a credential to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// walk is what every client must find, whatever it speaks.
func walk(t *testing.T, session *mcp.ClientSession, revision string) {
	t.Helper()
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		t.Errorf("speaks %s, want %s", got, revision)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if want := []string{"peer__exact", "peer__mirrored", "peer__plain", "peer__refuses", "peer__wait"}; !slices.Equal(names, want) {
		t.Errorf("listed %v, want %v", names, want)
	}
	call := func(name string) (*mcp.CallToolResult, error) {
		return session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(`{"a":1}`)})
	}
	if r, err := call("peer__mirrored"); err != nil || !r.IsError {
		t.Errorf("a held call: %+v %v", r, err)
	}
	if r, err := call("peer__refuses"); err != nil || !r.IsError || len(r.Content) == 0 {
		t.Errorf("a business error: %+v %v", r, err)
	}
	_, err = call("peer__secret")
	var rpc *jsonrpc.Error
	if !errors.As(err, &rpc) || rpc.Code != protocol.RPCInvalidParams {
		t.Errorf("an unknown tool: %v", err)
	}
	if revision != protocol.Revision20260728 {
		if err := session.Ping(t.Context(), nil); err != nil {
			t.Errorf("ping: %v", err)
		}
	}
}

// eras are how a go-sdk client may be told to speak, and what it must then speak.
func eras() map[string]string {
	return map[string]string{
		"":                        protocol.Revision20260728,
		protocol.Revision20251125: protocol.Revision20251125,
		protocol.Revision20250618: protocol.Revision20250618,
		protocol.Revision20250326: protocol.Revision20250326,
	}
}

func TestGoSDKOverHTTP(t *testing.T) {
	s, _ := open(t)
	for told, speaks := range eras() {
		t.Run(speaks, func(t *testing.T) {
			walk(t, connect(t, &mcp.StreamableClientTransport{
				Endpoint:   s.URL + "/mcp",
				HTTPClient: &http.Client{Transport: bearer(s.Host("alice").Key())},
			}, told), speaks)
		})
	}
}

func TestGoSDKOverStdio(t *testing.T) {
	s, _ := open(t)
	for told, speaks := range eras() {
		t.Run(speaks, func(t *testing.T) {
			walk(t, connect(t, &mcp.CommandTransport{Command: gatewayCommand(t, s, "")}, told), speaks)
		})
	}
}

// gatewayCommand is a gateway over stdio, with the files of a stage.
func gatewayCommand(t *testing.T, s *stage.Stage, upstream string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], s.Path("upstreams.yaml"), upstream)
	cmd.Env = append(os.Environ(), stage.RoleVar+"="+gatewayRole)
	cmd.Stderr = os.Stderr
	return cmd
}
