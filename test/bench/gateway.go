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
// role: HTTP upstreams, every tool reviewed, callers with an API key, and the
// default policy. Its start begins when all files are written.
func serveGateway(ctx context.Context, dir, upstream string, s shape) error {
	begun := used().CPU
	key, sum := auth.NewKey()
	exposure, err := review(ctx, upstream, s)
	if err != nil {
		return err
	}
	if s.Fresh {
		err = writePolicy(filepath.Join(dir, "policy"))
	}
	path := filepath.Join(dir, "upstreams.yaml")
	err = errors.Join(err,
		os.MkdirAll(dir, 0o700),
		os.WriteFile(path, []byte(s.configuration(sum, upstream)), 0o600),
		os.WriteFile(filepath.Join(dir, "exposure.yaml"), []byte(exposure), 0o600),
	)
	if err != nil {
		return err
	}
	writing := used().CPU - begun
	g, err := run.Open(ctx, run.Options{ConfigPath: path, Version: "bench"})
	if err != nil {
		return err
	}
	ids, _ := s.servers()
	for _, id := range ids {
		if err := g.Refresh(ctx, id); err != nil {
			return errors.Join(err, g.Close(context.WithoutCancel(ctx)))
		}
	}
	greeted := make(chan error, 1)
	err = g.Serve(ctx, func(a net.Addr) { greeted <- greet(a, hello{Key: key, Start: used().CPU - writing}) })
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

// review approves every tool that the upstream lists, as it lists it.
func review(ctx context.Context, upstream string, s shape) (string, error) {
	var out strings.Builder
	out.WriteString("version: 1\ntools:\n")
	ids, path := s.servers()
	for _, server := range ids {
		tools, err := listed(ctx, "http://"+upstream+path[server])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "  %s:\n", server)
		for raw := range protocol.Elements(tools) {
			name, _ := protocol.Member(raw, "name")
			effect := "read"
			if text, _ := protocol.Text(name); text == noteTool {
				effect = "write\n      waive: {external_id: it keeps nothing}"
			}
			fmt.Fprintf(&out, `    %s:
      definition: %q
      side_effect: %s
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
`, name, protocol.DigestOf(raw), effect)
		}
	}
	return out.String(), nil
}

// listed asks one server of the upstream for its tools.
func listed(ctx context.Context, url string) (tools []byte, err error) {
	body := listBody()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
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
		return nil, fmt.Errorf("%s answered the list with %.200s", url, raw)
	}
	return tools, nil
}
