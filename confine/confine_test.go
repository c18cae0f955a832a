package confine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// roleVar makes the test binary the child that tries.
const roleVar = "CONFINE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch {
	case Is(os.Args):
		os.Exit(Main(os.Args))
	case os.Getenv(roleVar) == "try":
		try(os.Args[1:])
	case os.Getenv(roleVar) == "shield":
		if err := Shield(); err != nil {
			fmt.Println(err)
		}
		fmt.Println(os.Getenv("CONFINE_SECRET"))
		_, _ = os.Stdin.Read(make([]byte, 1))
	default:
		os.Exit(m.Run())
	}
}

// try does what its arguments say, "verb:what", and prints of each whether it was
// let.
func try(args []string) {
	results := map[string]string{}
	for _, arg := range args {
		verb, what, _ := strings.Cut(arg, ":")
		results[arg] = "done"
		if err := attempt(verb, what); err != nil {
			results[arg] = "refused"
			var no syscall.Errno
			if !errors.As(err, &no) {
				results[arg] = err.Error()
			}
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(results)
}

func attempt(verb, what string) error {
	switch verb {
	case "read":
		_, err := os.ReadFile(what)
		return err
	case "list":
		_, err := os.ReadDir(what)
		return err
	case "write":
		return os.WriteFile(what, []byte("x"), 0o600)
	case "remove":
		return os.Remove(what)
	case "replace":
		return os.Rename(what+".new", what)
	case "run":
		return exec.Command(what).Run()
	case "dial":
		network, address, _ := strings.Cut(what, ",")
		c, err := net.Dial(network, address)
		if err == nil {
			_ = c.Close()
		}
		return err
	case "signal":
		pid, _ := strconv.Atoi(what)
		return syscall.Kill(pid, 0)
	case "pair":
		_, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		return err
	case "trace":
		pid, _ := strconv.Atoi(what)
		return syscall.PtraceAttach(pid)
	case "setuid":
		_, _, e := syscall.RawSyscall(syscall.SYS_SETUID, 0, 0, 0)
		if e != 0 {
			return e
		}
		return nil
	}
	return errors.New("no such verb")
}

// confined runs the attempts under a spec and returns what became of each.
func confined(t *testing.T, s Spec, attempts ...string) (Report, map[string]string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return confinedAs(t, self, s, attempts...)
}

func confinedAs(t *testing.T, self string, s Spec, attempts ...string) (Report, map[string]string) {
	t.Helper()
	s.Hidden = append(s.Hidden, "/nowhere/at/all")
	report, out, err := start(s, self, append([]string{self}, attempts...))
	if err != nil {
		t.Fatalf("%v (%s)", err, out)
	}
	t.Logf("in force: %s", report)
	results := map[string]string{}
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return report, results
}

func start(s Spec, program string, args []string) (Report, []byte, error) {
	argv, err := Wrap(Helper(), s, program, args)
	if err != nil {
		return Report{}, nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return Report{}, nil, err
	}
	defer read.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), roleVar+"=try")
	cmd.ExtraFiles = []*os.File{write}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	Attr(s, cmd.SysProcAttr)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return Report{}, nil, err
	}
	_ = write.Close()
	report, err := Await(read)
	err = errors.Join(err, wait(cmd, err))
	return report, out.Bytes(), err
}

// wait reads all that the child said.
func wait(cmd *exec.Cmd, before error) error {
	err := cmd.Wait()
	if before != nil {
		return nil
	}
	return err
}

// here says whether this kernel confines, and prints it where not.
func here(t *testing.T) bool {
	t.Helper()
	if v := Landlock(); v < scopeVersion {
		t.Logf("not run: landlock %d, version %d is needed", v, scopeVersion)
		return false
	}
	return true
}

// place makes the files that attempts are about.
func place(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func check(t *testing.T, results map[string]string, done, refused []string) {
	t.Helper()
	for _, a := range done {
		if results[a] != "done" {
			t.Errorf("%s: %s, want done", a, results[a])
		}
	}
	for _, a := range refused {
		if results[a] != "refused" {
			t.Errorf("%s: %s, want refused", a, results[a])
		}
	}
}

func TestAllowLists(t *testing.T) {
	if !here(t) {
		return
	}
	dir := place(t, "in/a", "out/b", "both/c", "both/d.new")
	listener := listen(t)
	done := []string{
		"read:" + dir + "/in/a", "list:" + dir + "/in", "write:" + dir + "/both/new", "replace:" + dir + "/both/d", "run:/bin/true",
		"read:/proc/self/status", "write:/dev/null", "pair:",
	}
	refused := []string{
		"read:" + dir + "/out/b", "list:" + dir, "write:" + dir + "/in/a", "write:" + dir + "/in/new", "write:" + dir + "/out/new",
		"remove:" + dir + "/in/a", "read:/etc/shadow", "write:/usr/new", "read:/proc/" + strconv.Itoa(os.Getpid()) + "/environ",
		"dial:tcp," + listener, "dial:udp," + listener, "dial:unix," + dir + "/socket", "signal:" + strconv.Itoa(os.Getpid()),
		"trace:" + strconv.Itoa(os.Getpid()),
	}
	report, results := confined(t, Spec{Must: true, Network: None, Read: []string{dir + "/in"}, Write: []string{dir + "/both"},
		Limits: Limits{OpenFiles: 64}}, slices.Concat(done, refused)...)
	check(t, results, done, refused)
	if report.Open || report.Network != None || !report.Privileges || !report.Signals || len(report.Missing) > 0 || report.Limits.OpenFiles != 64 {
		t.Errorf("report %+v", report)
	}
}

func listen(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// What is not confined by name still does not reach what is the gateway's.
func TestOpen(t *testing.T) {
	if !here(t) {
		return
	}
	dir := place(t, "state/keys/k", "config.yaml", "config.yaml.new", "own/a")
	if err := os.Symlink(dir+"/state", dir+"/own/link"); err != nil {
		t.Fatal(err)
	}
	listener := listen(t)
	done := []string{
		"read:" + dir + "/own/a", "write:" + dir + "/own/new", "read:" + dir + "/config.yaml", "list:" + dir, "run:/bin/true",
		"dial:tcp," + listener, "write:/dev/null",
	}
	refused := []string{
		"read:" + dir + "/state/keys/k", "read:" + dir + "/own/link/keys/k", "write:" + dir + "/state/new", "remove:" + dir + "/state/keys/k",
		"write:" + dir + "/config.yaml", "remove:" + dir + "/config.yaml", "replace:" + dir + "/config.yaml", "write:" + dir + "/beside",
		"read:/proc/" + strconv.Itoa(os.Getpid()) + "/environ", "signal:" + strconv.Itoa(os.Getpid()),
	}
	report, results := confined(t, Spec{Open: true, Hidden: []string{dir + "/state"}, Kept: []string{dir + "/config.yaml"}, Network: Any},
		slices.Concat(done, refused)...)
	check(t, results, done, refused)
	if !report.Open || report.Network != Any || report.Landlock == 0 {
		t.Errorf("report %+v", report)
	}
}

// The gateway's own binary, and what lies beside it, is nobody's to write, even
// where no path is named; nor can another be put in its place.
func TestOwnBinary(t *testing.T) {
	if !here(t) {
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(filepath.Dir(self), "beside")
	if err := os.WriteFile(self+".new", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := place(t, "a")
	done := []string{"write:" + dir + "/a", "read:" + self}
	refused := []string{"write:" + self, "write:" + beside, "replace:" + self, "remove:" + self + ".new", "remove:" + self}
	_, results := confined(t, Spec{Open: true, Network: Any}, slices.Concat(done, refused)...)
	check(t, results, done, refused)
}

func TestOwnNetworkAndUser(t *testing.T) {
	if !here(t) || os.Geteuid() != 0 {
		t.Log("not run: only root has both")
		return
	}
	dir := place(t, "in/a")
	// Another user must get at the program: not in the folder of go test.
	program, err := os.ReadFile("/proc/self/exe")
	err = errors.Join(err, os.Chmod(filepath.Dir(dir), 0o755), os.WriteFile(dir+"/try", program, 0o755))
	if err != nil {
		t.Fatal(err)
	}
	listener := listen(t)
	s := Spec{Must: true, Network: Own, UID: 65534, Read: []string{dir}}
	done := []string{"read:" + dir + "/in/a"}
	refused := []string{"dial:tcp," + listener, "setuid:"}
	report, results := confinedAs(t, dir+"/try", s, slices.Concat(done, refused)...)
	check(t, results, done, refused)
	if report.UID != 65534 || report.Network != Own {
		t.Errorf("report %+v", report)
	}
}

// What must be and cannot be keeps the child from starting.
func TestRefused(t *testing.T) {
	for name, s := range map[string]Spec{
		"a directory that is not there": {Must: true, Network: None, Read: []string{"/nowhere/at/all"}},
		"a program that is not there":   {Network: Any, Open: true},
	} {
		t.Run(name, func(t *testing.T) {
			report, out, err := start(s, "/nowhere/program", []string{"program", "write:/tmp/never"})
			if !errors.Is(err, ErrRefused) || report.Privileges || len(out) > 0 {
				t.Errorf("%v %+v %s", err, report, out)
			}
		})
	}
	for name, text := range map[string]string{
		"no word": "", "no JSON": "x\n", "an error after the report": `{"report":{"privileges":true}}` + "\n" + `{"error":"start: no"}` + "\n",
	} {
		if r, err := Await(strings.NewReader(text)); !errors.Is(err, ErrRefused) || r.Privileges {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

func TestRootsBut(t *testing.T) {
	dir := place(t, "a/b/c", "a/d", "e/f", "g")
	got := rootsBut(dir, []string{dir + "/a/b", dir + "/g", dir + "/not/there"})
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], dir)
	}
	slices.Sort(got)
	if want := []string{"/a/d", "/e"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := rootsBut(dir, []string{dir}); got != nil {
		t.Errorf("all is excluded, and %q is left", got)
	}
}

// The kernel shows the environment of a shielded process as nothing, and the
// process still knows it.
func TestShield(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVar+"=shield", "CONFINE_SECRET=xyzzy-1234")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 64)
	n, _ := out.Read(line)
	environ, readable := os.ReadFile(fmt.Sprintf("/proc/%d/environ", cmd.Process.Pid))
	_ = in.Close()
	_ = cmd.Wait()
	if string(line[:n]) != "xyzzy-1234\n" {
		t.Errorf("the process says %q", line[:n])
	}
	if bytes.Contains(environ, []byte("xyzzy")) || len(bytes.Trim(environ, "\x00")) > 0 {
		t.Errorf("%v: the kernel shows %q", readable, environ)
	}
}

func TestReportIsALine(t *testing.T) {
	for want, r := range map[string]Report{
		"nothing": {},
		"files: all but the gateway's (landlock 7); network: any; no new privileges; signals: its own":                             {Landlock: 7, Open: true, Network: Any, Privileges: true, Signals: true},
		"files: all; network: any; no new privileges; missing: files":                                                              {Open: true, Network: Any, Privileges: true, Missing: []string{"files"}},
		"files: allow-list (landlock 5); network: none; no new privileges; uid: 7; memory: 1024; open files: 16; missing: signals": {Landlock: 5, Network: None, Privileges: true, UID: 7, Limits: Limits{Memory: 1024, OpenFiles: 16}, Missing: []string{"signals"}},
	} {
		if got := r.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
