package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// become takes off this process what s does not allow, says what is in force, and
// executes program. It returns only with an error. All is done on one thread,
// which exec makes the only one.
func become(s Spec, program string, args []string, say func(Report)) error {
	runtime.LockOSThread()
	if err := handNothingOn(); err != nil {
		return err
	}
	r := Report{Open: s.Open, Network: Any, Limits: s.Limits}
	missing := func(what string, err error) error {
		if s.Must {
			return fmt.Errorf("%s: %w", what, err)
		}
		r.Missing = append(r.Missing, what)
		return nil
	}
	if err := ownNetwork(s, &r); err != nil {
		return err
	}
	rules, err := newRuleset(s, program)
	if err != nil {
		if err := missing("files", err); err != nil {
			return err
		}
	}
	if err := setLimits(s.Limits); err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := ownUser(s, &r); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	r.Privileges = true
	if rules != nil {
		if err := rules.enforce(); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
		r.Landlock, r.Signals = rules.version, rules.version >= scopeVersion
		if !r.Signals {
			if err := missing("signals", unix.ENOTSUP); err != nil {
				return err
			}
		}
	}
	if s.Network == None {
		if err := refuseSockets(); err != nil {
			return fmt.Errorf("network: %w", err)
		}
		r.Network = None
	}
	// A change of user takes away the death signal that the gateway asked for.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("death signal: %w", err)
	}
	say(r)
	return fmt.Errorf("start: %w", syscall.Exec(program, args, os.Environ()))
}

// setLimits sets hard and soft limits to the same.
func setLimits(l Limits) error {
	set := func(resource, value int) error {
		if value <= 0 {
			return nil
		}
		return setLimit(resource, uint64(value))
	}
	return errors.Join(
		setLimit(unix.RLIMIT_CORE, 0), set(unix.RLIMIT_DATA, l.Memory), set(unix.RLIMIT_NPROC, l.Processes),
		set(unix.RLIMIT_NOFILE, l.OpenFiles), set(unix.RLIMIT_FSIZE, l.FileSize))
}

func setLimit(resource int, value uint64) error {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(resource, &old); err != nil {
		return fmt.Errorf("limits: %w", err)
	}
	value = min(value, old.Max)
	if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
		return fmt.Errorf("limits: %w", err)
	}
	return nil
}

// overMachine are the capabilities over the machine as a whole, its devices,
// memory and other processes. Those over files stay, for servers that run as root
// in a container.
func overMachine() []uintptr {
	return []uintptr{
		unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE, unix.CAP_SYS_RAWIO, unix.CAP_SYS_MODULE, unix.CAP_SYS_BOOT, unix.CAP_SYS_TIME,
		unix.CAP_SYSLOG, unix.CAP_MKNOD, unix.CAP_MAC_ADMIN, unix.CAP_MAC_OVERRIDE, unix.CAP_NET_ADMIN, unix.CAP_NET_RAW,
		unix.CAP_BPF, unix.CAP_PERFMON, unix.CAP_CHECKPOINT_RESTORE, unix.CAP_AUDIT_CONTROL, unix.CAP_AUDIT_READ,
		unix.CAP_LINUX_IMMUTABLE, unix.CAP_DAC_READ_SEARCH, unix.CAP_SYS_CHROOT, unix.CAP_SYS_TTY_CONFIG, unix.CAP_WAKE_ALARM,
	}
}

// dropCapabilities takes them out of the bounding set, beyond which exec gives
// none. A process that may not do that has none to lose.
func dropCapabilities() error {
	for _, c := range overMachine() {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EPERM) {
			return nil
		}
		if err != nil && !errors.Is(err, unix.EINVAL) { // an older kernel does not know it
			return fmt.Errorf("capabilities: %w", err)
		}
	}
	return nil
}

// ownUser changes to the user of the child, on this thread alone.
func ownUser(s Spec, r *Report) error {
	if s.UID == 0 {
		return nil
	}
	gid := s.GID
	if gid == 0 {
		gid = s.UID
	}
	steps := []func() unix.Errno{
		func() unix.Errno { _, _, e := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); return e },
		func() unix.Errno {
			_, _, e := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(gid), uintptr(gid), uintptr(gid))
			return e
		},
		func() unix.Errno {
			_, _, e := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(s.UID), uintptr(s.UID), uintptr(s.UID))
			return e
		},
	}
	for _, step := range steps {
		if e := step(); e != 0 {
			return fmt.Errorf("its own user: %w", e)
		}
	}
	r.UID = s.UID
	return nil
}
