package journal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/gateway"
)

// SettleDead closes what writers left open that ended without a word, of any
// replica in the folder: it cuts a torn tail and writes audit.recovered, and
// writes one tool.orphaned for each decided call without a finished one, and one
// subscription.closed for each subscription that was open. A
// writer whose lock is held is alive and left alone. Open does this first;
// a process that runs for long may do it again.
func (j *Journal) SettleDead() error {
	boots, err := folder.LockBoots(j.root)
	if err != nil {
		return err
	}
	return errors.Join(j.settleDead(), boots.Unlock())
}

// settleDead is SettleDead for a caller that holds the lock on boots, by which
// only one process does this at a time.
//
// Each call is closed once even if we die midway: the marker of a dead writer
// is made after all events about all of them are on disk, lowest boot first. So
// whoever comes after us finds either the marker, or, in a writer that has none,
// the events that were written about it.
func (j *Journal) settleDead() error {
	ws, err := folder.Writers(j.root)
	if err != nil {
		return err
	}
	var dead []Writer
	var alive []Writer
	for _, w := range ws {
		if w == j.self || folder.Settled(j.root, w) {
			continue
		}
		l, err := folder.TryEnter(j.root, w)
		if errors.Is(err, folder.ErrLocked) {
			alive = append(alive, w)
			continue
		}
		if err != nil {
			return err
		}
		defer l.Unlock()
		dead = append(dead, w)
	}
	if len(dead) == 0 {
		return nil
	}
	s := survey{open: map[audit.ID]opened{}, closed: map[audit.ID]bool{}}
	for _, w := range append(dead, append(alive, j.self)...) {
		if err := s.read(j.root, w, slices.Contains(dead, w)); err != nil {
			return err
		}
	}
	if err := j.report(&s); err != nil {
		return err
	}
	for _, w := range dead {
		if err := folder.Settle(j.root, w); err != nil {
			return err
		}
	}
	return nil
}

// opened is a decided event that has no finished one.
type opened struct {
	writer Writer
	seq    uint64
	action audit.ID
	heard  bool // it is a subscription
}

// tornTail is what a dead writer left after its last whole event.
type tornTail struct {
	writer Writer
	path   string
	seq    uint64 // of the last whole event
	size   int64  // of the whole lines
	cut    int64
}

// survey is what is open in the writers that were read.
type survey struct {
	open   map[audit.ID]opened
	closed map[audit.ID]bool // actions that have a tool.orphaned already
	torn   []tornTail
}

// The beginnings of the lines that matter; AppendJSON puts the type first.
var (
	decidedLine  = []byte(`{"v":1,"type":"tool.decided",`)
	finishedLine = []byte(`{"v":1,"type":"tool.finished",`)
	refusedLine  = []byte(`{"v":1,"type":"tool.refused",`)
	orphanedLine = []byte(`{"v":1,"type":"tool.orphaned",`)
	openedLine   = []byte(`{"v":1,"type":"subscription.opened",`)
	closedLine   = []byte(`{"v":1,"type":"subscription.closed",`)
)

// read adds the writer's events: of a dead one those from the segment on of which it
// noted what was open when it began. Lines that are no events are passed over: they are
// for Verify to speak of.
func (s *survey) read(root string, w Writer, dead bool) error {
	ns, err := folder.Segments(root, w)
	if err != nil {
		return err
	}
	from := 0
	if dead {
		from = s.noted(root, w, ns)
	}
	for i, n := range ns {
		if n < from {
			continue
		}
		path := folder.SegmentPath(root, w, n)
		err := folder.EachLine(path, 0, func(l folder.Line) error {
			switch {
			case l.Whole:
				s.add(w, l.Bytes, dead)
			case dead && i == len(ns)-1:
				last, _, err := folder.LastEvent(root, w)
				s.torn = append(s.torn, tornTail{w, path, last.Seq, l.At, l.Next - l.At})
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// noted takes what a dead writer noted to be open, and returns from which segment on it
// is to be read; 0 = from the first.
func (s *survey) noted(root string, w Writer, ns []int) int {
	from, open := folder.OpenAt(root, w)
	if !slices.Contains(ns, from) {
		return 0
	}
	for _, o := range open {
		s.open[o.Action] = opened{w, o.Seq, o.Action, o.Heard}
	}
	return from
}

// ofAnother is in every event about what another writer left open.
var ofAnother = []byte(`,"of_boot":`)

// add takes one line. A tool.refused ends a decided call too: its record came
// too late, and it was not sent.
func (s *survey) add(w Writer, text []byte, dead bool) {
	heard := bytes.HasPrefix(text, openedLine)
	decided := heard || bytes.HasPrefix(text, decidedLine)
	finished := bytes.HasPrefix(text, finishedLine) || bytes.HasPrefix(text, refusedLine) || bytes.HasPrefix(text, closedLine)
	orphaned := bytes.HasPrefix(text, orphanedLine)
	var e audit.Event
	switch {
	case !decided && !finished && !orphaned:
		return
	case !dead && !orphaned && !bytes.Contains(text, ofAnother):
		return // of a writer that lives, only what it says of others counts
	case audit.Decode(text, &e) != nil:
		return
	}
	switch {
	case orphaned, finished && e.OfBoot != 0:
		s.closed[e.Action] = true
	case decided && dead:
		s.open[e.Action] = opened{w, e.Seq, e.Action, heard}
	case finished:
		delete(s.open, e.Action)
	}
}

// report writes one event for each thing found, all on disk when it returns,
// and cuts the torn tails. A tail is cut after its event, so that a crash
// between them leaves one event too many and never one too few.
func (j *Journal) report(s *survey) error {
	ctx, cancel := context.WithTimeout(context.Background(), openDeadline)
	defer cancel()
	for _, t := range s.torn {
		e := audit.Event{
			Type: audit.AuditRecovered, OfReplica: t.writer.Replica, OfBoot: t.writer.Boot,
			OfSeq: t.seq, CutBytes: uint64(t.cut),
		}
		if _, err := j.Append(ctx, &e, audit.Disk); err != nil {
			return err
		}
		if err := cut(t.path, t.size); err != nil {
			return err
		}
	}
	var orphans []opened
	for _, o := range s.open {
		if !s.closed[o.action] {
			orphans = append(orphans, o)
		}
	}
	slices.SortFunc(orphans, func(a, b opened) int {
		return cmp.Or(cmp.Compare(a.writer.Boot, b.writer.Boot), cmp.Compare(a.seq, b.seq))
	})
	for i, o := range orphans {
		e := audit.Event{Type: audit.ToolOrphaned, Action: o.action, OfReplica: o.writer.Replica, OfBoot: o.writer.Boot, OfSeq: o.seq}
		if o.heard {
			e.Type, e.Reasons = audit.SubscriptionClosed, []gateway.Reason{gateway.ReasonWriterDied}
		} else {
			e.Code, e.Outcome = gateway.CodeOutcomeUnknown, gateway.OutcomeUnknown
		}
		class := audit.Process
		if i == len(orphans)-1 {
			class = audit.Disk // the sync for the last one covers all before it
		}
		if _, err := j.Append(ctx, &e, class); err != nil {
			return err
		}
	}
	return nil
}

func cut(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}
