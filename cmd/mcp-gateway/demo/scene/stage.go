package scene

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
	Reader    = "reader"    // may read, holds no create scope
	Responder = "responder" // may open P3 tickets
	Commander = "commander" // may open P1 tickets, and use the tracker
	Looper    = "looper"    // reads until its budget is used up
)

// Stage is the running gateway with all that stands around it.
type Stage struct {
	Dir      string
	Version  string
	URL      string
	Gateway  *run.Gateway
	Tracker  *tracker.Tracker
	upstream *http.Server
	callers  map[string]*caller
	passed   atomic.Int64             // nanoseconds since the story began
	Sent     int                      // requests of hosts in this case
	read     map[string]folder.Cursor // of the journals, by state directory
	done     chan error
	stop     context.CancelFunc
}

// Began is when every story begins.
func Began() time.Time { return time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC) }

// Now is the story's own time. It goes on with each Request.
func (s *Stage) Now() time.Time { return Began().Add(time.Duration(s.passed.Load())) }

// Wait lets time pass.
func (s *Stage) Wait(d time.Duration) { s.passed.Add(int64(d)) }

// Open sets the stage in a folder: files, servers, a gateway of a build that serves.
func Open(ctx context.Context, dir, version string) (*Stage, error) {
	s := &Stage{
		Dir: dir, Version: version, done: make(chan error, 1), Tracker: tracker.New(), read: map[string]folder.Cursor{"var": {}},
		callers: map[string]*caller{
			Reader:    {name: Reader, scopes: "[service:read]"},
			Responder: {name: Responder, scopes: "[service:read, incident:read, incident:create:p3]"},
			Commander: {name: Commander, scopes: "[service:read, incident:read, incident:create:p1, tracker:use]"},
			Looper:    {name: Looper, scopes: "[service:read]"},
		},
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.upstream = &http.Server{Handler: s.Tracker, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.upstream.Serve(listener) }() // ends with close
	if err := s.writeFiles("http://" + listener.Addr().String() + "/mcp"); err != nil {
		return nil, errors.Join(err, s.upstream.Close())
	}
	s.Gateway, err = run.Open(ctx, run.Options{
		ConfigPath: s.Path("upstreams.yaml"), Version: version, Log: zap.NewNop(), Helper: confine.Helper(), Clock: s.Now,
	})
	if err != nil {
		return nil, errors.Join(err, s.upstream.Close())
	}
	return s, s.serve(ctx)
}

// serve lets the gateway listen, and meets the upstreams.
func (s *Stage) serve(ctx context.Context) error {
	serving, stop := context.WithCancel(ctx)
	s.stop = stop
	ready := make(chan net.Addr, 1)
	go func() { s.done <- s.Gateway.Serve(serving, func(a net.Addr) { ready <- a }) }()
	select {
	case addr := <-ready:
		s.URL = "http://" + addr.String()
	case err := <-s.done:
		return errors.Join(err, s.Gateway.Close(ctx), s.upstream.Close())
	}
	for _, id := range []string{"incident", "tracker"} {
		if err := s.Gateway.Refresh(ctx, id); err != nil {
			return errors.Join(fmt.Errorf("the example server %s did not start: %w", id, err), s.Close(ctx))
		}
	}
	return nil
}

// Path names a file of the stage.
func (s *Stage) Path(name string) string { return filepath.Join(s.Dir, name) }

// writeFiles writes what a platform team would: the configuration, with fresh
// keys, and the review.
func (s *Stage) writeFiles(tracked string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var keys strings.Builder
	for _, name := range []string{Reader, Responder, Commander, Looper} {
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
`, self, ServerName, s.Path("server/executed.log"), s.Path("server/changed"))
	return errors.Join(
		os.Mkdir(s.Path("server"), 0o700),
		os.WriteFile(s.Path("upstreams.yaml"), []byte(head+example+"state: {dir: ./var}\n"), 0o600),
		os.WriteFile(s.Path(second), []byte(head+"state: {dir: ./second}\n"), 0o600),
		os.WriteFile(s.Path("exposure.yaml"), []byte(exposure+tracker.Exposure()+also), 0o600),
	)
}

// Executed counts the calls that the servers received.
func (s *Stage) Executed() (int, error) {
	text, err := os.ReadFile(s.Path("server/executed.log"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return strings.Count(string(text), "\n") + s.Tracker.Calls(), err
}

// Close ends the gateway and its servers.
func (s *Stage) Close(ctx context.Context) error {
	s.stop()
	return errors.Join(<-s.done, s.Gateway.Close(context.WithoutCancel(ctx)), s.upstream.Close())
}
