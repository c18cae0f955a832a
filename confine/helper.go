package confine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Word is the first argument that makes the gateway's binary a helper.
const Word = "confine"

// statusFD is where the helper finds the pipe, and maxStatus what it may say.
const (
	statusFD  = 3
	maxStatus = 16 << 10
)

// ErrRefused is in the chain of every error of Await that says that the child
// could not be confined as it must be.
var ErrRefused = errors.New("confinement refused")

// status is what the helper says: a report, then an error if the child could not
// be started after all.
type status struct {
	Report *Report `json:"report,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// Wrap returns the arguments that have the helper, such as ["/proc/self/exe"],
// run program with args, of which the first is its name. The command needs the
// write end of a pipe as its first extra file; Await reads the other end.
func Wrap(helper []string, s Spec, program string, args []string) ([]string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return slices.Concat(helper, []string{Word, string(text), program}, args), nil
}

// Is reports whether the arguments of a process make it a helper.
func Is(args []string) bool {
	return len(args) > 4 && args[1] == Word && len(args[2]) > 0 && args[2][0] == '{'
}

// Main is the helper. It returns only if it failed, with an exit code.
func Main(args []string) int {
	out := os.NewFile(statusFD, "status")
	say := func(s status) {
		_ = json.NewEncoder(out).Encode(s) // if nobody reads, nobody believes
	}
	var s Spec
	if err := json.Unmarshal([]byte(args[2]), &s); err != nil {
		say(status{Error: "unreadable: " + err.Error()})
		return 1
	}
	err := become(s, args[3], args[4:], func(r Report) { say(status{Report: &r}) })
	say(status{Error: err.Error()})
	return 1
}

// Await reads what the helper says until it became the child. An error means that
// there is no child.
func Await(pipe io.Reader) (Report, error) {
	text, err := io.ReadAll(io.LimitReader(pipe, maxStatus))
	if err != nil {
		return Report{}, fmt.Errorf("%w: no word of the helper: %w", ErrRefused, err)
	}
	var report *Report
	for line := range bytes.Lines(text) {
		var s status
		if err := json.Unmarshal(line, &s); err != nil {
			return Report{}, fmt.Errorf("%w: unreadable word of the helper", ErrRefused)
		}
		if s.Error != "" {
			return Report{}, fmt.Errorf("%w: %s", ErrRefused, s.Error)
		}
		report = s.Report
	}
	if report == nil {
		return Report{}, fmt.Errorf("%w: the helper ended without a word", ErrRefused)
	}
	return *report, nil
}
