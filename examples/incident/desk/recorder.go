package desk

import (
	"cmp"
	"os"
)

// recorder appends a line for each executed call, so that whoever stands
// between host and server can be held to what arrived. The nil recorder
// records nothing.
type recorder struct{ file *os.File }

func openRecorder(path string) (*recorder, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &recorder{f}, nil
}

// call writes "tool ticket\n" in one write, which appends it whole.
func (r *recorder) call(tool, ticketID string) error {
	if r == nil {
		return nil
	}
	_, err := r.file.WriteString(tool + " " + cmp.Or(ticketID, "-") + "\n")
	return err
}

// Close closes the file.
func (r *recorder) Close() error {
	if r == nil {
		return nil
	}
	return r.file.Close()
}
