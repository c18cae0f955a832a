package confine

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Versions of the interface in which something came (landlock(7)).
const (
	referVersion    = 2
	truncateVersion = 3
	ioctlVersion    = 5
	scopeVersion    = 6
)

// Rights by what they are over.
const (
	readFile  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	readAll   = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	writeAll  = writeFile | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	everything = readAll | writeAll
)

// Landlock returns the version of the kernel's interface, 0 if there is none.
func Landlock() int {
	v, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return 0
	}
	return int(v)
}

// ruleset is what a process may do to files, not yet in force.
type ruleset struct {
	fd      int
	version int
	handled uint64
}

var errNoLandlock = errors.New("the kernel has no Landlock")

// newRuleset makes the rules of s for a child that is program.
func newRuleset(s Spec, program string) (*ruleset, error) {
	r := &ruleset{version: Landlock(), handled: everything}
	if r.version == 0 {
		return nil, errNoLandlock
	}
	for right, since := range map[uint64]int{
		unix.LANDLOCK_ACCESS_FS_REFER: referVersion, unix.LANDLOCK_ACCESS_FS_TRUNCATE: truncateVersion,
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV: ioctlVersion,
	} {
		if r.version < since {
			r.handled &^= right
		}
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: r.handled}
	if r.version >= scopeVersion {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	// The members that every version knows or takes as zero.
	size := unsafe.Offsetof(attr.Quiet_access_fs)
	fd, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if e != 0 {
		return nil, fmt.Errorf("landlock: %w", e)
	}
	r.fd = int(fd)
	unix.CloseOnExec(r.fd)
	if s.Open {
		return r, r.open(s)
	}
	return r, r.listed(s, program)
}

// open grants all but what is hidden or kept. The gateway's own binary is always
// kept, and so nothing is made or removed in the directory that it lies in: who could
// put another there is the gateway at its next start.
func (r *ruleset) open(s Spec) error {
	own, err := os.Executable() // the gateway's: what follows as the child is not yet
	if err != nil {
		return err
	}
	own = follow(own)
	hidden := append(resolved(s.Hidden), devices)
	kept := append(append(resolved(s.Kept), own), hidden...)
	err = r.allow("/", unix.LANDLOCK_ACCESS_FS_READ_DIR)
	for _, path := range rootsBut("/", hidden) {
		err = errors.Join(err, r.allow(path, readAll))
	}
	for _, path := range rootsBut("/", kept) {
		err = errors.Join(err, r.allow(path, writeAll))
	}
	return errors.Join(err, r.devices())
}

// listed grants what is named, and what every program needs. A directory of the
// allow-lists that is not there is an error: somebody meant something else.
func (r *ruleset) listed(s Spec, program string) error {
	var err error
	for _, path := range s.Read {
		err = errors.Join(err, r.need(path, readAll))
	}
	for _, path := range s.Write {
		err = errors.Join(err, r.need(path, everything))
	}
	hidden := resolved(s.Hidden)
	for _, path := range append(systemRead(), program) {
		for _, root := range rootsBut(follow(path), hidden) {
			err = errors.Join(err, r.allow(root, readAll))
		}
	}
	return errors.Join(err, r.devices())
}

func (r *ruleset) devices() error {
	var err error
	for _, path := range systemDevices() {
		err = errors.Join(err, r.allow(path, everything))
	}
	return err
}

func (r *ruleset) need(path string, rights uint64) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	return r.allow(path, rights)
}

// allow grants rights over path and what is below it. What is not there needs no
// rule; of a file only the rights over files are meant.
func (r *ruleset) allow(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // absent or out of our own reach
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= readFile | writeFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights & r.handled, Parent_fd: int32(fd)}
	if rule.Allowed_access == 0 {
		return nil
	}
	_, _, e := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if e != 0 {
		return fmt.Errorf("landlock: %s: %w", path, e)
	}
	return nil
}

// enforce puts the rules on this thread, for good.
func (r *ruleset) enforce() error {
	if _, _, e := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); e != 0 {
		return e
	}
	return unix.Close(r.fd)
}
