package inputs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Name is the folder's name inside the state directory.
const Name = "inputs"

// Folder is a folder of inputs, one file each, named by its digest. Several
// processes may share it.
type Folder struct{ dir string }

// New returns the folder at dir, which is made when something is kept.
func New(dir string) *Folder { return &Folder{dir} }

var errDigest = errors.New("inputs: no digest of canonical JSON")

// path is where an input lies: <first two digits>/<the others>.json.
func (f *Folder) path(digest gateway.Digest) (string, error) {
	_, hex, ok := strings.Cut(string(digest), ":")
	if !ok || len(hex) != 64 || strings.Trim(hex, "0123456789abcdef") != "" {
		return "", errDigest
	}
	return filepath.Join(f.dir, hex[:2], hex[2:]+".json"), nil
}

// Keep writes the input whole, or not at all. What is kept already stays.
func (f *Folder) Keep(digest gateway.Digest, raw []byte) error {
	path, err := f.path(digest)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".keep-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(raw)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// Get returns an input as it was kept. One that is not what its digest says is an
// error, as is one that is not there (fs.ErrNotExist).
func (f *Folder) Get(digest gateway.Digest) ([]byte, error) {
	path, err := f.path(digest)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if protocol.DigestOf(raw) != digest {
		return nil, fmt.Errorf("%s: not what its digest says", path)
	}
	return raw, nil
}
