package review

import (
	"time"

	"mcp-gateway/gateway"
)

// match says how a record meets a listed definition.
type match int

const (
	unreviewed match = iota // there is no record
	another                 // the record speaks of another definition
	same                    // the record speaks of this one
)

// age says how far a reviewer's deprecation has come.
type age int

const (
	current  age = iota // none
	outgoing            // its sunset is ahead
	over                // its sunset has come
)

// standing is a state with why it is not served; "" where it is.
type standing struct {
	state  gateway.ExposureState
	reason gateway.Reason
}

// Stand says where a listed definition of that digest stands by its record, nil
// where it has none, at a time. It is the one table of exposure states: whatever
// happens (a review, a change, a return, a sunset) leads to the state that the table
// has for what then holds, never to one that depends on the way.
func Stand(rec *Record, digest gateway.Digest, now time.Time) (gateway.ExposureState, gateway.Reason) {
	m, held, a := unreviewed, 0, current
	if rec != nil {
		m = another
		if rec.Definition == digest {
			m = same
		}
		if rec.Quarantine != "" {
			held = 1
		}
		switch d := rec.Facts.Deprecated; {
		case d.Retired(now):
			a = over
		case d != nil:
			a = outgoing
		}
	}
	at := table()[m][held][a]
	return at.state, at.reason
}

// table has a row for each match: for a record that is in force and for one that
// holds its item back, what follows at each age.
func table() [3][2][3]standing {
	fresh := standing{gateway.StateNew, gateway.ReasonUnreviewed}
	changed := standing{gateway.StateChanged, gateway.ReasonDefinitionChanged}
	held := standing{gateway.StateQuarantined, gateway.ReasonQuarantined}
	retired := standing{gateway.StateRetired, gateway.ReasonRetired}
	return [3][2][3]standing{
		unreviewed: {{fresh, fresh, fresh}, {fresh, fresh, fresh}},
		another:    {{changed, changed, retired}, {changed, changed, retired}},
		same: {
			{{state: gateway.StateApproved}, {state: gateway.StateDeprecated}, retired},
			{held, held, retired},
		},
	}
}

// Next returns the earliest sunset after now; zero where there is none.
func (x *Exposure) Next(now time.Time) time.Time {
	var next time.Time
	if x == nil {
		return next
	}
	for _, rec := range x.Items {
		if d := rec.Facts.Deprecated; d != nil && !d.Retired(now) && (next.IsZero() || d.Sunset.Before(next)) {
			next = d.Sunset
		}
	}
	return next
}
