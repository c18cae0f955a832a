package stage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"mcp-gateway/audit/journal/verify"
	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
)

// Version is that of the build on a stage.
const Version = "0.0.0-stage"

// Principal is somebody with an API key.
type Principal struct {
	Name   string
	Scopes []string
}

// Options say what stands on a stage.
type Options struct {
	// Principals may call; none means one "alice" who holds the scope "use".
	Principals []Principal
	// Staff run the gateway; none means that there is no listener for them.
	Staff     []Staff
	Console   string // further keys of console, such as "idle: 1m"; "-" for a console with none
	Upstreams []Upstream
	Settings  string // further text of upstreams.yaml, such as "limits: {body: 64KiB}\n"
	Auth      string // further keys of auth, such as "stdio: {subject: local, scopes: [use]}"
	Listen    string // further keys of listen, such as `hosts: [gw.example]`
	// Before is called when all is reviewed and nothing is served yet; nil is fine.
	Before func(*Stage)
	// Review writes the record of a tool in exposure.yaml without its
	// definition, "" for none; nil means Read("use") for every tool.
	Review func(gateway.ItemID) string
	// Others is Review for prompts, resources and templates; nil means
	// Reviewed("use") for each.
	Others func(gateway.ItemID) string
	// OnStatus is told where health and status are served; nil for nobody.
	OnStatus func(net.Addr)
	// Helper confines children, for packages whose TestMain is Main; none does not.
	Helper []string
}

// Stage is a running gateway with all that stands around it.
type Stage struct {
	Gateway *run.Gateway
	URL     string // of the gateway, without a path
	Admin   string // of the operators' API and the console, without a path; "" without staff
	Dir     string // holds upstreams.yaml, exposure.yaml and var/

	options Options
	keys    map[string]string // by principal
	log     *log
	seen    uint64 // the last event that Events returned
	stop    context.CancelFunc
}

// Open writes the files, meets the upstreams, reviews what they list, and
// serves until the test ends.
func Open(t testing.TB, o Options) *Stage {
	t.Helper()
	if o.Principals == nil {
		o.Principals = []Principal{{"alice", []string{"use"}}}
	}
	if o.Review == nil {
		o.Review = func(gateway.ItemID) string { return Read("use") }
	}
	if o.Others == nil {
		o.Others = func(gateway.ItemID) string { return Reviewed("use") }
	}
	s := &Stage{Dir: t.TempDir(), options: o, keys: map[string]string{}, log: &log{}}
	if len(o.Staff) > 0 {
		s.Admin = "http://" + freeAddress(t)
	}
	s.Write(t, "upstreams.yaml", s.configuration())
	s.Write(t, "exposure.yaml", "version: 1\ntools: {}\n")
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), s.log, zapcore.DebugLevel)
	var err error
	s.Gateway, err = run.Open(t.Context(), run.Options{
		ConfigPath: s.Path("upstreams.yaml"), Version: Version, Log: zap.New(core), Helper: o.Helper, OnStatus: o.OnStatus,
	})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	for _, u := range o.Upstreams {
		if u.unmet {
			continue
		}
		if err := s.Gateway.Refresh(t.Context(), u.ID); err != nil {
			t.Fatalf("upstream %s: %v\n%s", u.ID, err, s.Log())
		}
	}
	s.Review(t)
	if o.Before != nil {
		o.Before(s)
	}
	s.serve(t)
	s.Events(t) // what opening put on record is not the test's affair
	return s
}

// serve listens until the test ends, closes the gateway, and holds that its
// journal verifies.
func (s *Stage) serve(t testing.TB) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	s.stop = stop
	ready, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() { done <- s.Gateway.Serve(ctx, func(a net.Addr) { ready <- a }) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-done, s.Gateway.Close(context.Background())); err != nil {
			t.Errorf("close: %v", err)
		}
		if report, err := verify.Journal(s.Path("var/"+run.JournalDir), verify.Against{}); err != nil || !report.OK() {
			t.Errorf("the journal does not verify: %v %+v", err, report.Problems)
		}
	})
	select {
	case addr := <-ready:
		s.URL = "http://" + addr.String()
	case err := <-done:
		done <- err
		t.Fatalf("serve: %v", err)
	}
}

// Stop lets the gateway end as a signal does: calls under way finish.
func (s *Stage) Stop() { s.stop() }

// Path names a file of the stage.
func (s *Stage) Path(name string) string { return filepath.Join(s.Dir, name) }

// Write replaces a file of the stage, the way editors do: whole.
func (s *Stage) Write(t testing.TB, name, text string) {
	t.Helper()
	next := s.Path(name) + ".next"
	if err := errors.Join(os.WriteFile(next, []byte(text), 0o600), os.Rename(next, s.Path(name))); err != nil {
		t.Fatal(err)
	}
}

// configuration is the text of upstreams.yaml, with fresh keys.
func (s *Stage) configuration() string {
	var b strings.Builder
	b.WriteString("version: 1\nlisten: {mcp: \"127.0.0.1:0\"")
	if s.options.Listen != "" {
		b.WriteString(", " + s.options.Listen)
	}
	b.WriteString("}\nstate: {dir: ./var}\nexposure: ./exposure.yaml\nauth:\n")
	if s.options.Auth != "" {
		b.WriteString("  " + s.options.Auth + "\n")
	}
	b.WriteString("  api_keys:\n")
	for _, p := range s.options.Principals {
		key, sum := auth.NewKey()
		s.keys[p.Name] = key
		fmt.Fprintf(&b, "    - {id: %s, sha256: %q, subject: %s, tenant: test, scopes: [%s]}\n",
			p.Name, sum, p.Name, strings.Join(p.Scopes, ", "))
	}
	if !strings.Contains(s.options.Settings, "policy:") {
		b.WriteString("policy: {timeout: 10s}\n") // a busy machine is no reason to deny
	}
	s.staff(&b)
	b.WriteString(s.options.Settings + "upstreams:\n")
	for _, u := range s.options.Upstreams {
		fmt.Fprintf(&b, "  %s:\n    %s\n", u.ID, strings.ReplaceAll(strings.TrimSpace(u.settings), "\n", "\n    "))
	}
	return b.String()
}
