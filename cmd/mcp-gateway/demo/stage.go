package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/demo/tracker"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/confine"
)

// exposure is the review of the example's tools: the same file as the example's own.
//
//go:embed exposure.yaml
var exposure string

// also is the review of the example's runbook and prompt.
const also = `prompts:
  incident:
    triage_incident: {definition: "sha256-jcs1:2f278b2b4bcdc4767c5131ce5865de6b43038351e4fd8b4bd54d9c593ed6c183", scopes: ["service:read"], owner: payments-oncall, why: a safe way to start, approved_by: security-review, approved_at: 2026-09-01}
resources:
  incident:
    "runbook://payments/current": {definition: "sha256-jcs1:4ecc283e18e2f0af40065fe67d7ec3c54eccaa092b746108b4c562a6d2d431a3", scopes: ["service:read"], untrusted_content: no, owner: payments-oncall, why: P1 criteria, approved_by: security-review, approved_at: 2026-09-01}
`

// second is the configuration of the gateway that is killed and started anew: the
// same but for its state directory, and without the example.
const second = "second.yaml"

// caller is somebody with an API key.
type caller struct {
	name   string
	scopes string // as YAML
	key    string
}

// The callers of the story.
const (
	reader    = "reader"    // may read, holds no create scope
	responder = "responder" // may open P3 tickets
	commander = "commander" // may open P1 tickets, and use the tracker
	looper    = "looper"    // reads until its budget is used up
)

// stage is the running gateway with all that stands around it.
type stage struct {
	dir      string
	version  string
	url      string
	gateway  *run.Gateway
	tracker  *tracker.Tracker
	upstream *http.Server
	callers  map[string]*caller
	passed   atomic.Int64             // nanoseconds since the story began
	sent     int                      // requests of hosts in this case
	read     map[string]folder.Cursor // of the journals, by state directory
	done     chan error
	stop     context.CancelFunc
}

// began is when every story begins.
func began() time.Time { return time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC) }

// now is the story's own time. It goes on with each request.
func (s *stage) now() time.Time { return began().Add(time.Duration(s.passed.Load())) }

// wait lets time pass.
func (s *stage) wait(d time.Duration) { s.passed.Add(int64(d)) }

func open(ctx context.Context, dir, version string) (*stage, error) {
	s := &stage{
		dir: dir, version: version, done: make(chan error, 1), tracker: tracker.New(), read: map[string]folder.Cursor{"var": {}},
		callers: map[string]*caller{
			reader:    {name: reader, scopes: "[service:read]"},
			responder: {name: responder, scopes: "[service:read, incident:read, incident:create:p3]"},
			commander: {name: commander, scopes: "[service:read, incident:read, incident:create:p1, tracker:use]"},
			looper:    {name: looper, scopes: "[service:read]"},
		},
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.upstream = &http.Server{Handler: s.tracker, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.upstream.Serve(listener) }() // ends with close
	if err := s.writeFiles("http://" + listener.Addr().String() + "/mcp"); err != nil {
		return nil, errors.Join(err, s.upstream.Close())
	}
	s.gateway, err = run.Open(ctx, run.Options{
		ConfigPath: s.path("upstreams.yaml"), Version: version, Log: zap.NewNop(), Helper: confine.Helper(), Clock: s.now,
	})
	if err != nil {
		return nil, errors.Join(err, s.upstream.Close())
	}
	return s, s.serve(ctx)
}

// serve lets the gateway listen, and meets the upstreams.
func (s *stage) serve(ctx context.Context) error {
	serving, stop := context.WithCancel(ctx)
	s.stop = stop
	ready := make(chan net.Addr, 1)
	go func() { s.done <- s.gateway.Serve(serving, func(a net.Addr) { ready <- a }) }()
	select {
	case addr := <-ready:
		s.url = "http://" + addr.String()
	case err := <-s.done:
		return errors.Join(err, s.gateway.Close(ctx), s.upstream.Close())
	}
	for _, id := range []string{"incident", "tracker"} {
		if err := s.gateway.Refresh(ctx, id); err != nil {
			return errors.Join(fmt.Errorf("the example server %s did not start: %w", id, err), s.close(ctx))
		}
	}
	return nil
}

func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }

// writeFiles writes what a platform team would: the configuration, with fresh
// keys, and the review.
func (s *stage) writeFiles(tracked string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var keys strings.Builder
	for _, name := range []string{reader, responder, commander, looper} {
		c := s.callers[name]
		var sum string
		c.key, sum = auth.NewKey()
		fmt.Fprintf(&keys, "    - {id: %s, sha256: %q, subject: %s, tenant: platform, scopes: %s}\n", name, sum, name, c.scopes)
	}
	head := fmt.Sprintf(`version: 1
listen: {mcp: "127.0.0.1:0"}
exposure: ./exposure.yaml
auth:
  api_keys:
%spolicy: {timeout: 10s}
limits: {rates: {tool: 12/h}}
audit: {durability: {read: process, write: process, destructive: process}}   # a story need not survive the machine
upstreams:
  tracker:
    http: {url: %q}
`, keys.String(), tracked)
	example := fmt.Sprintf(`  incident:
    stdio:
      command: [%q, %s, --record, %q, --variant-file, %q]
      pass_env: [PATH]
      env: {TZ: UTC}
`, self, serverName, s.path("server/executed.log"), s.path("server/changed"))
	return errors.Join(
		os.Mkdir(s.path("server"), 0o700),
		os.WriteFile(s.path("upstreams.yaml"), []byte(head+example+"state: {dir: ./var}\n"), 0o600),
		os.WriteFile(s.path(second), []byte(head+"state: {dir: ./second}\n"), 0o600),
		os.WriteFile(s.path("exposure.yaml"), []byte(exposure+tracker.Exposure()+also), 0o600),
	)
}

// executed counts the calls that the servers received.
func (s *stage) executed() (int, error) {
	text, err := os.ReadFile(s.path("server/executed.log"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return strings.Count(string(text), "\n") + s.tracker.Calls(), err
}

func (s *stage) close(ctx context.Context) error {
	s.stop()
	return errors.Join(<-s.done, s.gateway.Close(context.WithoutCancel(ctx)), s.upstream.Close())
}
