package audit

import (
	"math"
	"slices"
)

// The most bytes that an event of a type takes as a line, without the line break.
// Others are bounded by the shapes of their fields.
const (
	maxDecided  = 1300
	maxFinished = 600
)

// limits returns how long an event of a type may be, and what is left out of one that
// would be longer, step by step until it fits. What comes first is missed least: times,
// then what is told elsewhere or only claimed. What is not in the list always fits.
func limits(t Type) (most int, steps []func(*Event) bool) {
	switch t {
	case ToolDecided:
		return maxDecided, decidedSteps[:]
	case ToolFinished:
		return maxFinished, finishedSteps[:]
	default:
		return 0, nil
	}
}

var decidedSteps = [...]func(*Event) bool{
	func(e *Event) bool { return empty(&e.Stages) },
	func(e *Event) bool { return empty(&e.UpstreamVersion) },
	func(e *Event) bool { return empty(&e.Step) },
	func(e *Event) bool { return empty(&e.Call) },
	func(e *Event) bool { return empty(&e.Run) },
	func(e *Event) bool { return first(&e.Obligations, "more_obligations") },
	func(e *Event) bool { return first(&e.Reasons, "more_reasons") },
	func(e *Event) bool { return none(&e.Faults) },
	func(e *Event) bool { return empty(&e.Schema) }, // the definition's digest is over it
	func(e *Event) bool { return either(empty(&e.UpstreamRevision), empty(&e.UpstreamEra)) },
	func(e *Event) bool { return empty(&e.Subject) }, // the pseudonym is the principal's
	func(e *Event) bool { return empty(&e.Client) },
	func(e *Event) bool { return empty(&e.Request) },
	func(e *Event) bool { return empty(&e.Trace) },
	func(e *Event) bool { return none(&e.Obligations) },
	func(e *Event) bool { return either(empty(&e.Revision), empty(&e.Era), empty(&e.Transport)) },
	func(e *Event) bool { return e.Tool != "" && empty(&e.Upstream) }, // the exposed name begins with it
	func(e *Event) bool { return empty(&e.Policy) },                   // policy.loaded names it
	func(e *Event) bool { return empty(&e.Input) },
	func(e *Event) bool { return empty(&e.ArgsBytes) },
	core(func(e *Event) Event {
		return Event{
			Principal: e.Principal, Tenant: e.Tenant, Method: e.Method, Tool: e.Tool, ToolRef: e.ToolRef,
			Definition: e.Definition, State: e.State, Class: e.Class, Effect: e.Effect, Reasons: e.Reasons,
			Approval: e.Approval, Receipt: e.Receipt, Args: e.Args,
		}
	}),
	func(e *Event) bool { return e.Tool != "" && empty(&e.ToolRef) },
	func(e *Event) bool { return empty(&e.Receipt) }, // the receipt names its events
}

var finishedSteps = [...]func(*Event) bool{
	func(e *Event) bool { return empty(&e.Stages) },
	func(e *Event) bool { return total(&e.Findings) },
	func(e *Event) bool { return total(&e.Redactions) },
	func(e *Event) bool { return first(&e.Reasons, "more_reasons") },
	func(e *Event) bool { return empty(&e.Retries) },
	func(e *Event) bool { return empty(&e.Duration) },
	func(e *Event) bool { return none(&e.Findings) },
	func(e *Event) bool { return none(&e.Redactions) },
	func(e *Event) bool { return empty(&e.ResultBytes) },
	func(e *Event) bool { return none(&e.Reasons) },
	core(func(e *Event) Event { return Event{Code: e.Code, Outcome: e.Outcome, Receipt: e.Receipt} }),
}

// within returns the event with so much left out that it has at most so many bytes, and
// with how many steps that took in LeftOut.
func within(e *Event, most int, steps []func(*Event) bool) Event {
	short := *e
	buf := make([]byte, 0, 2*most)
	for _, leaveOut := range steps {
		if !leaveOut(&short) {
			continue
		}
		short.LeftOut++
		if buf = appendFields(buf[:0], &short); len(buf) <= most {
			break
		}
	}
	return short
}

// core keeps what of names, besides what every event has. A type uses few of the fields
// that it leaves out; whoever sets them nonetheless makes no event longer.
func core(of func(e *Event) Event) func(*Event) bool {
	return func(e *Event) bool {
		kept := of(e)
		kept.Type, kept.Seq, kept.Action, kept.ID, kept.Time = e.Type, e.Seq, e.Action, e.ID, e.Time
		kept.Replica, kept.Boot, kept.Prev, kept.LeftOut = e.Replica, e.Boot, e.Prev, e.LeftOut
		*e = kept
		return true
	}
}

func either(all ...bool) bool { return slices.Contains(all, true) }

func empty[T comparable](at *T) bool {
	var zero T
	was := *at
	*at = zero
	return was != zero
}

func none[T any](at *[]T) bool {
	had := len(*at) > 0
	*at = nil
	return had
}

// first keeps the first word of a list, and says that there are more.
func first[T ~string](at *[]T, more T) bool {
	if len(*at) < 2 || len(*at) == 2 && (*at)[1] == more {
		return false
	}
	*at = []T{(*at)[0], more}
	return true
}

// total keeps how many there are of all classes together.
func total(at *[]Count) bool {
	if len(*at) < 2 {
		return false
	}
	sum := Count{Class: "other"}
	for _, c := range *at {
		sum.N += min(c.N, math.MaxUint32-sum.N)
	}
	*at = []Count{sum}
	return true
}
