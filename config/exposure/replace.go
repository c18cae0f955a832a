package exposure

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// replace rewrites a file: change gets its text, or initial where there is no
// file, and what it returns takes the file's place in one step with the same
// mode. Of several processes that edit a file of one directory the second waits
// for the first. A symbolic link stays one; its target is replaced.
func replace(path, initial string, change func(path string, text []byte) ([]byte, error)) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close() // releases the lock
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); err != nil {
		return &fs.PathError{Op: "lock", Path: dir.Name(), Err: err}
	}
	mode := newFileMode
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte(initial), nil
	} else if info, statErr := os.Stat(path); statErr == nil {
		mode = info.Mode().Perm()
	}
	if err != nil {
		return err
	}
	next, err := change(path, text)
	if err != nil {
		return err
	}
	if err := swap(path, next, mode); err != nil {
		return err
	}
	return dir.Sync()
}

// swap writes text beside path, makes it durable and renames it onto path.
func swap(path string, text []byte, mode os.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails, as it should, after the rename
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
