package verify

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal/folder"
)

// sealEvents is how many events one checkpoint may be apart from the next.
const sealEvents = 1000

// SealTime is how long an event may wait for the checkpoint that covers it, a slow
// disk included. One that came later proves no less; the machine may have slept.
const SealTime = 90 * time.Second

// seal is a checkpoint that a key of ours signed.
type seal struct {
	checkpoint.Checkpoint
	here   bool // it stands in the journal
	abroad bool // it was kept elsewhere
	forged bool // it stands among the checkpoints, and is none
}

// seals are all checkpoints, by the writer of which they tell.
type seals struct{ of map[Writer][]seal }

func writerOf(c checkpoint.Checkpoint) Writer { return Writer{Replica: c.Replica, Boot: c.Boot} }

// readSeals reads the checkpoints of the journal, and those kept elsewhere.
func readSeals(dir string, ws []Writer, o Against, report *Report) (seals, error) {
	all := seals{of: map[Writer][]seal{}}
	if len(o.Keys) == 0 {
		return all, all.believe(dir, ws)
	}
	for _, w := range ws {
		notes, err := checkpoint.Read(folder.CheckpointPath(dir, w))
		if err != nil {
			return all, err
		}
		for _, note := range notes {
			c, err := o.Keys.Open(note)
			all.add(w, seal{Checkpoint: c, here: true, forged: err != nil || writerOf(c) != w})
		}
		report.Seals += len(notes)
	}
	for _, note := range o.Notes {
		c, err := o.Keys.Open(note)
		if errors.Is(err, checkpoint.ErrUnknownKey) {
			report.Foreign++
			continue
		}
		// What is no checkpoint at all is told of the writer that it names, if any.
		all.add(writerOf(c), seal{Checkpoint: c, abroad: true, forged: err != nil})
		report.Seals++
	}
	for _, of := range all.of {
		slices.SortStableFunc(of, func(a, b seal) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	return all, nil
}

// believe takes the journal's own checkpoints unproven, for whoever has no key:
// where retention removed something, they say where the chain begins.
func (s seals) believe(dir string, ws []Writer) error {
	for _, w := range ws {
		notes, err := checkpoint.Read(folder.CheckpointPath(dir, w))
		if err != nil {
			return err
		}
		for _, note := range notes {
			if c, err := (checkpoint.Keys{}).Open(note); errors.Is(err, checkpoint.ErrUnknownKey) && writerOf(c) == w {
				s.add(w, seal{Checkpoint: c, here: true})
			}
		}
	}
	return nil
}

// add puts a checkpoint to the others of its writer. One that was kept in both
// places is one.
func (s seals) add(w Writer, one seal) {
	for i := range s.of[w] {
		if had := &s.of[w][i]; !one.forged && !had.forged && had.Seq == one.Seq && had.Hash == one.Hash && had.Removed == one.Removed {
			had.here, had.abroad = had.here || one.here, had.abroad || one.abroad
			return
		}
	}
	s.of[w] = append(s.of[w], one)
}

// missing returns the problems with checkpoints of writers that are not here.
func (s seals) missing(ws []Writer) []Problem {
	var found []Problem
	for w, of := range s.of {
		if slices.Contains(ws, w) || len(of) == 0 {
			continue
		}
		kind := Missing
		if of[0].forged && w.Replica == "" {
			kind = Forged
		}
		found = append(found, Problem{Kind: kind, Writer: w, Seq: 1})
	}
	slices.SortFunc(found, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Writer.Boot, b.Writer.Boot), cmp.Compare(a.Writer.Replica, b.Writer.Replica))
	})
	return found
}

// checkSeals holds the writer against its checkpoints.
func (v *verifier) checkSeals() {
	v.segment, v.line = 0, 0
	good := uint64(0) // up to here checkpoints and chain agree
	for _, s := range v.seals {
		hash, stands := v.hashes[s.Seq]
		switch {
		case s.forged:
			v.found(Forged, good+1)
		case v.gone(s.Hash, s.Seq):
			good = s.Seq
		case s.Seq > v.report.Last:
			v.found(Truncated, v.report.Last+1)
		case !stands || hash != s.Hash:
			v.found(Rewritten, good+1)
		default:
			good = s.Seq
			v.vouch(s)
		}
		if s.abroad && !s.here {
			v.found(Unsealed, s.Seq)
		}
	}
	v.checkSpacing()
}

func (v *verifier) vouch(s seal) {
	v.report.Sealed = max(v.report.Sealed, s.Seq)
	if s.abroad {
		v.report.Abroad = max(v.report.Abroad, s.Seq)
	}
}

// checkSpacing finds checkpoints that were made and are gone: each thousandth
// event has one as soon as a later one is there, and the end of a writer that
// stopped in order has one.
func (v *verifier) checkSpacing() {
	here := map[uint64]bool{}
	var last uint64
	for _, s := range v.seals {
		if s.here && !s.forged {
			here[s.Seq], last = true, max(last, s.Seq)
		}
	}
	end := last
	if v.stopped && !v.report.Alive {
		end = v.report.Last
		if !here[end] {
			v.found(Unsealed, end)
		}
	}
	from := (max(v.report.First, 1)-1)/sealEvents + 1
	for n := from * sealEvents; n < end; n += sealEvents {
		if !here[n] {
			v.found(Unsealed, n)
		}
	}
}

// late counts the checkpoints that were long in coming.
func (v *verifier) late() int {
	n, last := 0, uint64(0)
	for _, s := range v.seals {
		if s.forged || s.Removed || s.Seq == last {
			continue
		}
		if came, ok := v.times[last]; ok && s.Time.Sub(came) > SealTime {
			n++
		}
		last = s.Seq
	}
	return n
}
