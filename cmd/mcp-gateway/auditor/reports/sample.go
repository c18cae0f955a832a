package reports

import (
	"bytes"
	"container/heap"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"mcp-gateway/audit"
)

// drawn is one event of a sample, by what a person needs to find it again.
type drawn struct {
	lot    [sha256.Size]byte
	time   time.Time
	id     audit.ID // of the action; of a list that of its event
	event  audit.Type
	tool   audit.Ident
	whose  audit.Keyed
	effect string
	code   string
}

// Sample draws a fixed number of ids at random: those whose lot, a digest of seed and
// id, is smallest. The same seed over the same record draws the same again, in
// whatever order it is read, and it takes no more memory than the sample.
type Sample struct {
	seed [8]byte
	size int
	held lots
	Of   uint64 // from how many was drawn
}

// NewSample returns a sample of that size.
func NewSample(seed uint64, size int) *Sample {
	s := &Sample{size: size}
	binary.BigEndian.PutUint64(s.seed[:], seed)
	return s
}

// Add offers an event.
func (s *Sample) Add(e *audit.Event) {
	d := drawn{time: e.Time, id: e.Action, event: e.Type, tool: e.Tool, whose: e.Principal, effect: string(e.Effect), code: string(e.Code)}
	if e.Type == audit.ToolsListed {
		d.id = e.ID
	}
	s.Of++
	d.lot = sha256.Sum256(append(s.seed[:], d.id[:]...))
	switch {
	case len(s.held) < s.size:
		heap.Push(&s.held, d)
	case s.size > 0 && bytes.Compare(d.lot[:], s.held[0].lot[:]) < 0:
		s.held[0] = d
		heap.Fix(&s.held, 0)
	}
}

// Drawn returns what was drawn, in the order of the lots: any first part of it is a
// sample too.
func (s *Sample) Drawn() []drawn {
	return slices.SortedFunc(slices.Values(s.held), func(a, b drawn) int { return bytes.Compare(a.lot[:], b.lot[:]) })
}

// lots is a heap with the largest lot on top.
type lots []drawn

// Len implements heap.Interface.
func (l lots) Len() int { return len(l) }

// Less implements heap.Interface.
func (l lots) Less(i, j int) bool { return bytes.Compare(l[i].lot[:], l[j].lot[:]) > 0 }

// Swap implements heap.Interface.
func (l lots) Swap(i, j int) { l[i], l[j] = l[j], l[i] }

// Push implements heap.Interface.
func (l *lots) Push(x any) { *l = append(*l, x.(drawn)) }

// Pop implements heap.Interface.
func (l *lots) Pop() any {
	all := *l
	last := all[len(all)-1]
	*l = all[:len(all)-1]
	return last
}
