package auditor

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mcp-gateway/audit"
	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/audit/journal/retain"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/seals"
	"mcp-gateway/keyring"
)

// carol is the admin key of one who settles actions.
const carol = "mcpgw_the-key-of-carol-which-opens-nothing-but-a-test"

func TestWalks(t *testing.T) {
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "mcp-gateway"), "mcp-gateway/cmd/mcp-gateway")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	worlds := play(t, filepath.Join(bin, "mcp-gateway"), "a", "b", "c")
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("CAROL", carol)
			env.Setenv("CAROL_SHA256", fmt.Sprintf("%x", sha256.Sum256([]byte(carol))))
			env.Setenv("NOBODY", strings.Repeat("n", 48))
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"played": worlds.played, "take": take, "edit": edit, "aged": aged, "copied": copied, "cut": cut},
	})
}

// worlds are gateways that have played the demonstration, each a folder. Every walk has
// copies of them: what they did need not be done again.
type worlds string

func play(t *testing.T, gateway string, names ...string) worlds {
	t.Helper()
	dir := t.TempDir()
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			demo := exec.Command(gateway, "demo", "--keep", name)
			demo.Dir = dir
			if out, err := demo.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	if all.Wait(); t.Failed() {
		t.FailNow()
	}
	return worlds(dir)
}

// played copies one of them: played NAME DIR.
func (w worlds) played(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: played NAME DIR")
	}
	from, to := filepath.Join(string(w), args[0]), ts.MkAbs(args[1])
	ts.Check(os.CopyFS(to, os.DirFS(from)))
	ts.Check(filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error { // keys are their owner's alone
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(filepath.Join(to, strings.TrimPrefix(path, from)), info.Mode().Perm())
	}))
}

// take puts what a pattern's group matches in a file (or stdout) into a variable.
func take(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: take VARIABLE FILE PATTERN")
	}
	m := regexp.MustCompile("(?m)" + args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if len(m) < 2 {
		ts.Fatalf("%s holds nothing like %s", args[1], args[2])
	}
	ts.Setenv(args[0], m[1])
}

// edit replaces the first occurrence of a text in a file; \n in the new one is a new line.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not hold %s", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(text, args[1], strings.ReplaceAll(args[2], `\n`, "\n"), 1)), 0o600))
}

// aged makes a state directory whose journal retention has shortened: of two boots
// the first is gone.
func aged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: aged DIR")
	}
	state := ts.MkAbs(args[0])
	ring, err := keyring.Open(filepath.Join(state, run.KeysDir))
	ts.Check(err)
	dir, hand := filepath.Join(state, run.JournalDir), seals.Hand{Ring: ring}
	ctx := context.Background()
	var j *journal.Journal
	for boot := range 2 {
		j, err = journal.Open(dir, journal.Options{Replica: "gw", SegmentBytes: 1000, Seal: &journal.Seal{Signer: hand}})
		ts.Check(err)
		for range 20 {
			_, err := j.Append(ctx, &audit.Event{Type: audit.ConfigLoaded}, audit.Process)
			ts.Check(err)
		}
		if boot == 0 {
			ts.Check(j.Close(ctx))
		}
	}
	total := folder.Bytes(dir, folder.Writer{Replica: "gw", Boot: 1}) + folder.Bytes(dir, folder.Writer{Replica: "gw", Boot: 2})
	_, err = retain.Prune(ctx, dir, retain.Options{
		Size: int64(total) / 2, Now: time.Now(), Signer: hand, Keys: checkpoint.Keys{hand.Public()},
		Record: func(ctx context.Context, e *audit.Event) error {
			_, err := j.Append(ctx, e, audit.Disk)
			return errors.Join(err, j.Checkpoint(ctx))
		},
	})
	ts.Check(err)
	ts.Check(j.Close(ctx))
}

// copied copies a folder.
func copied(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copied FROM TO")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// cut takes the last three lines of the newest writer's newest segment.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: cut JOURNAL")
	}
	dir := ts.MkAbs(args[0])
	ws, err := folder.Writers(dir)
	ts.Check(err)
	w := ws[len(ws)-1]
	ns, err := folder.Segments(dir, w)
	ts.Check(err)
	path := folder.SegmentPath(dir, w, ns[len(ns)-1])
	text, err := os.ReadFile(path)
	ts.Check(err)
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	ts.Check(os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-3], "")), 0o600))
}
