package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.uber.org/zap"

	"mcp-gateway/cmd/mcp-gateway/run"
)

// allowAll is the policy under which the suite runs.
//
//go:embed policy/allow.rego
var allowAll string

// Stand is a running gateway that serves everything that its upstreams list,
// to anyone on this machine.
type Stand struct {
	URL     string // of its endpoint for all upstreams
	gateway *run.Gateway
	done    chan error
	stop    context.CancelFunc
}

// openStand writes a configuration into dir and serves it. Upstreams are URLs by id;
// credential is that of all, as YAML, "" for none.
func openStand(ctx context.Context, dir string, upstreams map[string]string, credential string) (*Stand, error) {
	if err := writeStand(dir, upstreams, credential); err != nil {
		return nil, err
	}
	settings := zap.NewDevelopmentConfig()
	settings.OutputPaths = []string{filepath.Join(dir, "gateway.log")}
	log, err := settings.Build()
	if err != nil {
		return nil, err
	}
	s := &Stand{done: make(chan error, 1)}
	s.gateway, err = run.Open(ctx, run.Options{ConfigPath: filepath.Join(dir, "upstreams.yaml"), Version: "conformance", Log: log})
	if err != nil {
		return nil, err
	}
	serving, stop := context.WithCancel(ctx)
	s.stop = stop
	ready := make(chan net.Addr, 1)
	go func() { s.done <- s.gateway.Serve(serving, func(a net.Addr) { ready <- a }) }()
	select {
	case addr := <-ready:
		s.URL = "http://" + addr.String() + "/mcp"
	case err := <-s.done:
		stop()
		return nil, errors.Join(err, s.gateway.Close(ctx))
	}
	for _, id := range slices.Sorted(maps.Keys(upstreams)) {
		if err := s.gateway.Refresh(ctx, id); err != nil { // its scenarios will fail; the others need not
			fmt.Fprintf(os.Stderr, "upstream %s is not served: %v\n", id, err)
		}
	}
	return s, nil
}

// Close lets calls under way finish.
func (s *Stand) Close(ctx context.Context) error {
	s.stop()
	return errors.Join(<-s.done, s.gateway.Close(context.WithoutCancel(ctx)))
}

func writeStand(dir string, upstreams map[string]string, credential string) error {
	if credential != "" {
		credential = ", credential: " + credential
	}
	var b strings.Builder
	b.WriteString(`version: 1
listen: {mcp: "127.0.0.1:0"}
state: {dir: ./var}
exposure: ./exposure.yaml
auth: {unsafe_loopback_anonymous: {scopes: []}}
policy: {dir: ./policy, timeout: 1s}
audit: {durability: {read: process, write: process, destructive: process}}
upstreams:
`)
	for _, id := range slices.Sorted(maps.Keys(upstreams)) {
		fmt.Fprintf(&b, "  %s:\n    http: {url: %q%s}\n    relay: [elicitation, sampling, roots]\n    unsafe_trust_definitions: true\n", id, upstreams[id], credential)
	}
	return errors.Join(
		os.RemoveAll(dir),
		os.MkdirAll(filepath.Join(dir, "policy"), 0o755),
		os.WriteFile(filepath.Join(dir, "policy", "allow.rego"), []byte(allowAll), 0o644),
		os.WriteFile(filepath.Join(dir, "exposure.yaml"), []byte("version: 1\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "upstreams.yaml"), []byte(b.String()), 0o644),
	)
}
