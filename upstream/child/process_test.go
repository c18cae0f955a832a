package child

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/gateway"
)

// launch starts a process and ends it with the test.
func launch(t *testing.T, o Options) (*Process, *Stderr, *atomic.Int64) {
	t.Helper()
	o = o.withDefaults()
	stderr, noise := newStderr(&o), new(atomic.Int64)
	p, err := start(&o, stderr, noise)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p, stderr, noise
}

// read collects lines until want of them came or reading ended.
func read(p *Process, want int) (lines []string, ended error) {
	err := p.Messages(func(line []byte, whole bool) bool {
		lines = append(lines, string(line))
		if len(lines) == want {
			go p.Stop()
		}
		return whole
	})
	return lines, err
}

func TestEnvironmentIsExplicit(t *testing.T) {
	t.Setenv("CHILD_TEST_SECRET", "never")
	t.Setenv("CHILD_TEST_PASSED", "passed")
	t.Setenv("CHILD_TEST_BOTH", "ours")
	o := playing("environ")
	o.Command = append(o.Command, "a b", "$HOME;`id`")
	o.Dir = t.TempDir()
	o.PassEnv = []string{"CHILD_TEST_PASSED", "CHILD_TEST_BOTH", "CHILD_TEST_ABSENT"}
	o.Env["CHILD_TEST_BOTH"] = "theirs"
	p, _, _ := launch(t, o)
	lines, _ := read(p, 1)
	var got struct {
		Env, Args []string
		Dir       string
	}
	if len(lines) != 1 || json.Unmarshal([]byte(lines[0]), &got) != nil {
		t.Fatalf("child said %q", lines)
	}
	slices.Sort(got.Env)
	want := []string{"CHILD_TEST_BOTH=theirs", "CHILD_TEST_PASSED=passed", roleVar + "=environ", "GORACE=atexit_sleep_ms=0"}
	if !slices.Equal(got.Env, want) {
		t.Errorf("environment %q, want %q", got.Env, want)
	}
	if got.Dir != o.Dir || !slices.Equal(got.Args, o.Command[1:]) {
		t.Errorf("dir %q args %q", got.Dir, got.Args)
	}
}

func TestEmptyEnvironmentInheritsNothing(t *testing.T) {
	t.Setenv("CHILD_TEST_SECRET", "never")
	o := Options{}
	if env := o.environ(); env == nil || len(env) != 0 {
		t.Errorf("environ() = %#v: nil would inherit everything", env)
	}
}

func TestLinesGoInAndOut(t *testing.T) {
	p, stderr, noise := launch(t, playing("echo"))
	for _, line := range []string{`{"n":1}`, `{"n":2}`} {
		if _, err := p.Send([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := read(p, 2)
	if !slices.Equal(lines, []string{`{"n":1}`, `{"n":2}`}) || noise.Load() != 0 {
		t.Errorf("lines %q noise %d", lines, noise.Load())
	}
	if ReasonOf(err) != ReasonExited {
		t.Errorf("ended with %v", err)
	}
	if _, err := p.Send([]byte(`{}`)); ReasonOf(err) != ReasonExited {
		t.Errorf("sending to a dead process: %v", err)
	}
	if kept := stderr.Lines(); len(kept) == 0 || kept[0] != `heard[31m {"n":1}` {
		t.Errorf("stderr %q, want it without control characters", kept)
	}
}

func TestNoiseIsSkippedCountedAndCapped(t *testing.T) {
	p, _, noise := launch(t, playing("noise:1000"))
	if _, err := p.Send([]byte(`{"real":1}`)); err != nil {
		t.Fatal(err)
	}
	lines, _ := read(p, 1)
	if !slices.Equal(lines, []string{`{"real":1}`}) || noise.Load() != 1000 {
		t.Errorf("lines %q noise %d", lines, noise.Load())
	}
	p, _, _ = launch(t, playing("noise:1002"))
	if lines, err := read(p, 1); ReasonOf(err) != ReasonNoise || len(lines) != 0 {
		t.Errorf("beyond the cap: %q %v", lines, err)
	}
	o := playing("noise:500")
	o.NoiseBytes = 1 << 10
	p, _, _ = launch(t, o)
	if _, err := read(p, 1); ReasonOf(err) != ReasonNoise {
		t.Errorf("beyond the byte cap: %v", err)
	}
}

func TestLongLines(t *testing.T) {
	o := playing("long:200000")
	o.LineLimit = 100_000
	p, _, _ := launch(t, o)
	if _, err := p.Send([]byte(`{"after":1}`)); err != nil {
		t.Fatal(err)
	}
	lines, _ := read(p, 2)
	if len(lines) != 2 || !strings.HasPrefix(lines[0], `{"head":1`) || !strings.HasSuffix(lines[0], `"tail":1}`) || lines[1] != `{"after":1}` {
		t.Errorf("%d lines, last %.40q", len(lines), lines[len(lines)-1])
	}
	o = playing("endless")
	o.LineLimit = 100_000
	p, _, _ = launch(t, o)
	if _, err := read(p, 1); ReasonOf(err) != ReasonEndless {
		t.Errorf("endless line: %v", err)
	}
}

func TestExitIsSaid(t *testing.T) {
	p, _, _ := launch(t, playing("exit:3"))
	_, err := read(p, 1)
	var e *gateway.Error
	if !errors.As(err, &e) || e.Code != gateway.CodeUnavailable || ReasonOf(err) != ReasonExited || !p.cmd.ProcessState.Exited() || p.cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%v", err)
	}
}

func TestClosedStdoutEndsTheProcess(t *testing.T) {
	o := playing("hangup")
	o.Grace = 20 * time.Millisecond
	p, _, _ := launch(t, o)
	if _, err := read(p, 1); ReasonOf(err) != ReasonExited {
		t.Errorf("%v", err)
	}
	if !gone(p.PID()) {
		t.Error("still runs")
	}
}

func TestChildThatDoesNotReadIsEnded(t *testing.T) {
	o := playing("deaf")
	o.WriteTimeout, o.Grace, o.Queue = 20*time.Millisecond, 20*time.Millisecond, 1
	p, _, _ := launch(t, o)
	if _, err := p.Send(make([]byte, 1<<20)); err != nil { // more than a pipe holds
		t.Fatal(err)
	}
	if _, err := read(p, 1); ReasonOf(err) != ReasonStuck {
		t.Errorf("%v", err)
	}
}

func TestFullQueueRefusesAndWithdrawnLinesAreNotSent(t *testing.T) {
	o := playing("deaf")
	o.Queue, o.Grace = 1, 20*time.Millisecond
	p, _, _ := launch(t, o)
	first, err := p.Send(make([]byte, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	var last *Frame
	for err == nil { // until the writer is stuck in the first and the queue is full
		last, err = p.Send([]byte("{}"))
	}
	if ReasonOf(err) != ReasonQueueFull {
		t.Errorf("%v", err)
	}
	if last != nil && !last.Withdraw() {
		t.Error("a waiting line could not be withdrawn")
	}
	for !first.taken.Load() {
	}
	if first.Withdraw() {
		t.Error("a line that is being written was withdrawn")
	}
}

func TestGroupDiesWithItsHead(t *testing.T) {
	for name, end := range map[string]func(p *Process){
		"stopped": (*Process).Stop,
		"killed":  func(p *Process) { _ = p.cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			o := playing("family:stubborn")
			o.Grace = 100 * time.Millisecond
			p, _, _ := launch(t, o)
			pids := make(chan int, 1)
			ended := make(chan error, 1)
			ready := make(chan struct{})
			go func() {
				heard := 0
				ended <- p.Messages(func(line []byte, _ bool) bool {
					var said struct{ Grandchild int }
					if _ = json.Unmarshal(line, &said); said.Grandchild != 0 {
						pids <- said.Grandchild
					}
					if heard++; heard == 2 { // its own word and the grandchild's, which now ignores SIGTERM
						close(ready)
					}
					return true
				})
			}()
			grandchild := <-pids
			<-ready
			end(p)
			<-p.Exited()
			if err := <-ended; ReasonOf(err) != ReasonExited {
				t.Errorf("%v", err)
			}
			if !gone(p.PID()) || !gone(grandchild) {
				t.Errorf("head %d gone %v, grandchild %d gone %v", p.PID(), gone(p.PID()), grandchild, gone(grandchild))
			}
		})
	}
}

func TestStubbornChildIsKilledWithinTheGrace(t *testing.T) {
	o := playing("stubborn")
	o.Grace = 50 * time.Millisecond
	p, _, _ := launch(t, o)
	ready := make(chan struct{})
	go func() { _ = p.Messages(func([]byte, bool) bool { close(ready); return true }) }()
	<-ready
	p.Stop()
	if state := p.cmd.ProcessState.String(); state != "signal: killed" || !gone(p.PID()) {
		t.Errorf("ended by %q", state)
	}
}

func TestStderrFloodCostsLittle(t *testing.T) {
	o := playing("flood")
	o.StderrLines = 50
	p, stderr, _ := launch(t, o)
	if _, err := p.Send([]byte(`{"still":"answers"}`)); err != nil {
		t.Fatal(err)
	}
	if lines, _ := read(p, 1); !slices.Equal(lines, []string{`{"still":"answers"}`}) {
		t.Errorf("lines %q", lines)
	}
	<-p.Exited()
	kept, dropped := stderr.Counts()
	if len(stderr.Lines()) > 50 || kept > 2*stderrBurst || dropped == 0 && kept == stderrBurst {
		t.Errorf("%d in the ring, kept %d, dropped %d", len(stderr.Lines()), kept, dropped)
	}
}

func TestLastWordsOfStderrAreKept(t *testing.T) {
	for range 20 {
		p, stderr, _ := launch(t, playing("complain:8"))
		_, _ = read(p, 1)
		settled(t, "the last line is there", func() bool {
			lines := stderr.Lines()
			return len(lines) == 8 && lines[7] == "fatal: 7"
		})
	}
}

func TestMissingCommand(t *testing.T) {
	o := Options{Command: []string{"/nonexistent/server"}}.withDefaults()
	if _, err := start(&o, newStderr(&o), new(atomic.Int64)); ReasonOf(err) != ReasonStartFailed || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	o = Options{}.withDefaults()
	if _, err := start(&o, newStderr(&o), new(atomic.Int64)); ReasonOf(err) != ReasonStartFailed {
		t.Errorf("%v", err)
	}
}
