package journal

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/audit"
)

// The test binary runs itself as a writer when this names a journal.
const childDir = "JOURNAL_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := beWriter(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// beWriter appends pairs of events from several goroutines until it is killed,
// and says on its output which ones were acknowledged, one a line.
func beWriter(dir string) error {
	j, err := Open(dir, Options{Replica: "child", SegmentBytes: 100_000})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	say := func(word string, id audit.ID) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(os.Stdout, "%s %s\n", word, id) // unbuffered: one write(2)
	}
	failed := make(chan error)
	for w := range 4 {
		class := audit.Process
		if w == 0 {
			class = audit.Disk
		}
		go func() {
			for {
				e := decided()
				if _, err := j.Append(context.Background(), e, class); err != nil {
					failed <- err
				}
				say("decided", e.Action)
				if _, err := j.Append(context.Background(), finished(e), class); err != nil {
					failed <- err
				}
				say("finished", e.Action)
			}
		}()
	}
	return <-failed
}

// child starts a writer and returns it with a channel of its lines.
func child(t *testing.T, dir string) (*exec.Cmd, <-chan string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1<<16)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return cmd, lines
}

// Killed at random moments, a writer leaves a journal that verifies after the
// next start, holds everything it acknowledged, and has one end for each call.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	acknowledged := map[string]bool{}
	for range 30 {
		cmd, lines := child(t, dir)
		for range random.IntN(200) {
			acknowledged[<-lines] = true
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for l := range lines {
			acknowledged[l] = true
		}
		cmd.Wait()
	}
	open(t, dir, Options{Replica: "child"}).abandon(t.Context())
	report := verified(t, dir)

	stands := map[string]bool{}
	ends := map[audit.ID]int{}
	orphans, recovered := 0, 0
	for _, e := range events(t, dir) {
		stands[strings.TrimPrefix(string(e.Type), "tool.")+" "+e.Action.String()] = true
		switch e.Type {
		case audit.ToolDecided:
			ends[e.Action] += 0
		case audit.ToolOrphaned:
			orphans++
			ends[e.Action]++
		case audit.ToolFinished:
			ends[e.Action]++
		case audit.AuditRecovered:
			recovered++
		}
	}
	for l := range acknowledged {
		if !stands[l] {
			t.Errorf("acknowledged and lost: %s", l)
		}
	}
	for id, n := range ends {
		if n != 1 {
			t.Errorf("call %s has %d ends", id, n)
		}
	}
	t.Logf("%d events, %d acknowledged, %d calls, %d orphans, %d torn tails", report.Events, len(acknowledged), len(ends), orphans, recovered)
	if orphans == 0 || len(acknowledged) == 0 {
		t.Error("the kills struck nothing")
	}
}

// Several processes write to one folder at once, each its own chain.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	a, linesA := child(t, dir)
	b, linesB := child(t, dir)
	j := open(t, dir, Options{Replica: "parent"})
	for range 200 {
		<-linesA
		<-linesB
		mustAppend(t, j, decided(), audit.Process)
	}
	verified(t, dir)
	if err := a.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range linesA {
	}
	a.Wait()
	third := open(t, dir, Options{Replica: "third"})
	for _, e := range events(t, dir) {
		if e.Type == audit.ToolOrphaned && (e.Replica != "third" || e.OfReplica != "child") {
			t.Errorf("a call of a live writer was closed: %+v", e)
		}
	}
	if err := b.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range linesB {
	}
	b.Wait()
	if err := third.SettleDead(); err != nil {
		t.Fatal(err)
	}
	report := verified(t, dir)
	if len(report.Writers) != 4 {
		t.Errorf("%d writers, want 4", len(report.Writers))
	}
}
