package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// desks is how many upstreams over stdio there are. When one dies it is started
// again later each time, so that several keep some alive.
const desks = 4

// subject is the gateway under treatment, a process of its own.
type subject struct {
	host  *stage.Host
	cmd   *exec.Cmd
	probe string // URL
	peer  *httptest.Server
	path  string // of its configuration
	text  string // of its configuration, as it was at first
}

// start reviews what the upstreams list and starts a gateway before them.
func start(t *testing.T) *subject {
	t.Helper()
	g := &subject{path: filepath.Join(t.TempDir(), "upstreams.yaml")}
	key := g.prepare(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g.cmd = exec.Command(self, g.path)
	g.cmd.Env = append(os.Environ(), stage.RoleVar+"=gateway")
	g.cmd.Stderr = os.Stderr
	stdout, err := g.cmd.StdoutPipe()
	if err == nil {
		err = g.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(g.cmd.Process.Signal(unix.SIGTERM), g.cmd.Wait()); err != nil {
			t.Errorf("the gateway: %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	gateway, probe, _ := strings.Cut(strings.TrimSpace(line), " ")
	g.host, g.probe = stage.NewHost("http://"+gateway, key), "http://"+probe
	g.await(t)
	return g
}

// prepare writes the files of the gateway, and returns the key of its host.
func (g *subject) prepare(t *testing.T) (key string) {
	t.Helper()
	peer := stage.NewPeer().
		Add(stage.Tool("quick"), stage.Result(stage.Text(`"done"`))).
		Add(stage.Tool("slow"), slow).
		Add(stage.Tool("die"), func(http.ResponseWriter, *http.Request, stage.Message) { panic(http.ErrAbortHandler) })
	g.peer = httptest.NewServer(peer)
	t.Cleanup(g.peer.Close)
	upstreams := []stage.Upstream{stage.At("peer", g.peer.URL+"/mcp")}
	for i := range desks {
		upstreams = append(upstreams, stage.Incident(fmt.Sprintf("desk%d", i)))
	}
	t.Run("review", func(t *testing.T) {
		s := stage.Open(t, stage.Options{Upstreams: upstreams})
		key = s.Host("alice").Key()
		for _, name := range []string{"upstreams.yaml", "exposure.yaml"} {
			text, err := os.ReadFile(s.Path(name))
			if err == nil {
				err = os.WriteFile(filepath.Join(filepath.Dir(g.path), name), text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	text, err := os.ReadFile(g.path)
	if err != nil {
		t.Fatal(err)
	}
	g.text = string(text)
	return key
}

// slow answers after a while, or when the gateway has left.
func slow(w http.ResponseWriter, r *http.Request, m stage.Message) {
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		stage.Say(w, stage.Response(m.ID, stage.Text(`"late"`)))
	case <-r.Context().Done():
	}
}

// await waits until every upstream is served.
func (g *subject) await(t *testing.T) {
	t.Helper()
	poll(t, "all upstreams are served", func() bool {
		reply, err := g.host.Ask(protocol.MethodToolsList, "").Do(t.Context())
		return err == nil && reply.Result != nil && len(reply.Tools(t)) == 3+4*desks
	})
}

// rest waits until nothing is under way any more, and returns what the gateway
// holds then. It waits longer while it holds more than it should.
func (g *subject) rest(t *testing.T, base holding) holding {
	t.Helper()
	g.await(t)
	var last holding
	calm, deadline := 0, time.Now().Add(time.Minute)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for ; time.Now().Before(deadline); <-tick.C {
		http.DefaultClient.CloseIdleConnections() // idle ones are no leak, and are many or few by chance
		g.peer.CloseClientConnections()
		now := g.holds(t)
		if calm++; now.Goroutines != last.Goroutines || now.Descriptors != last.Descriptors || now.Children != desks {
			calm = 0
		}
		last = now
		settled := base == holding{} || now.Goroutines <= base.Goroutines && now.Descriptors <= base.Descriptors
		if calm >= 10 && settled {
			break
		}
	}
	return last
}

func (g *subject) holds(t *testing.T) (h holding) {
	t.Helper()
	resp, err := http.Get(g.probe)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&h); err != nil {
		t.Fatal(err)
	}
	return h
}

// stacks tells what the goroutines of the gateway do.
func (g *subject) stacks(t *testing.T) string {
	t.Helper()
	resp, err := http.Get(g.probe + "/stacks")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// poll waits for what must come.
func poll(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("after two minutes it does not hold that %s", what)
		}
	}
}

// reload changes the configuration as an operator does, whole.
func (g *subject) reload(t *testing.T, n int) {
	text := g.text + fmt.Sprintf("limits: {call_timeout: %ds}\n", 20+n%7)
	next := fmt.Sprintf("%s.%d", g.path, n)
	if err := errors.Join(os.WriteFile(next, []byte(text), 0o600), os.Rename(next, g.path)); err != nil {
		t.Error(err)
	}
}

// kill ends one child of the gateway, and says whether there was one.
func (g *subject) kill(random *rand.Rand) bool {
	children := childrenOf(g.cmd.Process.Pid)
	if len(children) == 0 {
		return false
	}
	return unix.Kill(children[random.IntN(len(children))].pid, unix.SIGKILL) == nil
}

func (g *subject) call(ctx context.Context, tool string) (answered bool) {
	reply, err := g.host.Calling(tool, arguments(tool)).Do(ctx)
	return err == nil && reply.Result != nil && !reply.IsError()
}

func arguments(tool string) string {
	if strings.HasSuffix(tool, "get_service_status") {
		return `{"service":"payments","window_minutes":5}`
	}
	return `{}`
}

// session is a legacy host from its first request to its last.
func (g *subject) session(ctx context.Context, random *rand.Rand) (answered bool) {
	revision := protocol.Revision20251125
	begun, err := g.host.Legacy("", "", protocol.MethodInitialize,
		`"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"soak","version":"1"}`).Do(ctx)
	if err != nil || begun.Result == nil {
		return false
	}
	id := begun.Header.Get(protocol.HeaderSession)
	tool := "peer__quick"
	if random.IntN(2) == 0 {
		tool = "desk0__get_service_status"
	}
	reply, err := g.host.Legacy(revision, id, protocol.MethodToolsCall, `"name":"`+tool+`","arguments":`+arguments(tool)).Do(ctx)
	answered = err == nil && reply.Result != nil && !reply.IsError()
	end := g.host.Legacy(revision, id, "", "")
	end.Verb, end.Body = http.MethodDelete, http.NoBody
	_, err = end.Do(ctx)
	return answered && err == nil
}
