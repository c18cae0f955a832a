package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"mcp-gateway/audit/index"
	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/protocol"
)

// serveGateway sets up a gateway in dir as an operator would, before an upstream
// role: two HTTP upstreams, every tool reviewed, callers with an API key, and
// the default policy.
func serveGateway(ctx context.Context, dir, upstream string) error {
	key, sum := auth.NewKey()
	exposure, err := review(ctx, upstream)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "upstreams.yaml")
	err = errors.Join(
		os.MkdirAll(dir, 0o700),
		os.WriteFile(path, []byte(configuration(sum, upstream)), 0o600),
		os.WriteFile(filepath.Join(dir, "exposure.yaml"), []byte(exposure), 0o600),
	)
	if err != nil {
		return err
	}
	g, err := run.Open(ctx, run.Options{ConfigPath: path, Version: "bench"})
	if err != nil {
		return err
	}
	if err := errors.Join(g.Refresh(ctx, echoServer), g.Refresh(ctx, catalogServer)); err != nil {
		return errors.Join(err, g.Close(context.WithoutCancel(ctx)))
	}
	greeted := make(chan error, 1)
	err = g.Serve(ctx, func(a net.Addr) { greeted <- greet(a, hello{Key: key}) })
	select {
	case failed := <-greeted:
		err = errors.Join(err, failed)
	default: // it never listened, and err says why
	}
	return errors.Join(err, g.Close(context.WithoutCancel(ctx)))
}

// serveIndex builds the index of the gateway in dir, as any process may that
// shares its state: one that is elected does, and the others only look. So the
// cost of a call and that of indexing its events are told apart.
func serveIndex(ctx context.Context, dir string) error {
	state := filepath.Join(dir, "var")
	if err := os.MkdirAll(state, 0o700); err != nil {
		return err
	}
	x, err := index.Open(filepath.Join(state, "index.db"), filepath.Join(state, run.JournalDir))
	if err != nil {
		return err
	}
	running := make(chan error, 1)
	go func() { running <- x.Run(ctx) }()
	err = serveHTTP(ctx, http.NotFoundHandler(), hello{})
	return errors.Join(err, <-running, x.Close())
}

func configuration(keySum, upstream string) string {
	return fmt.Sprintf(`version: 1
listen: {mcp: "127.0.0.1:0"}
state: {dir: ./var}
exposure: ./exposure.yaml
policy: {timeout: 1s}    # on a crowded machine a process may wait longer than the usual 50ms for its turn
auth:
  api_keys:
    - {id: bench, sha256: %q, subject: bench, tenant: platform, scopes: [bench:read, service:read, incident:read]}
upstreams:
  %s: {http: {url: "http://%s/%[2]s"}}
  %[4]s: {http: {url: "http://%[3]s/%[4]s"}}
`, keySum, echoServer, upstream, catalogServer)
}

// review approves every tool that the upstream lists, as it lists it.
func review(ctx context.Context, upstream string) (string, error) {
	var out strings.Builder
	out.WriteString("version: 1\ntools:\n")
	for _, server := range []string{echoServer, catalogServer} {
		tools, err := listed(ctx, upstream, server)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "  %s:\n", server)
		for raw := range protocol.Elements(tools) {
			name, _ := protocol.Member(raw, "name")
			fmt.Fprintf(&out, `    %s:
      definition: %q
      side_effect: read
      reversible: yes
      outbound: no
      open_world: no
      reads_private: no
      untrusted_content: no
      idempotent: yes
      scopes: ["bench:read"]
      owner: bench
      why: it is measured
      approved_by: bench
      approved_at: 2026-09-01
`, name, protocol.DigestOf(raw))
		}
	}
	return out.String(), nil
}

// listed asks one server of the upstream for its tools.
func listed(ctx context.Context, upstream, server string) (tools []byte, err error) {
	body := listBody()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+upstream+"/"+server, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = requestHeader(protocol.MethodToolsList, "", "")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	m, err := protocol.ParseMessage(raw, protocol.DefaultLimits())
	if err != nil {
		return nil, err
	}
	tools, ok := protocol.Member(m.Result, "tools")
	if !ok {
		return nil, fmt.Errorf("%s answered the list with %.200s", server, raw)
	}
	return tools, nil
}
