package deliver

import (
	"errors"
	"io/fs"
	"os"
)

// kept reads the bundle that was taken last; nil if there is none.
func (s *Source) kept() ([]byte, error) {
	raw, err := readFile(s.keptPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// KeptPath is where a bundle is kept, whether one is or not.
func (s *Source) KeptPath() string { return s.keptPath() }

// keep writes the bundle whole, or not at all: what was kept before stays until the
// new one is on disk.
func (s *Source) keep(raw []byte) error {
	if s.o.Keep == "" {
		return nil
	}
	if err := os.MkdirAll(s.o.Keep, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(s.o.Keep, ".keep-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(raw)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), s.keptPath())
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
