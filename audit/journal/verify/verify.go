package verify

import (
	"errors"
	"fmt"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal/folder"
)

// Writer names one opening of the journal.
type Writer = folder.Writer

// Kind is what is wrong at a place of a journal.
type Kind string

// The kinds of problems.
const (
	Malformed Kind = "malformed" // a line that is no event in canonical form
	Foreign   Kind = "foreign"   // an event that names another writer than its folder
	Gap       Kind = "gap"       // events are missing before the next one
	Fork      Kind = "fork"      // a sequence comes twice, or two boots follow the same event
	Mismatch  Kind = "mismatch"  // the next event is chained to other bytes than stand here
	Torn      Kind = "torn"      // an unfinished last line: a crash that no start has mended yet
	Missing   Kind = "missing"   // the event to which a later boot is chained, or of which a checkpoint tells, is gone

	Truncated Kind = "truncated" // a checkpoint tells of later events than stand here
	Rewritten Kind = "rewritten" // a checkpoint tells of another event than stands here
	Unsealed  Kind = "unsealed"  // a checkpoint that must be here is not
	Forged    Kind = "forged"    // what stands among the checkpoints is none that our key signed

	// IndexDiffers is found by audit/index/compare: the index beside the journal lacks
	// this event, or has it and the journal has not.
	IndexDiffers Kind = "index_differs"
)

// Problem is one thing that Verify found. Seq is the first event of the writer
// that the chain does not vouch for: all before it stand as they were written.
type Problem struct {
	Kind    Kind
	Writer  Writer
	Seq     uint64
	Segment int
	Line    int // in the segment, from 1; 0 where it is about no line
}

// WriterReport is what was found of one writer.
type WriterReport struct {
	Writer Writer
	Events uint64
	Last   uint64 // sequence of the last event
	Head   audit.Hash
	Alive  bool   // it is being written to
	First  uint64 // sequence of the first event that is here: above 1 when retention removed what came before
	Sealed uint64 // up to here a checkpoint vouches for the chain
	Abroad uint64 // up to here one that was kept elsewhere does

	Removed *Removed // what came before First, or all of it, is not here; nil: the writer is here from its first event
}

// Removed says where a writer begins that is not here from its first event. Where
// that was not retention, a Problem says so.
type Removed struct {
	Seq   uint64 // of the last event that is not here: of the checkpoint behind which the chain begins
	By    Writer // in which it is on record; zero where that event is gone by now
	Event uint64
}

// Report is the outcome of Verify.
type Report struct {
	Writers  []WriterReport
	Events   uint64
	Problems []Problem // by writer, in the order in which they stand
	Seals    int       // checkpoints that were held against the journal
	Foreign  int       // checkpoints kept elsewhere that other keys signed: not judged
	Late     int       // checkpoints made more than SealTime after the first event that they cover and none before
}

// OK says that every chain is whole.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// First returns the first problem of the writer.
func (r *Report) First(w Writer) (Problem, bool) {
	for _, p := range r.Problems {
		if p.Writer == w {
			return p, true
		}
	}
	return Problem{}, false
}

// String says it in one line.
func (p Problem) String() string {
	place := ""
	if p.Line > 0 {
		place = fmt.Sprintf(" (segment %d, line %d)", p.Segment, p.Line)
	}
	return fmt.Sprintf("%s at event %d%s: %s", p.Writer, p.Seq, place, p.Kind)
}

// maxProblems bounds the problems reported per writer: after the first the rest
// is for curiosity.
const maxProblems = 100

// Against is what a journal is held against besides its own chains.
type Against struct {
	// Keys are those by which checkpoints are accepted; none = checkpoints are not
	// looked at.
	Keys checkpoint.Keys
	// Notes are checkpoints that were kept elsewhere, as signed notes.
	Notes []string
	// Progress is told now and then how many events were read; nil for nobody.
	Progress func(events uint64)
}

// Journal checks every chain of the journal in dir. It only reads, and works on
// a copy as well as on a journal in use. An error says that something could not
// be read; what is wrong with the journal itself is in the Report.
//
// What was cut off a writer's end is found if a later boot of the replica is
// chained to it, or if a checkpoint that was kept elsewhere tells of it; events
// after that can be cut without a trace.
func Journal(dir string, o Against) (Report, error) {
	ws, err := folder.Writers(dir)
	if err != nil {
		return Report{}, err
	}
	links, err := readLinks(dir, ws)
	if err != nil {
		return Report{}, err
	}
	var report Report
	seals, err := readSeals(dir, ws, o, &report)
	if err != nil {
		return Report{}, err
	}
	pruned := map[Writer]removal{}
	walked := make([]*verifier, 0, len(ws))
	for _, w := range ws {
		v := &verifier{dir: dir, self: w, wanted: links.wanted[w], seals: seals.of[w], pruned: pruned, unsigned: len(o.Keys) == 0}
		v.tell = func(n uint64) {
			if o.Progress != nil {
				o.Progress(report.Events + n)
			}
		}
		if err := v.run(); err != nil {
			return Report{}, err
		}
		report.Events += v.report.Events
		walked = append(walked, v)
	}
	for _, v := range walked {
		v.checkStart()
		v.checkLinks()
		if len(o.Keys) > 0 {
			v.checkSeals()
			report.Late += v.late()
		}
		report.Writers = append(report.Writers, v.report)
		report.Problems = append(report.Problems, v.problems...)
	}
	report.Problems = append(report.Problems, links.missing(ws)...)
	report.Problems = append(report.Problems, seals.missing(ws)...)
	return report, nil
}

// link is what the first event of a writer is chained to.
type link struct {
	from Writer // the later writer
	seq  uint64
	hash audit.Hash
}

// links are all links, by the writer to which they lead and by the one from
// which they come. One that leads to no event leads to boot 0 of its replica.
type links struct {
	wanted map[Writer][]link
	to     map[Writer]Writer
}

func readLinks(dir string, ws []Writer) (links, error) {
	ls := links{wanted: map[Writer][]link{}, to: map[Writer]Writer{}}
	for _, w := range ws {
		ns, err := folder.Segments(dir, w)
		if err != nil {
			return ls, err
		}
		if len(ns) == 0 {
			continue
		}
		err = folder.EachLine(folder.SegmentPath(dir, w, ns[0]), 0, func(l folder.Line) error {
			ls.add(w, l)
			return folder.ErrStop
		})
		if err != nil && !errors.Is(err, folder.ErrStop) {
			return ls, err
		}
	}
	return ls, nil
}

// add takes the link from a writer's first line, if that is what it must be.
func (ls links) add(w Writer, l folder.Line) {
	var e audit.Event
	if !l.Whole || audit.Decode(l.Bytes, &e) != nil || e.Seq != 1 || e.Type != audit.GatewayStarted {
		return
	}
	to := Writer{Replica: w.Replica, Boot: e.OfBoot}
	ls.to[w] = to
	ls.wanted[to] = append(ls.wanted[to], link{w, e.OfSeq, e.Prev})
}

// missing returns the problems with links that lead to no writer that is here:
// its folder is gone, or the replica began twice.
func (ls links) missing(ws []Writer) []Problem {
	var found []Problem
	for _, w := range ws {
		to, ok := ls.to[w]
		if !ok || slices.Contains(ws, to) {
			continue
		}
		first := ls.wanted[to][0]
		switch {
		case first.from != w:
			found = append(found, Problem{Kind: Fork, Writer: w, Seq: 1})
		case to.Boot != 0:
			found = append(found, Problem{Kind: Missing, Writer: to, Seq: 1})
		case !first.hash.IsZero():
			found = append(found, Problem{Kind: Mismatch, Writer: w, Seq: 1})
		}
	}
	return found
}
