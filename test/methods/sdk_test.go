package methods

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// library is a stateless server of the go-sdk that asks before it lends, prompts,
// reads and completes.
func library(t testing.TB) stage.Upstream {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "ada"}}}, nil
		},
	})
	server.AddTool(&mcp.Tool{Name: "lend", InputSchema: map[string]any{"type": "object"}},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, ok := r.Params.InputResponses["reader"]
			if !ok {
				return &mcp.CallToolResult{RequestState: "page 1", InputRequests: mcp.InputRequestMap{"reader": &mcp.ElicitParams{
					Message: "Who reads?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}},
				}}}, nil
			}
			if r.Params.RequestState != "page 1" {
				return nil, errors.New("another state")
			}
			elicited, ok := answer.(*mcp.ElicitResult)
			if !ok {
				return nil, errors.New("another answer")
			}
			name, _ := elicited.Content["name"].(string)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "lent to " + name}}}, nil
		})
	server.AddPrompt(&mcp.Prompt{Name: "advise", Arguments: []*mcp.PromptArgument{{Name: "genre"}}},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Advise " + r.Params.Arguments["genre"]}}}}, nil
		})
	read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		if r.Params.URI == "book://none" {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "Once upon a time"}}}, nil
	}
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "book://{title}", Name: "book"}, read)
	return stage.Served(t, "library", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
}

func TestLibrary(t *testing.T) {
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{library(t)}})
	alice := s.Host("alice")
	for _, r := range []struct{ got, want string }{
		{send(t, alice, protocol.MethodPromptsGet, `"name":"library__advise","arguments":{"genre":"poems"}`).Get("/messages/0/content/text"), `"Advise poems"`},
		{send(t, alice, protocol.MethodResourceTemplatesList, "").Get("/resourceTemplates/0/uriTemplate"), `"book://{title}"`},
		{send(t, alice, protocol.MethodResourcesRead, `"uri":"book://emma"`).Get("/contents/0/text"), `"Once upon a time"`},
		{send(t, alice, protocol.MethodResourcesRead, `"uri":"book://none"`).Code(), "unknown_resource"},
		{send(t, alice, protocol.MethodComplete, `"ref":{"type":"ref/prompt","name":"library__advise"},"argument":{"name":"genre","value":"arm"}`).Get("/completion/values/0"), `"armada"`},
	} {
		if r.got != r.want {
			t.Errorf("got %s, want %s", r.got, r.want)
		}
	}
	if r := ask(t, alice, `{}`, protocol.MethodToolsCall, `"name":"library__lend"`); r.Code() != "missing_capability" {
		t.Errorf("undeclared: %s", r.Body)
	}
	asked := ask(t, alice, forms, protocol.MethodToolsCall, `"name":"library__lend"`)
	if asked.Get("/resultType") != `"input_required"` || asked.Get("/inputRequests/reader/params/message") != `"Who reads?"` {
		t.Fatalf("asked %s", asked.Body)
	}
	lent := ask(t, alice, forms, protocol.MethodToolsCall, `"name":"library__lend","inputResponses":{"reader":{"action":"accept","content":{"name":"Ada"}}},"requestState":`+asked.Get("/requestState"))
	if lent.Get("/content/0/text") != `"lent to Ada"` {
		t.Errorf("answered %s", lent.Body)
	}
}

// A client of the go-sdk, of either era, is asked and answers, without knowing of
// the gateway.
func TestClients(t *testing.T) {
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{library(t)}})
	for _, revision := range []string{protocol.Revision20260728, protocol.Revision20251125, protocol.Revision20250618} {
		t.Run(revision, func(t *testing.T) {
			asked := 0
			client := mcp.NewClient(&mcp.Implementation{Name: "reader", Version: "1"}, &mcp.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked++
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
				},
			})
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
				Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(s.Host("alice").Key())},
			}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = session.Close() }() // the gateway may have ended it
			if got := session.InitializeResult().ProtocolVersion; got != revision {
				t.Fatalf("speaks %s", got)
			}
			lent, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "library__lend"})
			if err != nil || asked != 1 || lent.Content[0].(*mcp.TextContent).Text != "lent to Ada" {
				t.Fatalf("%+v %v after %d questions", lent, err, asked)
			}
			if read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "book://emma"}); err != nil || read.Contents[0].Text != "Once upon a time" {
				t.Errorf("%+v %v", read, err)
			}
			if got, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "library__advise", Arguments: map[string]string{"genre": "poems"}}); err != nil || len(got.Messages) != 1 {
				t.Errorf("%+v %v", got, err)
			}
		})
	}
}

type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
