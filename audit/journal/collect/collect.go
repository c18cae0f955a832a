package collect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/audit/journal/verify"
)

// Causes of a refusal.
var (
	ErrNotWhole = errors.New("collect: the journal does not verify")
	ErrHistory  = errors.New("collect: the journal tells another history than it told before")
)

// Taken is what one journal brought.
type Taken struct {
	Report  verify.Report
	Writers int // that are new or have new events
}

// Take copies the journal at source, verifies the copy, and puts it into the
// journal of the store: a folder for each writer, as in any journal. A writer
// that is there already may only have grown. Take may be run again at any time,
// also while the source is written to; one process at a time may.
//
// With ErrNotWhole the report says what is wrong, and the store is as it was.
func Take(source, store string, against verify.Against) (Taken, error) {
	incoming := filepath.Join(store, "incoming")
	if err := os.RemoveAll(incoming); err != nil {
		return Taken{}, err
	}
	defer os.RemoveAll(incoming)
	ws, err := folder.Writers(source)
	if err != nil {
		return Taken{}, err
	}
	for _, w := range ws {
		if err := copyWriter(source, incoming, w); err != nil {
			return Taken{}, err
		}
	}
	if err := os.MkdirAll(incoming, 0o700); err != nil {
		return Taken{}, err
	}
	report, err := verify.Journal(incoming, against)
	taken := Taken{Report: report}
	if err != nil {
		return taken, err
	}
	if !report.OK() {
		return taken, ErrNotWhole
	}
	target := filepath.Join(store, "journal")
	if err := folder.MakeDir(target); err != nil {
		return taken, err
	}
	for _, w := range ws {
		if err := grown(target, incoming, w); err != nil {
			return taken, fmt.Errorf("%s: %w", w, err)
		}
	}
	for _, w := range ws {
		changed, err := enter(target, incoming, w)
		if err != nil {
			return taken, err
		}
		if changed {
			taken.Writers++
		}
	}
	return taken, nil
}

// copyWriter copies the whole lines of a writer's segments, and its checkpoints.
// Checkpoints go first: what they tell of must be in what is copied after them.
func copyWriter(source, incoming string, w folder.Writer) error {
	if err := os.MkdirAll(filepath.Join(incoming, w.String()), 0o700); err != nil {
		return err
	}
	notes := folder.CheckpointPath(source, w)
	if err := copyFile(notes, folder.CheckpointPath(incoming, w)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	settled := folder.Settled(source, w)
	ns, err := folder.Segments(source, w)
	if err != nil {
		return err
	}
	for i, n := range ns {
		to := folder.SegmentPath(incoming, w, n)
		if err := copyFile(folder.SegmentPath(source, w, n), to); err != nil {
			return err
		}
		if i == len(ns)-1 && folder.Alive(source, w) {
			if err := cutTail(to); err != nil { // it is being written to
				return err
			}
		}
	}
	if settled {
		return folder.Settle(incoming, w)
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// cutTail takes off what stands behind the last line break.
func cutTail(path string) error {
	end := int64(0)
	err := folder.EachLine(path, 0, func(l folder.Line) error {
		if l.Whole {
			end = l.Next
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.Truncate(path, end)
}

// grown says that what the store has of a writer is the beginning of what came.
// A segment that retention deleted at the source stays in the store.
func grown(target, incoming string, w folder.Writer) error {
	ns, err := folder.Segments(incoming, w)
	if err != nil {
		return err
	}
	for _, n := range ns {
		had, err := os.ReadFile(folder.SegmentPath(target, w, n))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		now, err := os.ReadFile(folder.SegmentPath(incoming, w, n))
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(now, had) {
			return ErrHistory
		}
	}
	return nil
}

// enter puts a writer's files in place of what the store has of it, and says
// whether anything is new.
func enter(target, incoming string, w folder.Writer) (bool, error) {
	dir := filepath.Join(target, w.String())
	if err := folder.MakeDir(dir); err != nil {
		return false, err
	}
	before := folder.Bytes(target, w)
	entries, err := os.ReadDir(filepath.Join(incoming, w.String()))
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(incoming, w.String(), e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return false, err
		}
	}
	return folder.Bytes(target, w) > before, folder.SyncDir(dir)
}
