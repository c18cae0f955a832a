package verify

import (
	"slices"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
)

// removal is what an event says of what retention removed.
type removal struct {
	seq uint64 // up to this event
	by  Writer // who wrote it
	at  uint64 // under which number
}

// verifier walks one writer.
type verifier struct {
	dir      string
	self     Writer
	wanted   []link
	seals    []seal
	unsigned bool               // checkpoints are not looked at
	pruned   map[Writer]removal // what retention removed, of any writer, as events tell; shared
	tell     func(events uint64)
	report   WriterReport
	problems []Problem
	times    map[uint64]time.Time  // when the first event came that a checkpoint covers and none before it
	after    map[uint64]bool       // the checkpoints whose next event is the first of another
	before   audit.Hash            // what the first event that is here is chained to
	hashes   map[uint64]audit.Hash // of the events that links or checkpoints name
	wants    map[uint64]bool
	stopped  bool // the last event is gateway.stopped
	segment  int
	line     int
}

// tellEvery is how many events lie between two words about progress.
const tellEvery = 10_000

func (v *verifier) run() error {
	v.report = WriterReport{Writer: v.self, Alive: folder.Alive(v.dir, v.self)}
	v.hashes, v.wants = map[uint64]audit.Hash{}, map[uint64]bool{}
	for _, l := range v.wanted {
		v.wants[l.seq] = true
	}
	v.times, v.after = map[uint64]time.Time{}, map[uint64]bool{0: true}
	for _, s := range v.seals {
		v.wants[s.Seq], v.after[s.Seq] = true, true
	}
	ns, err := folder.Segments(v.dir, v.self)
	if err != nil {
		return err
	}
	for i, n := range ns {
		v.segment, v.line = n, 0
		if i > 0 && n != ns[i-1]+1 {
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
	sound := audit.Decode(text, &e) == nil
	switch {
	case !sound:
		v.found(Malformed, want)
		e.Seq = want
	case e.Replica != v.self.Replica || e.Boot != v.self.Boot:
		v.found(Foreign, want)
	case v.report.Events == 0 && e.Seq > 1:
		v.before = e.Prev // whether that may be, checkStart says
	case e.Seq < want:
		v.found(Fork, e.Seq)
	case e.Seq > want:
		v.found(Gap, want)
	case e.Seq == 1 && e.Type != audit.GatewayStarted:
		v.found(Gap, 1)
	case e.Seq > 1 && e.Prev != v.report.Head:
		v.found(Mismatch, e.Seq-1)
	}
	if v.report.Events == 0 {
		v.report.First = e.Seq
	}
	// One who can write but not sign must not excuse what he deleted.
	if sound && e.Type == audit.AuditPruned && (v.unsigned || e.Seq <= v.reach()) {
		of := Writer{Replica: e.OfReplica, Boot: e.OfBoot}
		if e.OfSeq > v.pruned[of].seq {
			v.pruned[of] = removal{e.OfSeq, v.self, e.Seq}
		}
	}
	if sound && v.after[e.Seq-1] {
		v.times[e.Seq-1] = e.Time
	}
	v.stopped = e.Type == audit.GatewayStopped
	v.report.Last, v.report.Head = max(e.Seq, v.report.Last), hash
	if v.wants[e.Seq] {
		v.hashes[e.Seq] = hash
	}
	if v.report.Events++; v.report.Events%tellEvery == 0 {
		v.tell(v.report.Events)
	}
}

// reach is the number of the last event that a checkpoint covers.
func (v *verifier) reach() uint64 {
	var last uint64
	for _, s := range v.seals {
		if !s.forged {
			last = max(last, s.Seq)
		}
	}
	return last
}

// gone says that everything up to an event was removed as retention says: a
// checkpoint vouches for what was there, and a signed statement, or an event under
// a checkpoint, tells that it was removed.
func (v *verifier) gone(hash audit.Hash, seq uint64) bool {
	here := v.report.Events > 0 && seq >= v.report.First
	vouched := slices.ContainsFunc(v.seals, func(s seal) bool { return s.Seq == seq && s.Hash == hash && !s.forged })
	return !here && vouched && max(v.pruned[v.self].seq, v.removed()) >= seq
}

// removed is the last event of which a signed statement says that it was removed,
// with all before it.
func (v *verifier) removed() uint64 {
	var last uint64
	for _, s := range v.seals {
		if s.Removed && !s.forged {
			last = max(last, s.Seq)
		}
	}
	return last
}

// checkStart judges a writer whose beginning is not here.
func (v *verifier) checkStart() {
	v.segment, v.line = 0, 0
	if v.report.First > 1 && !v.gone(v.before, v.report.First-1) {
		v.problems = slices.Insert(v.problems, 0, Problem{Kind: Gap, Writer: v.self, Seq: 1})
	}
	first := v.report.First
	if v.report.Events == 0 {
		first = v.removed() + 1
	}
	if first > 1 {
		by := v.pruned[v.self]
		v.report.Removed = &Removed{Seq: first - 1, By: by.by, Event: by.at}
	}
}

// checkLinks compares what later boots say of this one with what stands here.
func (v *verifier) checkLinks() {
	v.segment, v.line = 0, 0
	for i, l := range v.wanted {
		hash, ok := v.hashes[l.seq]
		switch {
		case !ok && l.seq > v.report.Last && v.gone(l.hash, l.seq):
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
