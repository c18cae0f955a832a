package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/confine"
)

// exposure is the review of the example: the same file as the example's own.
//
//go:embed exposure.yaml
var exposure string

// caller is somebody with an API key.
type caller struct {
	name   string
	scopes string // as YAML
	key    string
}

// stage is the running gateway with all that stands around it.
type stage struct {
	dir     string
	url     string
	gateway *run.Gateway
	callers map[string]*caller
	done    chan error
	stop    context.CancelFunc
}

// The callers of the story.
const (
	reader    = "reader"    // may read, holds no create scope
	responder = "responder" // may open P3 tickets
	commander = "commander" // may open P1 tickets
)

func open(ctx context.Context, dir, version string) (*stage, error) {
	s := &stage{dir: dir, done: make(chan error, 1), callers: map[string]*caller{
		reader:    {name: reader, scopes: "[service:read]"},
		responder: {name: responder, scopes: "[service:read, incident:read, incident:create:p3]"},
		commander: {name: commander, scopes: "[service:read, incident:read, incident:create:p1]"},
	}}
	if err := s.writeFiles(); err != nil {
		return nil, err
	}
	var err error
	s.gateway, err = run.Open(ctx, run.Options{ConfigPath: s.path("upstreams.yaml"), Version: version, Log: zap.NewNop(), Helper: confine.Helper()})
	if err != nil {
		return nil, err
	}
	serving, stop := context.WithCancel(ctx)
	s.stop = stop
	ready := make(chan net.Addr, 1)
	go func() { s.done <- s.gateway.Serve(serving, func(a net.Addr) { ready <- a }) }()
	select {
	case addr := <-ready:
		s.url = "http://" + addr.String() + "/mcp"
	case err := <-s.done:
		return nil, errors.Join(err, s.gateway.Close(ctx))
	}
	if err := s.gateway.Refresh(ctx, "incident"); err != nil {
		return nil, errors.Join(fmt.Errorf("the example server did not start: %w", err), s.close(ctx))
	}
	return s, nil
}

func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }

// writeFiles writes what a platform team would: the configuration, with fresh
// keys, and the review.
func (s *stage) writeFiles() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var keys strings.Builder
	for _, name := range []string{reader, responder, commander} {
		c := s.callers[name]
		var sum string
		c.key, sum = auth.NewKey()
		fmt.Fprintf(&keys, "    - {id: %s, sha256: %q, subject: %s, tenant: platform, scopes: %s}\n", name, sum, name, c.scopes)
	}
	text := fmt.Sprintf(`version: 1
listen: {mcp: "127.0.0.1:0"}
state: {dir: ./var}
exposure: ./exposure.yaml
auth:
  api_keys:
%supstreams:
  incident:
    stdio:
      command: [%q, %s, --record, %q, --variant-file, %q]
      pass_env: [PATH]
      env: {TZ: UTC}
`, keys.String(), self, serverName, s.path("server/executed.log"), s.path("server/changed"))
	return errors.Join(
		os.Mkdir(s.path("server"), 0o700),
		os.WriteFile(s.path("upstreams.yaml"), []byte(text), 0o600),
		os.WriteFile(s.path("exposure.yaml"), []byte(exposure), 0o600),
	)
}

// executed counts what the example server says that it executed.
func (s *stage) executed() (int, error) {
	text, err := os.ReadFile(s.path("server/executed.log"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	return strings.Count(string(text), "\n"), err
}

func (s *stage) close(ctx context.Context) error {
	s.stop()
	return errors.Join(<-s.done, s.gateway.Close(context.WithoutCancel(ctx)))
}
