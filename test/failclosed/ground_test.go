package failclosed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/verify"
	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// ground is a gateway before a server with a tool that reads and one that
// writes, and another server that nothing happens to.
type ground struct {
	*stage.Stage
	alice *stage.Host
	peer  *stage.Peer
}

const (
	reading = "up__read"
	writing = "up__write"
	healthy = "other__good"
)

func open(t *testing.T, settings string) *ground {
	t.Helper()
	done := stage.Result(stage.Text(`"done"`))
	return openWith(t, settings, stage.NewPeer().Add(stage.Tool("read"), done).Add(stage.Tool("write"), done))
}

func openWith(t *testing.T, settings string, peer *stage.Peer) *ground {
	t.Helper()
	return openWithin(t, "10s", settings, peer)
}

// openWithin opens a gateway whose upstream has so long for an answer.
func openWithin(t *testing.T, timeout, settings string, peer *stage.Peer) *ground {
	t.Helper()
	other := stage.NewPeer().Add(stage.Tool("good"), stage.Result(stage.Text(`"done"`)))
	s := stage.Open(t, stage.Options{
		Settings:  settings,
		Upstreams: []stage.Upstream{stage.Served(t, "up", peer).With("timeout: " + timeout), stage.Served(t, "other", other)},
		Review: func(id gateway.ItemID) string {
			if id.Name == "write" {
				return stage.Write("use")
			}
			return stage.Read("use")
		},
	})
	peer.Calls()
	return &ground{Stage: s, alice: s.Host("alice"), peer: peer}
}

// denied holds that a call is refused and that nothing was sent.
func (g *ground) denied(t *testing.T, tool, arguments string, code gateway.Code, reasons ...gateway.Reason) {
	t.Helper()
	g.peer.Calls()
	r := g.alice.Call(t, tool, arguments)
	if r.Code() != string(code) {
		t.Errorf("%s: %q, want %q: %s", tool, r.Code(), code, r.Body)
	}
	for _, reason := range reasons {
		if !strings.Contains(string(r.Body), string(reason)) {
			t.Errorf("%s: the reason is not %s: %s", tool, reason, r.Body)
		}
	}
	if sent := g.peer.Calls(); len(sent) > 0 {
		t.Errorf("%s was sent: %+v", tool, sent)
	}
}

// turned holds that a call is refused, beside others.
func (g *ground) turned(t *testing.T, tool string, code gateway.Code) {
	r, err := g.alice.Calling(tool, `{}`).Do(t.Context())
	if err != nil || r.Code() != string(code) {
		t.Errorf("%s: %v, %+v, want %q", tool, err, r, code)
	}
}

// withheld holds that what a tool answered is not released.
func (g *ground) withheld(t *testing.T, tool string, code gateway.Code) {
	t.Helper()
	if r := g.alice.Call(t, tool, `{}`); r.Code() != string(code) {
		t.Errorf("%s: %q, want %q: %s", tool, r.Code(), code, r.Body)
	}
}

func (g *ground) served(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if r := g.alice.Call(t, tool, `{}`); r.Code() != "" || r.Result == nil || r.IsError() {
			t.Errorf("%s is not served: %s", tool, r.Body)
		}
	}
}

// breakFiles puts another file in the place of every descriptor that this process
// holds of files whose path contains a text, until mend is called or the test ends.
func (g *ground) breakFiles(t *testing.T, path string, with int) (mend func()) {
	t.Helper()
	type taken struct{ fd, kept int }
	var all []taken
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || !strings.HasPrefix(target, g.Dir) || !strings.Contains(target, path) || strings.HasSuffix(target, "/lock") {
			continue
		}
		var fd int
		_, _ = fmt.Sscan(e.Name(), &fd) // the kernel names them by number
		if slices.ContainsFunc(all, func(f taken) bool { return f.kept == fd }) {
			continue // the list of descriptors was one itself, whose number is taken again
		}
		kept, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err == nil {
			err = unix.Dup3(with, fd, unix.O_CLOEXEC)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, taken{fd, kept})
	}
	if len(all) == 0 {
		t.Fatalf("no file %q is open", path)
	}
	mended := false
	mend = func() {
		if mended {
			return
		}
		mended = true
		for _, f := range all {
			if err := unix.Dup3(f.kept, f.fd, unix.O_CLOEXEC); err != nil {
				t.Error(err)
			}
			_ = unix.Close(f.kept) // only the copy
		}
	}
	t.Cleanup(mend)
	return mend
}

// descriptor opens a file that breaks what is written to it.
func descriptor(t *testing.T, path string, flags int) int {
	t.Helper()
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

// full takes nothing: no space left on device.
func full(t *testing.T) int { return descriptor(t, "/dev/full", unix.O_RDWR) }

// broken takes nothing and gives nothing.
func broken(t *testing.T) int { return descriptor(t, t.TempDir(), unix.O_RDONLY) }

// stuck is a pipe that nobody reads and that is full: who writes waits until the
// returned function is called.
func stuck(t *testing.T) (fd int, release func()) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	for page := make([]byte, 1<<16); ; {
		if _, err := unix.Write(ends[1], page); err != nil {
			break
		}
	}
	if err := unix.SetNonblock(ends[1], false); err != nil {
		t.Fatal(err)
	}
	open := true
	release = func() {
		if open {
			open = false
			_ = unix.Close(ends[0]) // its other end gets EPIPE
		}
	}
	t.Cleanup(func() { release(); _ = unix.Close(ends[1]) })
	return ends[1], release
}

// site is the folder of a gateway that does not run.
type site struct {
	dir string
	key string
}

// build writes the files of a gateway without upstreams.
func build(t *testing.T, settings string) *site {
	t.Helper()
	key, sum := auth.NewKey()
	s := &site{t.TempDir(), key}
	s.write(t, "upstreams.yaml", fmt.Sprintf("version: 1\nlisten: {mcp: \"127.0.0.1:0\"}\nstate: {dir: ./var}\nexposure: ./exposure.yaml\nauth:\n"+
		"  api_keys:\n    - {id: alice, sha256: %q, subject: alice, scopes: [use]}\n%s", sum, settings))
	s.write(t, "exposure.yaml", "version: 1\n")
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *site) open(t *testing.T) (*run.Gateway, error) {
	return run.Open(t.Context(), run.Options{ConfigPath: s.path("upstreams.yaml"), Version: stage.Version})
}

// refused holds that the gateway does not start, and says so of what.
func (s *site) refused(t *testing.T, of string) {
	t.Helper()
	g, err := s.open(t)
	if err == nil {
		_ = g.Close(context.Background())
		t.Fatal("it started")
	}
	if !strings.Contains(err.Error(), of) {
		t.Errorf("it does not say what is wrong: %v, want %q", err, of)
	}
}

// lived lets a gateway start and stop, and holds that its journal verifies.
func (s *site) lived(t *testing.T, while func(*run.Gateway)) {
	t.Helper()
	g, err := s.open(t)
	if err != nil {
		t.Fatal(err)
	}
	if while != nil {
		while(g)
	}
	if err := g.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if report, err := verify.Journal(s.path("var/"+run.JournalDir), verify.Against{}); err != nil || !report.OK() {
		t.Errorf("the journal does not verify: %v %+v", err, report.Problems)
	}
}

// rows counts what the index holds.
func rows(t *testing.T, g *run.Gateway) int {
	t.Helper()
	found, err := g.Index().Query(t.Context(), audit.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// at opens a second gateway on the same files, whose clock is a function's.
func (g *ground) at(t *testing.T, clock func() time.Time) *stage.Host {
	t.Helper()
	second, err := run.Open(t.Context(), run.Options{ConfigPath: g.Path("upstreams.yaml"), Version: stage.Version, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	front := serve(t, second)
	t.Cleanup(func() {
		if err := second.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	host := stage.NewHost(front, g.alice.Key())
	stage.Await(t, "the second gateway serves", func() bool {
		reply, err := host.Ask(protocol.MethodToolsList, "").Do(t.Context())
		return err == nil && reply.Result != nil && len(reply.Tools(t)) == 3
	})
	return host
}
