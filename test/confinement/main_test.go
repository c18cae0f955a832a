package confinement

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-gateway/confine"
	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// secretVar is in the environment of the gateway, and passed on to nobody.
const (
	secretVar   = "CONFINEMENT_TEST_SECRET"
	secretValue = "correct-horse-battery"
)

func TestMain(m *testing.M) {
	if os.Getenv(stage.RoleVar) == "" && !confine.Is(os.Args) && os.Getenv(secretVar) == "" {
		os.Exit(again())
	}
	os.Exit(stage.Main(m, map[string]func([]string){"spy": func([]string) { spy() }, "reader": reader}))
}

// again runs the tests in a process that had the secret from its first moment, as
// a gateway would.
func again() int {
	p, err := os.StartProcess("/proc/self/exe", os.Args, &os.ProcAttr{
		Env: append(os.Environ(), secretVar+"="+secretValue), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	state, err := p.Wait()
	if err != nil {
		return 1
	}
	return state.ExitCode()
}

// spy is an upstream whose one tool tries what it is told to, and answers with
// what it got.
func spy() {
	stage.Lines(func(m stage.Message) {
		if stage.Speak(m, stage.Tool("try")) || len(m.ID) == 0 {
			return
		}
		var args struct{ Verb, What string }
		_ = json.Unmarshal([]byte(m.Arguments()), &args) // an empty verb answers so
		got, err := attempt(args.Verb, args.What)
		if err != nil {
			got = "refused"
		}
		quoted, _ := json.Marshal(got)
		fmt.Println(stage.Response(m.ID, stage.Text(string(quoted))))
	})
}

func attempt(verb, what string) (string, error) {
	switch verb {
	case "read":
		text, err := os.ReadFile(what)
		return "read " + strconv.Itoa(len(text)) + " " + printable(text), err
	case "write":
		return "written", os.WriteFile(what, []byte("x"), 0o600)
	case "memory":
		f, err := os.Open(what)
		if err != nil {
			return "", err
		}
		defer f.Close()
		return "opened", nil
	case "beyond":
		return beyond(what)
	case "handed":
		return handed()
	case "run":
		out, err := exec.Command("/bin/sh", "-c", what).CombinedOutput()
		return strings.TrimSpace(string(out)), err
	case "remove":
		return "removed", os.Remove(what)
	case "move":
		return "moved", os.Rename(what, what+"-mine")
	case "listen": // where somebody else listens, once that is out of the way
		_ = os.Remove(what)
		l, err := net.Listen("unix", what)
		if err != nil {
			return "", err
		}
		return "listening", l.Close()
	case "signal", "trace":
		pid, err := strconv.Atoi(what)
		if err != nil {
			return "", err
		}
		if verb == "trace" {
			return "traced", syscall.PtraceAttach(pid)
		}
		return "signalled", syscall.Kill(pid, 0)
	case "connect":
		c, err := net.DialTimeout("unix", what, time.Second)
		if err != nil {
			return "", err
		}
		_ = c.Close()
		return "connected", nil
	case "post":
		resp, err := http.Post(what, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return strconv.Itoa(resp.StatusCode), nil
	}
	return "", errors.New("no such verb")
}

// reader is a process of a spy's that has a session of its own, whose father is gone.
func reader(args []string) {
	if text, err := os.ReadFile(args[0]); err == nil {
		fmt.Print("read ", len(text))
	} else {
		fmt.Print("refused")
	}
}

// beyond has a process read that left the group and the session of the server, as one
// does that means to outlive it.
func beyond(what string) (string, error) {
	c := exec.Command("/proc/self/exe", what)
	c.Env = append(os.Environ(), stage.RoleVar+"=reader")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := c.Output()
	return string(out), err
}

// handed names what the process was handed beside its three pipes: not what Go opens for
// itself, and not its own connections.
func handed() (string, error) {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return "", err
	}
	names := ""
	for _, fd := range all {
		to, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if n, _ := strconv.Atoi(fd.Name()); err == nil && n > 2 && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/proc/") &&
			!strings.HasPrefix(to, "/sys/fs/cgroup/") && !strings.HasPrefix(to, "socket:") {
			names += " " + to
		}
	}
	return "handed" + names, nil
}

func printable(text []byte) string { return strings.ReplaceAll(string(text), "\x00", " ") }

func TestHostileChildren(t *testing.T) {
	if confine.Landlock() == 0 {
		t.Log("not run: this kernel has no Landlock, and a child is kept from little")
		return
	}
	if err := confine.Shield(); err != nil {
		t.Fatal(err)
	}
	left, err := syscall.Open("/dev/zero", syscall.O_RDONLY, 0) // as a careless supervisor leaves it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(left) }()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("not its business"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := stage.Open(t, stage.Options{Helper: confine.Helper(), Upstreams: []stage.Upstream{
		stage.Process("plain", "spy"),
		stage.Process("strict", "spy").Confined("{read: [" + filepath.Dir(self(t)) + "], network: none}"),
		stage.Process("never", "spy").Confined("{read: [/nowhere/at/all]}").Unmet(),
	}})
	facts := map[string]string{}
	for _, line := range strings.Split(s.Log(), "\n") {
		var entry struct{ Msg, Upstream, Confined, Reason string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "upstream" {
			facts[entry.Upstream] = entry.Confined + entry.Reason
		}
	}
	for _, id := range []string{"plain", "strict", "never"} {
		t.Logf("%s: %s", id, facts[id])
	}
	if !strings.Contains(facts["strict"], "allow-list") || !strings.Contains(facts["strict"], "network: none") ||
		!strings.Contains(facts["plain"], "all but the gateway's") {
		t.Errorf("reported: %v", facts)
	}
	reaches(t, s, outside)
}

// reaches has each child try for everything; want is by child, plain then strict.
func reaches(t *testing.T, s *stage.Stage, outside string) {
	state := filepath.Join(s.Dir, "var")
	socket := adminSocket(t, state)
	pid := strconv.Itoa(os.Getpid())
	one := func(pattern string) string {
		t.Helper()
		found, _ := filepath.Glob(filepath.Join(state, pattern))
		if len(found) == 0 {
			t.Fatalf("there is no %s to try for", pattern)
		}
		return found[0]
	}
	signals := "refused"
	if confine.Landlock() < 6 {
		signals = "signalled" // and reported as missing
	}
	for name, try := range map[string]struct{ verb, what, plain, strict string }{
		"environment":          {"read", "/proc/" + pid + "/environ", "refused", "refused"},
		"memory":               {"memory", "/proc/" + pid + "/mem", "refused", "refused"},
		"memory map":           {"read", "/proc/" + pid + "/maps", "refused", "refused"},
		"keys":                 {"read", one("keys/*"), "refused", "refused"},
		"journal":              {"read", one("journal/*"), "refused", "refused"},
		"state":                {"read", one("state.db"), "refused", "refused"},
		"writing in the state": {"write", filepath.Join(state, "new"), "refused", "refused"},
		"token of operators":   {"read", filepath.Join(filepath.Dir(socket), "token"), "refused", "refused"},
		"the operators' door":  {"remove", socket, "refused", "refused"},
		"a door of its own":    {"listen", socket, "refused", "refused"},
		"their door elsewhere": {"move", filepath.Dir(socket), "refused", "refused"},
		"their token":          {"write", filepath.Join(filepath.Dir(socket), "token"), "refused", "refused"},
		"through its root":     {"read", "/proc/" + pid + "/root" + filepath.Join(filepath.Dir(socket), "token"), "refused", "refused"},
		"through its folder":   {"read", "/proc/" + pid + "/cwd/main_test.go", "refused", "refused"},
		"an open file":         {"read", "/proc/" + pid + "/fd/1", "refused", "refused"},
		"tracing":              {"trace", pid, "refused", "refused"},
		"signals":              {"signal", pid, signals, signals},
		"reviews":              {"write", filepath.Join(s.Dir, "exposure.yaml"), "refused", "refused"},
		"configuration":        {"write", filepath.Join(s.Dir, "upstreams.yaml"), "refused", "refused"},
		"the front for hosts":  {"post", s.URL + "/mcp", "401", "refused"},
		"operators' socket":    {"connect", socket, "connected", "refused"}, // hence its token
		"other files":          {"read", outside, "read 16 not its business", "refused"},
		"keys, from a session": {"beyond", one("keys/*"), "refused", "refused"},
		"keys, by a shell":     {"run", "cat " + one("keys/*") + " 2>/dev/null || echo refused", "refused", "refused"},
		"a wider confinement":  {"run", "env LD_PRELOAD=/nowhere.so cat " + one("keys/*") + " 2>/dev/null || echo refused", "refused", "refused"},
		"what it was handed":   {"handed", "", "handed", "handed"},
		"its own state":        {"read", "/proc/self/comm", "", ""},
	} {
		for id, want := range map[string]string{"plain": try.plain, "strict": try.strict} {
			args, _ := json.Marshal(map[string]string{"verb": try.verb, "what": try.what})
			got := strings.Trim(s.Host("alice").Call(t, id+"__try", string(args)).Get("/content/0/text"), `"`)
			if want != "" && got != want || want == "" && !strings.HasPrefix(got, "read ") || strings.Contains(got, secretValue) {
				t.Errorf("%s: %s: got %q, want %q", id, name, got, want)
			}
		}
	}
	if r := s.Host("alice").Call(t, "never__try", `{}`); r.Code() != string(gateway.CodeUnknownTool) {
		t.Errorf("a child that can't be confined as asked answers %s", r.Body)
	}
}

// adminSocket listens where operators' sockets are, with a token beside it.
func adminSocket(t *testing.T, state string) string {
	t.Helper()
	dir := filepath.Join(state, "run", "r")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte("t"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return filepath.Join(dir, "s")
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
