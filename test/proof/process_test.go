package proof

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// process is one run of the gateway.
type process struct {
	scene    *scene
	n        int
	cmd      *exec.Cmd
	address  chan string // closed without one if it ended before it was up
	log      string
	survived time.Duration // how long its child outlived it
}

// start runs the next gateway on the state that the last one left.
func (s *scene) start() *process {
	s.t.Helper()
	s.starts++
	p := &process{scene: s, n: s.starts, address: make(chan string, 1), log: filepath.Join(s.dir, "gateway.log")}
	if err := os.Remove(s.record()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.t.Fatal(err)
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(s.recordOf(p.n), s.record())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	p.cmd = exec.Command(self, filepath.Join(s.dir, "upstreams.yaml"), build(p.n))
	p.cmd.Env = append(os.Environ(), roleVar+"="+roleGateway)
	stderr, err := os.Create(p.log)
	if err != nil {
		s.t.Fatal(err)
	}
	defer stderr.Close()
	p.cmd.Stderr = stderr
	stdout, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // after a failure it may still run
	go func() {
		defer close(p.address)
		if line, err := bufio.NewReader(stdout).ReadString('\n'); err == nil {
			p.address <- strings.TrimSpace(line)
		}
	}()
	return p
}

// build is the version of the n-th gateway, which its first event names.
func build(n int) string { return fmt.Sprintf("proof-%d", n) }

// await returns the address once the gateway serves.
func (p *process) await() string {
	p.scene.t.Helper()
	timer := time.NewTimer(3 * time.Minute)
	defer timer.Stop()
	select {
	case address, ok := <-p.address:
		if ok {
			return address
		}
	case <-timer.C:
	}
	_ = p.cmd.Process.Signal(unix.SIGQUIT) // it tells where it stands
	_ = p.cmd.Wait()
	text, _ := os.ReadFile(p.log)
	p.scene.t.Fatalf("gateway %d did not come up: %s", p.n, text)
	return ""
}

// killAfter kills the gateway after a time, and reports whether that struck
// calls under way. It returns when the gateway and its child are gone.
func (p *process) killAfter(d time.Duration) (struck bool) {
	p.scene.t.Helper()
	<-time.After(d)
	struck = p.scene.flying.Load() > 0
	if err := p.cmd.Process.Kill(); err != nil {
		p.scene.t.Fatal(err)
	}
	p.scene.close()
	_ = p.cmd.Wait() // "signal: killed"
	if status, ok := p.cmd.ProcessState.Sys().(interface{ Signal() unix.Signal }); ok && status.Signal() != unix.SIGKILL {
		text, _ := os.ReadFile(p.log)
		p.scene.t.Errorf("gateway %d ended before it was killed: %v: %s", p.n, p.cmd.ProcessState, text)
	}
	p.bury()
	return struck
}

// stop ends the gateway as an operator would.
func (p *process) stop() {
	p.scene.t.Helper()
	err := p.cmd.Process.Signal(unix.SIGTERM)
	if err == nil {
		err = p.cmd.Wait()
	}
	if err != nil {
		text, _ := os.ReadFile(p.log)
		p.scene.t.Errorf("gateway %d: %v: %s", p.n, err, text)
	}
	p.bury()
}

// patience is how long the kernel may take to end the child of a dead gateway.
const patience = 5 * time.Second

// bury waits until no process of this scene is left. They are told by what
// their command lines name, and only the example server's name the record.
func (p *process) bury() {
	p.scene.t.Helper()
	died := time.Now()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		left := p.scene.children()
		p.survived = time.Since(died)
		if len(left) == 0 {
			return
		}
		if p.survived > patience {
			p.scene.t.Errorf("gateway %d is dead and its children live: %v", p.n, left)
			return
		}
		<-tick.C
	}
}

// children returns the processes whose command line names the record; none
// where there is no /proc.
func (s *scene) children() []string {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var found []string
	for _, line := range lines {
		text, err := os.ReadFile(line)
		if err == nil && bytes.Contains(text, []byte(s.record()+"\x00")) {
			found = append(found, filepath.Base(filepath.Dir(line)))
		}
	}
	return found
}
