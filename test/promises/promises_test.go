package promises

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcp-gateway/audit"
	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/audit/journal/verify"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/receipt"
	"mcp-gateway/test/stage"
)

// 1. Before an upstream is asked, the decision is durable; if that can't be, nothing
// is sent, and the host gets a fixed error that it may repeat.
func TestPromise1DecidedBeforeSent(t *testing.T) {
	g := open(t, "")
	sent := 0
	g.answers(func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		sent++
		if n := len(only(g.events(t), audit.ToolDecided)); n < sent {
			t.Errorf("call %d arrived, and %d decisions are on disk", sent, n)
		}
		stage.Result(stage.Text(`"done"`))(w, r, m)
	})
	for _, tool := range []string{reading, writing, reading} {
		if r := g.call(t, g.alice, tool, `{}`); r.Code() != "" {
			t.Fatalf("%s: %s", tool, r.Body)
		}
	}
	mend := g.breakJournal(t, "/dev/full", unix.O_RDWR)
	for _, tool := range []string{reading, writing} {
		if r := g.alice.Call(t, tool, `{}`); r.Code() != string(gateway.CodeAuditUnavailable) {
			t.Errorf("%s: %s", tool, r.Body)
		}
	}
	if sent != 3 {
		t.Errorf("%d calls arrived, want 3", sent)
	}
	mend()
	stage.Await(t, "calls are served again", func() bool { return g.alice.Call(t, reading, `{}`).Code() == "" })
}

// 2. Before a result is released, its end is durable; if that can't be, the result is
// withheld, and the answer says that the call may have run; of a read, which may be
// repeated, that it could not be put on record.
func TestPromise2FinishedBeforeReleased(t *testing.T) {
	g := open(t, "")
	if r := g.call(t, g.alice, reading, `{}`); r.Code() != "" || len(only(g.events(t), audit.ToolFinished)) == 0 {
		t.Fatalf("%s", r.Body)
	}
	for tool, code := range map[string]gateway.Code{reading: gateway.CodeAuditUnavailable, writing: gateway.CodeOutcomeUnknown} {
		mend := func() {}
		g.answers(func(w http.ResponseWriter, r *http.Request, m stage.Message) {
			mend = g.breakJournal(t, "/dev/full", unix.O_RDWR)
			stage.Result(stage.Text(`"the result"`))(w, r, m)
		})
		r := g.alice.Call(t, tool, `{}`)
		if r.Code() != string(code) || bytes.Contains(r.Body, []byte("the result")) {
			t.Errorf("%s: %s", tool, r.Body)
		}
		mend()
		g.answers(stage.Result(stage.Text(`"done"`)))
		stage.Await(t, "calls are served again", func() bool { return g.alice.Call(t, reading, `{}`).Code() == "" })
	}
}

// 3. Each decision has exactly one end, of a writer that died an orphan's; and what
// is decided without a call has its event too.
func TestPromise3EachDecisionHasOneEnd(t *testing.T) {
	g := open(t, "")
	g.call(t, g.alice, reading, `{}`)
	g.call(t, g.alice, "up__nothing", `{}`)
	g.call(t, g.Host("mallory"), writing, `{}`)
	g.answers(stage.Fault(`{"code":-32000,"message":"no"}`))
	g.call(t, g.alice, writing, `{}`)
	g.alice.List(t)
	g.peer.Replace("read", strings.Replace(tool("read"), `"inputSchema"`, `"description":"changed","inputSchema"`, 1))
	if err := g.Gateway.Refresh(t.Context(), "up"); err != nil {
		t.Fatal(err)
	}
	all := g.events(t)
	ends := map[audit.ID]int{}
	decided := only(all, audit.ToolDecided)
	for _, e := range only(all, audit.ToolFinished, audit.ToolOrphaned, audit.ToolRefused) {
		if slices.ContainsFunc(decided, func(d audit.Event) bool { return d.Action == e.Action }) {
			ends[e.Action]++ // a refusal is one where the record of the decision came too late
		}
	}
	for _, e := range decided {
		if ends[e.Action] != 1 {
			t.Errorf("%s has %d ends", e.Action, ends[e.Action])
		}
	}
	if len(decided) < 2 || len(ends) != len(decided) {
		t.Errorf("%d decided, %d ended", len(decided), len(ends))
	}
	for _, want := range []audit.Type{
		audit.GatewayStarted, audit.ConfigLoaded, audit.PolicyLoaded, audit.ToolsChanged, audit.ToolsListed, audit.ToolRefused,
	} {
		if len(only(all, want)) == 0 {
			t.Errorf("no %s", want)
		}
	}
	g.Stop()
	stage.Await(t, "a writer that was killed leaves an orphan", func() bool { return orphaned(t) == 1 })
}

// orphaned lets a writer die, another begin, and returns how many orphans there are.
func orphaned(t *testing.T) int {
	t.Helper()
	dir := t.TempDir()
	dies(t, dir)
	j, err := journal.Open(dir, journal.Options{Replica: "gw"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close(context.Background())
	n := 0
	err = folder.Read(t.Context(), dir, folder.Cursor{}, func(e folder.Entry) error {
		if e.Event.Type == audit.ToolOrphaned && e.Event.OfBoot == 1 && e.Event.Outcome == gateway.OutcomeUnknown {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// dies runs a writer that is killed with a decision open and a line torn.
func dies(t *testing.T, dir string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, dir)
	cmd.Env = append(os.Environ(), stage.RoleVar+"=killed")
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Success() || len(out) > 0 {
		t.Fatalf("it did not die: %v %s", err, out)
	}
}

// 4. No argument, result, credential or upstream text is in any event: leaks_test.go
// holds that with fifty canaries. Here: whether a value was in a call can be asked,
// with key, tool and principal; and the same arguments of another principal or tool
// give another digest, so that nobody guesses what others sent.
func TestPromise4ValuesAsKeyedDigestsOnly(t *testing.T) {
	g := open(t, "")
	g.call(t, g.alice, reading, `{"b":1,"a":"x"}`)
	first := len(only(g.events(t), audit.ToolDecided))
	g.call(t, g.alice, writing, `{"b":1,"a":"x"}`)
	decided := only(g.events(t), audit.ToolDecided)
	if decided = decided[first-1:]; len(decided) < 2 || decided[0].Args == "" || decided[0].Args == decided[1].Args || decided[0].ArgsBytes == 0 {
		t.Fatalf("%+v", decided)
	}
	id := decided[0].Action.String()
	if out, err := g.run(t, "contains", id, "--value", `{ "a": "x", "b": 1 }`); err != nil || !strings.HasPrefix(out, "yes: it is the args of event ") {
		t.Errorf("%q %v", out, err)
	}
	var differs *cli.Error
	if out, err := g.run(t, "contains", id, "--value", `{"a":"y","b":1}`); !errors.As(err, &differs) || differs.Code != cli.Differs || out != "no\n" {
		t.Errorf("%q %v", out, err)
	}
	for _, e := range g.events(t) {
		if key, _, ok := strings.Cut(string(e.Principal), ":"); e.Principal != "" && (!ok || len(key) != 16) {
			t.Errorf("%s does not name its key", e.Principal)
		}
	}
}

// 5. Events form a chain for each writer, and signed checkpoints of it are in a second
// place. The stated limit: what came after the last of them can be cut off unseen.
func TestPromise5ChainAndCheckpoints(t *testing.T) {
	heads := filepath.Join(t.TempDir(), "heads")
	g := open(t, "audit: {export: {file: \""+heads+"\"}}\n")
	for range 500 {
		g.alice.Call(t, reading, `{}`)
	}
	dir := g.Path("var/journal")
	ws, err := folder.Writers(dir)
	if err != nil || len(ws) != 1 {
		t.Fatal(ws, err)
	}
	seq, head := uint64(0), audit.Hash{}
	err = folder.EachLine(folder.SegmentPath(dir, ws[0], 1), 0, func(l folder.Line) error {
		var e audit.Event
		if err := audit.Decode(l.Bytes, &e); err != nil {
			return err
		}
		if e.Seq != seq+1 || e.Prev != head || e.Boot != ws[0].Boot {
			t.Errorf("event %d follows %d, chained to %s, not %s", e.Seq, seq, e.Prev, head)
		}
		seq, head = e.Seq, sha256.Sum256(l.Bytes) // what is hashed is the line itself
		return nil
	})
	if err != nil || seq < 1000 {
		t.Fatalf("%d events, %v", seq, err)
	}
	var notes []string
	stage.Await(t, "the checkpoint of the thousandth event is in the second place", func() bool {
		notes, err = checkpoint.Read(heads)
		return err == nil && len(notes) > 1
	})
	key, err := g.run(t, "key")
	if err != nil {
		t.Fatal(err)
	}
	public, err := checkpoint.ParseKey(strings.TrimSpace(key))
	if err != nil {
		t.Fatal(err)
	}
	thousandth := false
	for _, note := range notes {
		c, err := checkpoint.Keys{public}.Open(note)
		if err != nil {
			t.Error(err)
		}
		thousandth = thousandth || c.Seq == journal.SealEvents
	}
	if !thousandth {
		t.Errorf("%d checkpoints, and none of event %d", len(notes), journal.SealEvents)
	}
	limit(t)
}

// limit shows what can't be found: the events behind the last checkpoint of a writer
// that was killed.
func limit(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	dies(t, dir)
	path := folder.SegmentPath(dir, folder.Writer{Replica: "gw", Boot: 1}, 1)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := text[:bytes.IndexByte(text, '\n')+1]
	if err := os.WriteFile(path, first, 0o600); err != nil {
		t.Fatal(err)
	}
	if report, err := verify.Journal(dir, verify.Against{}); err != nil || !report.OK() {
		t.Errorf("what was cut behind the last checkpoint was found: %v %v", report.Problems, err)
	}
}

// 6. Whether it is whole can be proven offline: the first bad event is named, and the
// exit code says it.
func TestPromise6OfflineVerify(t *testing.T) {
	g := open(t, "")
	for range 5 {
		g.alice.Call(t, reading, `{}`)
	}
	copied := filepath.Join(t.TempDir(), "journal")
	if err := os.CopyFS(copied, os.DirFS(g.Path("var/journal"))); err != nil {
		t.Fatal(err)
	}
	if out, err := g.run(t, "verify", "--journal", copied); err != nil || !strings.Contains(out, "problems 0") {
		t.Fatalf("%s %v", out, err)
	}
	ws, err := folder.Writers(copied)
	if err != nil {
		t.Fatal(err)
	}
	path := folder.SegmentPath(copied, ws[0], 1)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for name, c := range map[string]struct {
		lines [][]byte
		want  string
	}{
		"gap":       {slices.Concat(lines[:5], lines[6:]), "at event 6 (segment 1, line 6): gap"},
		"fork":      {slices.Concat(lines[:5], lines[4:]), "at event 5 (segment 1, line 6): fork"},
		"malformed": {slices.Concat(lines[:5], [][]byte{[]byte("{}\n")}, lines[6:]), "at event 6 (segment 1, line 6): malformed"},
	} {
		if err := os.WriteFile(path, bytes.Join(c.lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := g.run(t, "verify", "--journal", copied)
		var coded *cli.Error
		if first, _, _ := strings.Cut(out, "\n"); !errors.As(err, &coded) || coded.Code != cli.BadChain || !strings.HasSuffix(first, c.want) {
			t.Errorf("%s: %s %v", name, out, err)
		}
	}
}

// 7. Whatever happens to the disk, the process or the clock, promises 1 and 2 hold,
// and a torn last record is cut off, on record.
func TestPromise7Faults(t *testing.T) {
	for name, c := range map[string]struct {
		with  string
		flags int
	}{
		"disk full":           {"/dev/full", unix.O_RDWR},
		"read-only":           {"/dev/null", unix.O_RDONLY},
		"a file that is gone": {".", unix.O_RDONLY | unix.O_DIRECTORY},
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t, "")
			mend := g.breakJournal(t, c.with, c.flags)
			if r := g.alice.Call(t, reading, `{}`); r.Code() != string(gateway.CodeAuditUnavailable) || len(g.peer.Calls()) > 0 {
				t.Errorf("%s", r.Body)
			}
			mend()
			stage.Await(t, "calls are served again", func() bool { return g.alice.Call(t, reading, `{}`).Code() == "" })
			if got := only(g.events(t), audit.AuditRecovered); len(got) == 0 {
				t.Errorf("%d recoveries are on record", len(got))
			}
		})
	}
	t.Run("slow", slow)
	t.Run("killed, with a torn record", func(t *testing.T) {
		dir := t.TempDir()
		dies(t, dir)
		j, err := journal.Open(dir, journal.Options{Replica: "gw"})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close(context.Background())
		if report, err := verify.Journal(dir, verify.Against{}); err != nil || !report.OK() {
			t.Errorf("%v %v", report.Problems, err)
		}
	})
	t.Run("clock stepped back", func(t *testing.T) {
		now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
		dir := t.TempDir()
		j, err := journal.Open(dir, journal.Options{Replica: "gw", Now: func() time.Time { now = now.Add(-time.Hour); return now }})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close(context.Background())
		var last audit.ID
		for range 5 {
			e := &audit.Event{Type: audit.ConfigLoaded}
			if _, err := j.Append(t.Context(), e, audit.Process); err != nil || bytes.Compare(e.ID[:], last[:]) <= 0 {
				t.Errorf("%s after %s, %v", e.ID, last, err)
			}
			last = e.ID
		}
		if report, err := verify.Journal(dir, verify.Against{}); err != nil || !report.OK() {
			t.Errorf("%v %v", report.Problems, err)
		}
	})
}

// slow is a disk that takes nothing within the time that audit is given: a pipe that
// is full.
func slow(t *testing.T) {
	g := open(t, "")
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	for page := make([]byte, 1<<12); err == nil; {
		_, err = unix.Write(writer, page)
	}
	mend := g.breakJournal(t, path, unix.O_WRONLY)
	if r := g.alice.Call(t, reading, `{}`); r.Code() != string(gateway.CodeAuditUnavailable) || len(g.peer.Calls()) > 0 {
		t.Errorf("%s", r.Body)
	}
	_, _ = unix.Close(writer), unix.Close(reader) // who waits learns that nobody reads
	mend()
	stage.Await(t, "calls are served again", func() bool { return g.alice.Call(t, reading, `{}`).Code() == "" })
}

// 8. What is not on record is listed: health, metrics and status, and nothing else.
func TestPromise8WhatIsNotOnRecord(t *testing.T) {
	addr := make(chan net.Addr, 1)
	peer := stage.NewPeer().Add(stage.Tool("read"), stage.Result(stage.Text(`"done"`)))
	s := stage.Open(t, stage.Options{
		Listen: `status: "127.0.0.1:0"`, OnStatus: func(a net.Addr) { addr <- a },
		Upstreams: []stage.Upstream{stage.Served(t, "up", peer)},
	})
	g := &ground{Stage: s, alice: s.Host("alice")}
	at := "http://" + (<-addr).String()
	guide, err := os.ReadFile("../../docs/guides/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	asked := func() []audit.Event {
		return only(g.events(t), audit.RequestRefused, audit.ToolsListed, audit.ToolDecided, audit.ToolRefused, audit.RefusedCounted)
	}
	before := len(asked())
	for path, status := range map[string]int{"/livez": 200, "/readyz": 200, "/metrics": 200, "/status": 200, "/": 404, "/debug/pprof/": 404} {
		resp, err := http.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, status)
		}
		if status == 200 && !bytes.Contains(guide, []byte("`"+path+"`")) {
			t.Errorf("%s is not in the list of what is not on record", path)
		}
	}
	if n := len(asked()); n != before {
		t.Errorf("%d events of what is not on record", n-before)
	}
	g.alice.Ask("ping/pong", "").Send(t)
	g.alice.Ask(protocol.MethodDiscover, "").Send(t)
	if n := len(asked()); n != before+2 {
		t.Errorf("%d events of two requests", n-before)
	}
}

// 9. A receipt names number and hash of the two events of its call, and so can be held
// against the record.
func TestPromise9ReceiptsNameTheirEvents(t *testing.T) {
	g := open(t, "")
	r := g.call(t, g.alice, writing, `{}`)
	st, err := receipt.Verify([]byte(r.Get("/_meta/mcp-gateway~1receipt")), g.Gateway.ReceiptKeys(), receipt.Claim{})
	if err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
	dir := g.Path("var/journal")
	for want, ref := range map[audit.Type]receipt.EventRef{audit.ToolDecided: st.Decided, audit.ToolFinished: st.Finished} {
		e, line, err := folder.Find(dir, folder.Writer{Replica: audit.Ident(ref.Replica), Boot: ref.Boot}, ref.Seq)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(line)); e.Type != want || got != ref.Hash {
			t.Errorf("%s %s, the receipt names a %s %s", e.Type, got, want, ref.Hash)
		}
	}
}
