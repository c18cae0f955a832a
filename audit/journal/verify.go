package journal

import (
	"errors"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
)

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
	Missing   Kind = "missing"   // the event to which a later boot is chained is gone
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
	Alive  bool // it is being written to
}

// Report is the outcome of Verify.
type Report struct {
	Writers  []WriterReport
	Events   uint64
	Problems []Problem // by writer, in the order in which they stand
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

// maxProblems bounds the problems reported per writer: after the first the rest
// is for curiosity.
const maxProblems = 100

// Verify checks every chain of the journal in dir. It only reads, and works on
// a copy as well as on a journal in use. An error says that something could not
// be read; what is wrong with the journal itself is in the Report.
//
// What was cut off a writer's end is found if a later boot of the replica is
// chained to it; events after that can be cut without a trace.
func Verify(dir string) (Report, error) {
	ws, err := folder.Writers(dir)
	if err != nil {
		return Report{}, err
	}
	links, err := readLinks(dir, ws)
	if err != nil {
		return Report{}, err
	}
	var report Report
	for _, w := range ws {
		v := verifier{dir: dir, self: w, wanted: links.wanted[w]}
		if err := v.run(); err != nil {
			return Report{}, err
		}
		v.checkLinks()
		report.Writers = append(report.Writers, v.report)
		report.Events += v.report.Events
		report.Problems = append(report.Problems, v.problems...)
	}
	report.Problems = append(report.Problems, links.missing(ws)...)
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

// verifier walks one writer.
type verifier struct {
	dir      string
	self     Writer
	wanted   []link
	report   WriterReport
	problems []Problem
	hashes   map[uint64]audit.Hash // of the events that are wanted
	segment  int
	line     int
}

func (v *verifier) run() error {
	v.report = WriterReport{Writer: v.self, Alive: folder.Alive(v.dir, v.self)}
	v.hashes = map[uint64]audit.Hash{}
	ns, err := folder.Segments(v.dir, v.self)
	if err != nil {
		return err
	}
	for i, n := range ns {
		v.segment, v.line = n, 0
		if n != i+1 && (i == 0 || n != ns[i-1]+1) {
			v.found(Gap, v.report.Last+1)
		}
		last := i == len(ns)-1
		err := folder.EachLine(folder.SegmentPath(v.dir, v.self, n), 0, func(l folder.Line) error {
			v.line++
			if l.Whole {
				v.check(l.Bytes)
			} else if !last || !v.report.Alive {
				v.found(Torn, v.report.Last+1)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// check judges one whole line.
func (v *verifier) check(text []byte) {
	var e audit.Event
	want := v.report.Last + 1
	hash := folder.HashOf(text)
	switch {
	case audit.Decode(text, &e) != nil:
		v.found(Malformed, want)
		e.Seq = want
	case e.Replica != v.self.Replica || e.Boot != v.self.Boot:
		v.found(Foreign, want)
	case e.Seq < want:
		v.found(Fork, e.Seq)
	case e.Seq > want:
		v.found(Gap, want)
	case e.Seq == 1 && e.Type != audit.GatewayStarted:
		v.found(Gap, 1)
	case e.Seq > 1 && e.Prev != v.report.Head:
		v.found(Mismatch, e.Seq-1)
	}
	v.report.Events++
	v.report.Last, v.report.Head = max(e.Seq, v.report.Last), hash
	for _, l := range v.wanted {
		if l.seq == e.Seq {
			v.hashes[l.seq] = hash
		}
	}
}

// checkLinks compares what later boots say of this one with what stands here.
func (v *verifier) checkLinks() {
	v.segment, v.line = 0, 0
	for i, l := range v.wanted {
		hash, ok := v.hashes[l.seq]
		switch {
		case !ok:
			v.found(Missing, min(l.seq, v.report.Last+1))
		case hash != l.hash:
			v.found(Mismatch, l.seq)
		}
		if i > 0 {
			v.problems = append(v.problems, Problem{Kind: Fork, Writer: l.from, Seq: 1})
		}
	}
}

func (v *verifier) found(kind Kind, seq uint64) {
	if len(v.problems) < maxProblems {
		v.problems = append(v.problems, Problem{kind, v.self, seq, v.segment, v.line})
	}
}
