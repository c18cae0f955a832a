package beside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mcp-gateway/audit/index"
	"mcp-gateway/audit/index/compare"
	"mcp-gateway/audit/journal/verify"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
)

// State is a directory that a journal stands in. The zero value is none: a journal alone.
type State struct {
	Dir  string
	held compare.Held
}

// Traces says whether there is anything by which a journal that is gone is missed: an
// index, or keys.
func (s *State) Traces() bool {
	_, err := os.Stat(filepath.Join(s.Dir, run.IndexFile))
	return s.Dir != "" && (err == nil || s.keys())
}

func (s *State) keys() bool {
	found, err := filepath.Glob(filepath.Join(s.Dir, run.KeysDir, "*.key"))
	return err == nil && len(found) > 0
}

// Verify is verify.Journal, with what the index says otherwise among its problems. A
// journal that is not there, where Traces are, has no events.
func (s *State) Verify(ctx context.Context, journal string, against verify.Against) (verify.Report, error) {
	traces := s.Traces() // before the journal is read, which a gateway may be writing
	if s.Dir != "" {
		held, err := compare.Read(ctx, filepath.Join(s.Dir, run.IndexFile), index.Version)
		if err != nil {
			return verify.Report{}, err
		}
		s.held = held
	}
	report, err := verify.Journal(journal, against)
	if errors.Is(err, fs.ErrNotExist) && traces {
		err = nil
	}
	if err != nil {
		return report, err
	}
	differs, err := s.held.Against(journal, &report)
	report.Problems = append(report.Problems, differs...)
	return report, err
}

// Tell says what problems of the directory mean, and refuses one that must have events
// and has none.
func (s *State) Tell(w io.Writer, r *verify.Report) error {
	if slices.ContainsFunc(r.Problems, func(p verify.Problem) bool { return p.Kind == verify.IndexDiffers }) {
		fmt.Fprintln(w, "index_differs: what is queried is not what the journal says; where the rest is proven, `mcp-gateway audit rebuild` builds the index anew")
	}
	if s.Dir == "" || r.Events > 0 {
		return nil
	}
	switch n := s.held.Events(); {
	case n > 0:
		return &cli.Error{Code: cli.BadChain, Text: fmt.Sprintf("not proven: the journal is empty while the index has %d events: it was removed", n)}
	case s.keys():
		return &cli.Error{Code: cli.BadChain, Text: "not proven: there are keys and no event: the journal was removed, or no gateway ever ran on this state"}
	}
	return nil
}
