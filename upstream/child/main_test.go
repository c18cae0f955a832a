package child

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// roleVar makes the test binary play a child instead of running tests.
const roleVar = "CHILD_TEST_ROLE"

func TestMain(m *testing.M) {
	role, arg, _ := strings.Cut(os.Getenv(roleVar), ":")
	if role == "" {
		os.Exit(m.Run())
	}
	play, ok := roles()[role]
	if !ok {
		os.Exit(99)
	}
	play(arg)
}

// roles are the children of the tests, by name.
func roles() map[string]func(arg string) {
	return map[string]func(string){
		"echo": func(string) { echo() },
		"environ": func(string) {
			line, _ := json.Marshal(map[string]any{"env": os.Environ(), "dir": workingDir(), "args": os.Args[1:]})
			fmt.Println(string(line))
		},
		"exit":  func(arg string) { code, _ := strconv.Atoi(arg); os.Exit(code) },
		"print": func(arg string) { fmt.Print(arg); echo() },
		"noise": func(arg string) {
			n, _ := strconv.Atoi(arg)
			for i := range n {
				fmt.Println("noise", i)
			}
			echo()
		},
		"long": func(arg string) {
			n, _ := strconv.Atoi(arg)
			fmt.Println(`{"head":1,"x":"` + strings.Repeat("y", n) + `","tail":1}`)
			echo()
		},
		"endless": func(string) {
			for piece := strings.Repeat("z", 64<<10); ; {
				fmt.Print(piece)
			}
		},
		"flood": func(string) {
			go func() {
				for line := strings.Repeat("e", 80); ; {
					fmt.Fprintln(os.Stderr, line)
				}
			}()
			echo()
		},
		"complain": func(arg string) {
			n, _ := strconv.Atoi(arg)
			for i := range n {
				fmt.Fprintln(os.Stderr, "fatal:", i)
			}
			os.Exit(1)
		},
		"deaf":     func(string) { forever() },
		"stubborn": func(string) { signal.Ignore(syscall.SIGTERM); fmt.Println("{}"); forever() },
		"family":   func(arg string) { family(arg) },
		"hangup":   func(string) { _ = os.Stdout.Close(); forever() },
	}
}

func workingDir() string { dir, _ := os.Getwd(); return dir }

func forever() {
	for {
		<-time.After(time.Hour)
	}
}

// echo answers each line with the line, and tells stderr.
func echo() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		fmt.Fprintln(os.Stderr, "heard\x1b[31m", strings.TrimSpace(line))
		fmt.Print(line)
	}
}

// family starts a grandchild in the role arg, names it, and leaves it alone.
func family(arg string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"="+arg)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if cmd.Start() != nil {
		os.Exit(98)
	}
	fmt.Printf("{\"grandchild\":%d}\n", cmd.Process.Pid)
	echo()
}

// playing returns the options of a child in that role, with short times.
func playing(role string) Options {
	return Options{
		Command: []string{os.Args[0]},
		Env:     map[string]string{roleVar: role, "GORACE": "atexit_sleep_ms=0"},
		Grace:   2 * time.Second, Backoff: Backoff{Min: time.Millisecond, Max: 4 * time.Millisecond},
	}
}

// gone waits until no process of that id runs; a zombie that init has not
// reaped yet does not run.
func gone(pid int) bool {
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
		select {
		case <-deadline:
			return false
		case <-tick.C:
		}
	}
}
