package promises

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/cmd/mcp-gateway/auditor"
	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, map[string]func([]string){"killed": killed}))
}

// killed decides a call, tears its last line, and dies without a word.
func killed(args []string) {
	j, err := journal.Open(args[0], journal.Options{Replica: "gw"})
	if err == nil {
		_, err = j.Append(context.Background(), &audit.Event{Type: audit.ToolDecided, Action: audit.ID{6: 0x70, 8: 0x80, 15: 1}}, audit.Disk)
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(folder.SegmentPath(args[0], j.Writer(), 1), os.O_APPEND|os.O_WRONLY, 0)
	}
	if err == nil {
		_, err = f.WriteString(`{"v":1,"type":"tool.fin`)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = unix.Kill(os.Getpid(), unix.SIGKILL)
	select {}
}

// tool is a definition whose arguments are declared.
func tool(name string) string {
	return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{"a":{},"b":{},"q":{}}}}`
}

const (
	reading = "up__read"
	writing = "up__write"
)

// ground is a gateway before a peer with a tool that reads and one that writes.
type ground struct {
	*stage.Stage
	alice *stage.Host
	peer  *stage.Peer

	mu     sync.Mutex
	answer stage.Answer // of both tools
}

func open(t *testing.T, settings string) *ground {
	t.Helper()
	g := &ground{peer: stage.NewPeer(), answer: stage.Result(stage.Text(`"done"`))}
	play := func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		g.mu.Lock()
		a := g.answer
		g.mu.Unlock()
		a(w, r, m)
	}
	g.peer.Add(tool("read"), play).Add(tool("write"), play)
	g.Stage = stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "mallory"}},
		Settings:   settings,
		Upstreams:  []stage.Upstream{stage.Served(t, "up", g.peer).With("timeout: 5s")},
		Review: func(id gateway.ItemID) string {
			if id.Name == "write" {
				return stage.Write("use")
			}
			return stage.Read("use")
		},
	})
	g.peer.Calls()
	g.alice = g.Host("alice")
	return g
}

func (g *ground) answers(a stage.Answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answer = a
}

// call calls a tool, again for as long as the machine is too busy to put it on record
// in its time.
func (g *ground) call(t *testing.T, h *stage.Host, tool, arguments string) *stage.Reply {
	t.Helper()
	var r *stage.Reply
	stage.Await(t, "the call is put on record", func() bool {
		r = h.Call(t, tool, arguments)
		return r.Code() != string(gateway.CodeAuditUnavailable)
	})
	return r
}

// events are those of the journal as they stand on disk.
func (g *ground) events(t testing.TB) []audit.Event {
	t.Helper()
	var all []audit.Event
	err := folder.Read(t.Context(), g.Path("var/journal"), folder.Cursor{}, func(e folder.Entry) error {
		all = append(all, *e.Event)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func only(all []audit.Event, types ...audit.Type) []audit.Event {
	return slices.DeleteFunc(slices.Clone(all), func(e audit.Event) bool { return !slices.Contains(types, e.Type) })
}

// breakJournal puts another file in the place of the journal's segment, for this
// whole process, until mend is called or the test ends.
func (g *ground) breakJournal(t *testing.T, with string, flags int) (mend func()) {
	t.Helper()
	broken, err := unix.Open(with, flags|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[int]int{}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || !strings.HasPrefix(target, g.Path("var/journal/")) || filepath.Ext(target) != ".jsonl" {
			continue
		}
		var fd int
		_, _ = fmt.Sscan(e.Name(), &fd) // the kernel names them by number
		if slices.Contains(slices.Collect(maps.Values(kept)), fd) {
			continue // the list of descriptors was one itself, whose number is taken again
		}
		if kept[fd], err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0); err == nil {
			err = unix.Dup3(broken, fd, unix.O_CLOEXEC)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(kept) == 0 {
		t.Fatal("no segment is open")
	}
	mend = sync.OnceFunc(func() {
		for fd, original := range kept {
			if err := unix.Dup3(original, fd, unix.O_CLOEXEC); err != nil {
				t.Error(err)
			}
			_ = unix.Close(original) // only the copy
		}
		_ = unix.Close(broken)
	})
	t.Cleanup(mend)
	return mend
}

// run runs an audit command as main does, and returns what it printed.
func (g *ground) run(t testing.TB, args ...string) (string, error) {
	t.Helper()
	path := g.Path("upstreams.yaml")
	root := auditor.Command(&path)
	root.SilenceUsage, root.SilenceErrors = true, true
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}
