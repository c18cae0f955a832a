package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Attr has the kernel start the helper in what it cannot make for itself: without
// privileges a network namespace needs a user namespace, and that one thread
// alone.
func Attr(s Spec, attr *syscall.SysProcAttr) {
	if s.Network != Own || os.Geteuid() == 0 {
		return
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
}

// ownNetwork leaves the machine's network for an empty one, where s wants it.
func ownNetwork(s Spec, r *Report) error {
	if s.Network != Own {
		return nil
	}
	if os.Geteuid() == 0 { // else it was started in one: see Attr
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("its own network: %w", err)
		}
	}
	r.Network = Own
	return loopbackUp()
}

// loopbackUp turns on the one interface of a new network.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("its own network: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("its own network: %w", err)
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("its own network: loopback: %w", err)
	}
	return nil
}

// Offsets in struct seccomp_data (seccomp(2)).
const (
	seccompNumber = 0
	seccompArch   = 4
)

// x32 marks system calls of the x32 interface of amd64, which have numbers of
// their own.
const x32 = 0x40000000

var errArch = errors.New("no filter is known for this processor")

func auditArch() (uint32, error) {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64, nil
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64, nil
	case "riscv64":
		return unix.AUDIT_ARCH_RISCV64, nil
	default:
		return 0, errArch
	}
}

// refuseSockets lets no socket be made: neither by socket(2), in whatever family,
// nor through io_uring, nor by system calls of another word size. Pairs of
// connected sockets, which programs use as pipes, can be made.
func refuseSockets() error {
	arch, err := auditArch()
	if err != nil {
		return err
	}
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	// jump goes on jt instructions further if the comparison holds, else jf.
	jump := func(op uint16, k uint32, jt, jf uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, Jt: jt, Jf: jf, K: k}
	}
	give := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	program := []unix.SockFilter{
		load(seccompArch),
		jump(unix.BPF_JEQ, arch, 0, 5),
		load(seccompNumber),
		jump(unix.BPF_JGE, x32, 3, 0),
		jump(unix.BPF_JEQ, unix.SYS_SOCKET, 2, 0),
		jump(unix.BPF_JEQ, unix.SYS_IO_URING_SETUP, 1, 0),
		give(unix.SECCOMP_RET_ALLOW),
		give(unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)),
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&filter)))
	runtime.KeepAlive(program)
	if e != 0 {
		return e
	}
	return nil
}
