package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The two servers of the upstream role.
const (
	echoServer    = "echo"
	catalogServer = "catalog"
	catalogSize   = 300
	noteTool      = "note" // of the echo server: it has side effects
)

// said and heard are the typed tool's arguments and result, from which the SDK
// makes both schemas.
type said struct {
	Text string `json:"text" jsonschema:"what is to be said back"`
}

type heard struct {
	Echo   string `json:"echo" jsonschema:"what was said"`
	Length int    `json:"length" jsonschema:"its length in bytes"`
}

// serveUpstream serves /echo and /catalog/N, of N tools, as the SDK does,
// statelessly and with JSON answers, which is its cheapest way; and an issuer.
func serveUpstream(ctx context.Context) error {
	tokens, err := newIssuer()
	if err != nil {
		return err
	}
	key, err := tokens.told()
	if err != nil {
		return err
	}
	options := &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}
	serve := func(s *mcp.Server) http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, options)
	}
	var catalogs sync.Map // by size
	mux := http.NewServeMux()
	mux.Handle("/", tokens)
	mux.Handle("/"+echoServer, serve(newEcho()))
	mux.HandleFunc("/"+catalogServer+"/{size}", func(w http.ResponseWriter, r *http.Request) {
		size, err := strconv.Atoi(r.PathValue("size"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		made, ok := catalogs.Load(size)
		if !ok {
			made, _ = catalogs.LoadOrStore(size, serve(newCatalog(size)))
		}
		made.(http.Handler).ServeHTTP(w, r)
	})
	return serveHTTP(ctx, mux, hello{Key: key})
}

func newEcho() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: echoServer, Version: "1"}, nil)
	tool := &mcp.Tool{Name: "echo", Description: "Says back what it was told."}
	mcp.AddTool(s, tool, func(_ context.Context, _ *mcp.CallToolRequest, in said) (*mcp.CallToolResult, heard, error) {
		return nil, heard{Echo: in.Text, Length: len(in.Text)}, nil
	})
	note := &mcp.Tool{Name: noteTool, Description: "Keeps what it was told."}
	mcp.AddTool(s, note, func(_ context.Context, _ *mcp.CallToolRequest, in said) (*mcp.CallToolResult, heard, error) {
		return nil, heard{Echo: in.Text, Length: len(in.Text)}, nil
	})
	fill := &mcp.Tool{Name: "fill", Description: "Gives a text of some size."}
	mcp.AddTool(s, fill, func(_ context.Context, _ *mcp.CallToolRequest, in filled) (*mcp.CallToolResult, any, error) {
		text := strings.Repeat(saying+" ", in.Bytes/(len(saying)+1))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	return s
}

// filled is how much text is wanted.
type filled struct {
	Bytes int `json:"bytes" jsonschema:"size of the text, about"`
}

// search and records are a catalog tool's arguments and result.
type search struct {
	Query string `json:"query" jsonschema:"words that a record must contain"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many records to return"`
	Since string `json:"since,omitempty" jsonschema:"only records after this day, YYYY-MM-DD"`
}

type records struct {
	IDs []string `json:"ids" jsonschema:"of the records, newest first"`
}

// newCatalog returns a server with n typed tools of about 600 bytes each.
func newCatalog(n int) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: catalogServer, Version: "1"}, nil)
	for i := range n {
		tool := &mcp.Tool{
			Name:        catalogTool(i),
			Description: fmt.Sprintf("Searches the records of section %d and returns those that match, newest first.", i),
		}
		mcp.AddTool(s, tool, func(context.Context, *mcp.CallToolRequest, search) (*mcp.CallToolResult, records, error) {
			return nil, records{IDs: []string{}}, nil
		})
	}
	return s
}

func catalogTool(i int) string { return fmt.Sprintf("search_section_%03d", i) }

// bareHandler is the measure: the standard library's reverse proxy with a
// buffer pool and connections kept, and no thought of its own.
func bareHandler(upstream string) http.Handler {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256
	target := &url.URL{Scheme: "http", Host: upstream}
	proxy := &httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:  transport,
		BufferPool: &buffers{sync.Pool{New: func() any { return new([bufferSize]byte) }}},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Else the server closes the request's body once the answer begins, and
		// now and then the transport has not yet seen its end and gives up.
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/1 always can
		proxy.ServeHTTP(w, r)
	})
}

const bufferSize = 32 << 10

// buffers is a httputil.BufferPool.
type buffers struct{ pool sync.Pool }

// Get returns a buffer that may be used.
func (b *buffers) Get() []byte { return b.pool.Get().(*[bufferSize]byte)[:] }

// Put takes one back.
func (b *buffers) Put(p []byte) { b.pool.Put((*[bufferSize]byte)(p)) }
