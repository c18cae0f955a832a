package confine

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Shield keeps what the gateway knows from processes of the same user: its
// environment, as the kernel shows it in /proc/PID/environ, is blanked, and its
// memory can be neither read nor dumped. What the process itself reads of its
// environment stays as it is, for that is a copy in its memory. What whoever started
// the gateway left open is handed on to no child.
//
// Call it once, early, before children are started.
func Shield() error {
	if err := blankEnvironment(); err != nil {
		return fmt.Errorf("environment: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	if err := handNothingOn(); err != nil {
		return err
	}
	return setLimit(unix.RLIMIT_CORE, 0)
}

// handNothingOn has everything that is open but the three standard files closed when
// another program takes this one's place, or a child's: a shell, a supervisor or a test
// may have left something open that Go knows nothing of.
func handNothingOn() error {
	const first = 3
	if unix.CloseRange(first, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	open, err := os.ReadDir("/proc/self/fd") // a kernel before 5.11
	if err != nil {
		return fmt.Errorf("open files: %w", err)
	}
	for _, file := range open {
		if fd, err := strconv.Atoi(file.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// Helper is the command that confines: this very binary, also where another one
// has taken its place on disk. The binary must call Main where Is says so.
func Helper() []string { return []string{"/proc/self/exe"} }

// Fields of /proc/PID/stat, counted from the one after the name in brackets
// (proc_pid_stat(5) numbers them 50 and 51, from 1).
const (
	envStart = 50 - 3
	envEnd   = 51 - 3
)

// blankEnvironment overwrites the strings that the kernel put on the first stack.
// Go copied them when it started.
func blankEnvironment() error {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= envEnd {
		return fmt.Errorf("/proc/self/stat has %d fields", len(fields))
	}
	from, err := strconv.ParseInt(string(fields[envStart]), 10, 64)
	if err != nil {
		return err
	}
	to, err := strconv.ParseInt(string(fields[envEnd]), 10, 64)
	if err != nil || to <= from {
		return err
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = memory.Close() }()
	_, err = memory.WriteAt(make([]byte, to-from), from)
	return err
}
