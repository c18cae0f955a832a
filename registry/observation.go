package registry

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mcp-gateway/gateway"
)

// Observation is where one definition stands now.
type Observation struct {
	ID         gateway.ItemID // Tool is "" where a listed object has no usable name
	Exposed    string         // "" where there is none
	Digest     gateway.Digest // of the listed definition; of the record where none is listed
	State      gateway.ExposureState
	Reasons    []gateway.Reason // why it is not served; empty when it is
	Detail     string           // the cause in words, for operators; never sent to a host
	Findings   []gateway.Finding
	Definition *Definition // as far as it could be read; nil when no such tool is listed
	Record     *Record     // nil when unreviewed
	Trusted    bool        // served unreviewed, because the upstream is trusted unsafely
	FirstSeen  time.Time   // when this process first saw these bytes; History knows longer
}

// Changes are what one publication, exposure or departure made different.
// Added, Changed and Removed tell of the upstream's list; Approved, Quarantined
// and Withheld tell which definitions entered that state by it.
type Changes struct {
	Added       []Observation
	Changed     []Observation // listed under the same name with another digest
	Removed     []Observation // as they last stood
	Approved    []Observation
	Quarantined []Observation // new, changed or held back by a reviewer
	Withheld    []Observation
	Partial     bool   // the list was partial: what it did not show was kept
	Any         bool   // what is served is different: hosts are to be told
	Revision    uint64 // of the snapshot that now holds
}

// standing names one definition in one list; duplicates share it.
type standing struct {
	id     gateway.ItemID
	digest gateway.Digest
}

// compare returns what is different between two sorted rows of observations.
func compare(before, after []Observation) Changes {
	var c Changes
	listed := make(map[gateway.ItemID]bool, len(before))
	states := make(map[standing]gateway.ExposureState, len(before))
	for i := range before {
		if o := &before[i]; o.State != gateway.StateMissing {
			states[standing{o.ID, o.Digest}] = o.State
			listed[o.ID] = true
		}
	}
	still := make(map[gateway.ItemID]bool, len(after))
	for i := range after {
		o := &after[i]
		if o.State == gateway.StateMissing {
			continue
		}
		still[o.ID] = true
		was, known := states[standing{o.ID, o.Digest}]
		if !known {
			c.list(listed, o)
		}
		if was != o.State {
			c.enter(o)
		}
	}
	for i := range before {
		if o := &before[i]; o.State != gateway.StateMissing && !still[o.ID] {
			c.Removed = append(c.Removed, *o)
		}
	}
	return c
}

// list files a definition that was not listed before as added or changed.
func (c *Changes) list(before map[gateway.ItemID]bool, o *Observation) {
	if before[o.ID] {
		c.Changed = append(c.Changed, *o)
		return
	}
	c.Added = append(c.Added, *o)
}

// enter files a definition under the state that it is now in.
func (c *Changes) enter(o *Observation) {
	switch o.State {
	case gateway.StateApproved, gateway.StateDeprecated:
		c.Approved = append(c.Approved, *o)
	case gateway.StateWithheld:
		c.Withheld = append(c.Withheld, *o)
	default:
		c.Quarantined = append(c.Quarantined, *o)
	}
}

// sortObservations puts them in the order in which they are shown.
func sortObservations(all []Observation) {
	slices.SortStableFunc(all, func(a, b Observation) int {
		return cmpID(a.ID, b.ID)
	})
}

func cmpID(a, b gateway.ItemID) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Upstream, b.Upstream), strings.Compare(a.Name, b.Name))
}
