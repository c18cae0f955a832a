package deliver

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/pack"
)

// maxPast is how many bundles that were replaced are remembered.
const maxPast = 1000

// take says that a bundle is in force, and keeps it for the next start.
func (s *Source) take(b *pack.Bundle) error {
	s.mu.Lock()
	before := s.taken
	if before == nil {
		before = s.was
	}
	if before != nil && before.Mark != b.Mark && before.Mark != (pack.Mark{}) {
		s.past = append(s.past, before.Mark)
		s.past = s.past[max(0, len(s.past)-maxPast):]
	}
	past, from := slices.Clone(s.past), Service
	switch {
	case s.o.File != "":
		from = File
	case b == s.was:
		from = Kept
	}
	s.taken, s.newest = b, b
	s.status.From, s.status.Revision, s.status.Label, s.status.Sequence = from, b.Revision, b.Label, b.Sequence
	s.status.Taken, s.status.Refused, s.status.Waits = s.o.Now(), nil, false
	s.mu.Unlock()
	if s.o.Keep == "" || b == s.was {
		return nil
	}
	if err := s.write(s.keptPath(), b.Raw); err != nil {
		return err
	}
	return s.remember(past)
}

// kept reads the bundle that was taken last; nil if there is none.
func (s *Source) kept() ([]byte, error) {
	raw, err := readFile(s.keptPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// pastPath is where it is remembered which bundles were replaced.
func (s *Source) pastPath() string {
	return strings.TrimSuffix(s.keptPath(), ".tar.gz") + ".past.json"
}

func (s *Source) remember(past []pack.Mark) error {
	if len(past) == 0 {
		return nil
	}
	text := make([]string, len(past))
	for i, m := range past {
		text[i] = hex.EncodeToString(m[:])
	}
	raw, err := json.Marshal(text)
	if err != nil {
		return err
	}
	return s.write(s.pastPath(), raw)
}

// remembered reads what remember wrote; none if it never did.
func (s *Source) remembered() ([]pack.Mark, error) {
	raw, err := readFile(s.pastPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var text []string
	if err == nil {
		err = json.Unmarshal(raw, &text)
	}
	past := make([]pack.Mark, len(text))
	for i, digits := range text {
		var n int
		if len(digits) == 2*len(past[i]) {
			n, _ = hex.Decode(past[i][:], []byte(digits))
		}
		if n != len(past[i]) {
			err = errors.Join(err, errPast)
		}
	}
	if err != nil {
		return nil, gateway.Problems{{Pos: gateway.Pos{File: s.pastPath()}, Code: CodeForgotten, Message: err.Error()}}
	}
	return past, nil
}

var errPast = errors.New("it is no list of digests")

// write writes a file whole, or not at all: what was there before stays until the new
// one is on disk.
func (s *Source) write(path string, raw []byte) error {
	if err := os.MkdirAll(s.o.Keep, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(s.o.Keep, ".keep-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(raw)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes the names in a folder as durable as what they name.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
