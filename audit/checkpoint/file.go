package checkpoint

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
)

// Append adds a signed note to a file of them, durably. Each is followed by an
// empty line.
func Append(path, note string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(note + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

// maxLine bounds a line of a file of checkpoints: longer ones are no part of any.
const maxLine = 1 << 10

// Read returns the notes of a file, as they stand there: Keys.Open judges them.
// A file that is not there has none.
func Read(path string) ([]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var notes []string
	for note, err := range Scan(f) {
		if err != nil {
			return nil, err
		}
		notes = append(notes, note)
	}
	return notes, nil
}

// Scan yields the notes of a stream: each begins with the line Origin.
func Scan(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, maxLine), maxLine)
		var note strings.Builder
		for lines.Scan() {
			if lines.Text() == Origin && note.Len() > 0 {
				if !yield(trimmed(&note), nil) {
					return
				}
				note.Reset()
			}
			note.WriteString(lines.Text() + "\n")
		}
		if err := lines.Err(); err != nil {
			yield("", err)
			return
		}
		if strings.TrimSpace(note.String()) != "" {
			yield(trimmed(&note), nil)
		}
	}
}

// trimmed takes the empty line off that parts notes.
func trimmed(note *strings.Builder) string { return strings.TrimRight(note.String(), "\n") + "\n" }
