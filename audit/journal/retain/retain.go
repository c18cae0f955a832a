package retain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal/folder"
)

// lockName is held by the one process that removes.
const lockName = "retain.lock"

// Options say what may go, and how it is put on record.
type Options struct {
	Age  time.Duration // segments whose last event is older go; 0 = none for its age
	Size int64         // the oldest go until the journal has at most so many bytes; 0 = none for its size
	Now  time.Time

	Signer checkpoint.Signer
	Keys   checkpoint.Keys // by which checkpoints are accepted
	// Export is the second place of checkpoints; nil for none. What it fails to take
	// is not removed.
	Export checkpoint.Exporter
	// Record makes audit.pruned durable, under a checkpoint.
	Record func(context.Context, *audit.Event) error
}

// Removal is what was removed of one writer.
type Removal struct {
	Writer   folder.Writer
	Seq      uint64 // of the last event that is gone
	Events   uint64
	Segments int
	Bytes    int64
}

// Prune removes what Options let go. It removes nothing while another process is at
// it. What does not verify is kept, and is the error, ErrNotWhole, of a Prune that
// went on with other writers.
//
// The order makes it safe to die at any point: first it is on record and signed,
// then it is gone.
func Prune(ctx context.Context, dir string, o Options) ([]Removal, error) {
	lock, err := folder.TryLock(filepath.Join(dir, lockName))
	if errors.Is(err, folder.ErrLocked) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	free, total, err := removable(dir)
	if err != nil {
		return nil, err
	}
	due := choose(free, total, o)
	var done []Removal
	var failed error
	for _, w := range writersOf(due) {
		r, err := remove(ctx, dir, w, due[w], o)
		if r.Segments > 0 {
			done = append(done, r)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", w, err))
		}
	}
	return done, failed
}

func writersOf(due map[folder.Writer][]segment) []folder.Writer {
	at := folder.Cursor{}
	for w := range due {
		at[w] = folder.Place{}
	}
	return at.Writers()
}

// removable lists the segments that may go at all, and how many bytes the journal
// has.
func removable(dir string) (free []segment, total int64, err error) {
	ws, err := folder.Writers(dir)
	if err != nil {
		return nil, 0, err
	}
	newest := map[audit.Ident]folder.Writer{}
	for _, w := range ws {
		newest[w.Replica] = w
	}
	for _, w := range ws {
		settled := folder.Settled(dir, w) // asked before the listing: then it will never have another segment
		ns, err := folder.Segments(dir, w)
		if err != nil {
			return nil, 0, err
		}
		for i, n := range ns {
			s, err := look(dir, w, n)
			if err != nil {
				return nil, 0, err
			}
			total += s.size
			if s.size == 0 {
				continue // begun, and never written to
			}
			final := i == len(ns)-1
			if final && (!settled || newest[w.Replica] == w) {
				continue
			}
			if !final {
				s.next = folder.SegmentPath(dir, w, ns[i+1])
			}
			free = append(free, s)
		}
	}
	return free, total, nil
}

// choose returns what goes, by writer, each from its beginning on.
func choose(free []segment, total int64, o Options) map[folder.Writer][]segment {
	slices.SortStableFunc(free, func(a, b segment) int { return a.newest.Compare(b.newest) })
	due := map[folder.Writer][]segment{}
	kept := map[folder.Writer]bool{} // a segment stayed: so do those behind it
	for _, s := range free {
		old := o.Age > 0 && o.Now.Sub(s.newest) > o.Age
		large := o.Size > 0 && total > o.Size
		inOrder := len(due[s.writer]) == 0 || due[s.writer][len(due[s.writer])-1].number < s.number
		if kept[s.writer] || !old && !large || !inOrder {
			kept[s.writer] = true
			continue
		}
		due[s.writer] = append(due[s.writer], s)
		total -= s.size
	}
	return due
}

// remove removes the first segments of a writer, as far as they are whole and
// behind a checkpoint.
func remove(ctx context.Context, dir string, w folder.Writer, due []segment, o Options) (Removal, error) {
	r := Removal{Writer: w}
	seals, reach, err := sealed(dir, w, o.Keys)
	if err != nil {
		return r, err
	}
	dead := folder.Settled(dir, w)
	var gone []segment
	var notes []string
	for i := range due {
		end, err := due[i].prove(ctx, seals)
		if errors.Is(err, errNotYet) || err == nil && end.seq > reach && !dead {
			break // its checkpoint is yet to come
		}
		if err != nil {
			return r, err
		}
		gone = append(gone, due[i])
		notes = append(notes, checkpoint.Sign(checkpoint.Checkpoint{
			Replica: w.Replica, Boot: w.Boot, Seq: end.seq, Hash: end.hash, Time: o.Now, Removed: true,
		}, o.Signer))
		r.Seq, r.Events = end.seq, r.Events+end.events
	}
	if len(gone) == 0 {
		return r, nil
	}
	event := &audit.Event{Type: audit.AuditPruned, OfReplica: w.Replica, OfBoot: w.Boot, OfSeq: r.Seq, Count: r.Events}
	if err := o.Record(ctx, event); err != nil {
		return r, err
	}
	if err := state(ctx, dir, w, notes, o); err != nil {
		return r, err
	}
	for _, s := range gone {
		if err := os.Remove(s.path); err != nil {
			return r, err
		}
		r.Segments, r.Bytes = r.Segments+1, r.Bytes+s.size
	}
	return r, folder.SyncDir(filepath.Join(dir, w.String()))
}

// state puts the signed statements where checkpoints are, and into the second
// place.
func state(ctx context.Context, dir string, w folder.Writer, notes []string, o Options) error {
	for _, note := range notes {
		if err := checkpoint.Append(folder.CheckpointPath(dir, w), note); err != nil {
			return err
		}
	}
	for _, note := range notes {
		if o.Export == nil {
			break
		}
		if err := o.Export.Export(ctx, note); err != nil {
			return err
		}
	}
	return nil
}
