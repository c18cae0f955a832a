package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"mcp-gateway/protocol"
)

// reference is the SDK's own test server and client: programs of its module,
// built at the versions that ours names.
const reference = "github.com/modelcontextprotocol/go-sdk/conformance/"

const (
	serverProgram = "everything-server"
	clientProgram = "everything-client"
)

func buildReference(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator), reference+serverProgram, reference+clientProgram)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// Fixture is the reference server in both its kinds.
type Fixture struct {
	Both   string // URL that serves every revision, each request by the kind for its era
	Legacy string // URL that serves the revisions with sessions only
	closes []func()
}

// startFixture starts both kinds and puts them behind one URL, since neither
// serves every revision whole.
func startFixture(ctx context.Context, program, out string) (*Fixture, error) {
	f := &Fixture{}
	modern, err := f.start(ctx, program, filepath.Join(out, "modern-server.log"), "-stateless=true")
	if err != nil {
		f.Close()
		return nil, err
	}
	legacy, err := f.start(ctx, program, filepath.Join(out, "legacy-server.log"), "-stateless=false")
	if err != nil {
		f.Close()
		return nil, err
	}
	both := httptest.NewServer(byEra(passTo(modern), passTo(legacy)))
	f.closes = append(f.closes, both.CloseClientConnections, both.Close)
	f.Both, f.Legacy = both.URL+"/mcp", legacy.String()+"/mcp"
	return f, nil
}

// Close ends the processes.
func (f *Fixture) Close() {
	for _, end := range f.closes {
		end()
	}
}

// start runs one server on a free port and waits until it listens.
func (f *Fixture) start(ctx context.Context, program, log string, args ...string) (*url.URL, error) {
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	said, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer said.Close()
	ctx, kill := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, program, append([]string{"-http", addr}, args...)...)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		kill()
		return nil, err
	}
	f.closes = append(f.closes, func() {
		kill()
		_ = cmd.Wait() // it was killed
	})
	return &url.URL{Scheme: "http", Host: addr}, waitFor(ctx, addr)
}

// freeAddress is one where nobody listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func waitFor(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("nobody listens on %s: %w", addr, err)
		case <-tick.C:
		}
	}
}

// byEra sends a request to the server of its era: a session or a method other
// than POST is legacy; the headers or the body of a modern one say so.
func byEra(modern, legacy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var said struct {
			Params struct {
				Meta map[string]json.RawMessage `json:"_meta"`
			}
		}
		_ = json.Unmarshal(body, &said) // what is no request is for the server to refuse
		switch h := r.Header; {
		case r.Method != http.MethodPost || h.Get("Mcp-Session-Id") != "":
			legacy.ServeHTTP(w, r)
		case protocol.IsModern(h.Get(protocol.HeaderVersion)), h.Get(protocol.HeaderMethod) != "", said.Params.Meta[protocol.MetaVersion] != nil:
			modern.ServeHTTP(w, r)
		default:
			legacy.ServeHTTP(w, r)
		}
	})
}

// passTo passes everything on as it is, Host included.
func passTo(target *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
	}
}
