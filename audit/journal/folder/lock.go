package folder

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock is a file lock of this process (flock). It ends with the process.
type Lock struct{ f *os.File }

// ErrLocked says that another holder has the lock.
var ErrLocked = errors.New("journal: locked by another holder")

// TryLock takes the lock of the file, which it makes when it is missing, or
// returns ErrLocked at once.
func TryLock(path string) (*Lock, error) { return lock(path, unix.LOCK_EX|unix.LOCK_NB) }

// LockBoots waits for the lock under which boots are numbered and dead writers
// are closed.
func LockBoots(dir string) (*Lock, error) { return lock(filepath.Join(dir, lockName), unix.LOCK_EX) }

// Enter waits for the writer's own lock, which is held by whoever writes.
func Enter(dir string, w Writer) (*Lock, error) {
	return lock(filepath.Join(dir, w.String(), lockName), unix.LOCK_EX)
}

// TryEnter takes the lock of a writer that is dead; ErrLocked says it is not.
func TryEnter(dir string, w Writer) (*Lock, error) {
	return TryLock(filepath.Join(dir, w.String(), lockName))
}

func lock(path string, how int) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil {
		return &Lock{f}, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, ErrLocked
	}
	return nil, err
}

// Unlock gives the lock back.
func (l *Lock) Unlock() error { return l.f.Close() }

// Alive says whether the writer's lock is held. It works on a read-only copy,
// where nobody holds it.
func Alive(dir string, w Writer) bool {
	f, err := os.Open(filepath.Join(dir, w.String(), lockName))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
