package audit

import "math"

// The most bytes that an event of a type takes as a line, without the line break.
// Others are bounded by the shapes of their fields.
const (
	maxDecided  = 1300
	maxFinished = 600
)

// limits returns how long an event of a type may be, and the steps in which fields of a
// longer one give way until it fits: what is missed least first. What is left after the
// last always fits.
func limits(t Type) (most int, steps []func(*Event)) {
	switch t {
	case ToolDecided:
		return maxDecided, decidedSteps[:]
	case ToolFinished:
		return maxFinished, finishedSteps[:]
	default:
		return 0, nil
	}
}

var decidedSteps = [...]func(*Event){
	func(e *Event) { e.Stages = Stages{} },
	func(e *Event) { e.UpstreamVersion, e.Run, e.Step, e.Call = "", "", "", "" }, // claims
	func(e *Event) { first(&e.Reasons, "more_reasons"); first(&e.Obligations, "more_obligations") },
	func(e *Event) { // of the hops; the definition's digest is over the schema
		e.Schema, e.Transport = Sum{}, ""
		e.Era, e.Revision, e.UpstreamEra, e.UpstreamRevision = "", "", "", ""
	},
	func(e *Event) { e.Subject, e.Client, e.Request, e.Trace = "", "", "", Trace{} }, // there is the pseudonym
	func(e *Event) { e.ArgsBytes, e.Obligations = 0, nil },
	func(e *Event) { // policy.loaded names the policy, the exposed name begins with the upstream
		*e = core(e, &Event{
			Principal: e.Principal, Tenant: e.Tenant, Method: e.Method, Tool: e.Tool, ToolRef: e.ToolRef, Definition: e.Definition,
			State: e.State, Class: e.Class, Effect: e.Effect, Reasons: e.Reasons, Approval: e.Approval, Args: e.Args,
		})
		if e.Tool != "" {
			e.ToolRef = ""
		}
	},
}

var finishedSteps = [...]func(*Event){
	func(e *Event) { e.Stages = Stages{} },
	func(e *Event) { total(&e.Findings); total(&e.Redactions); first(&e.Reasons, "more_reasons") },
	func(e *Event) { e.Retries, e.Duration = 0, 0 },
	func(e *Event) { *e = core(e, &Event{Code: e.Code, Outcome: e.Outcome, Receipt: e.Receipt}) },
}

// within returns the event after as many steps as it takes to have at most so many
// bytes; LeftOut is their number.
func within(e *Event, most int, steps []func(*Event)) Event {
	short := *e
	buf := make([]byte, 0, 2*most)
	for i, giveWay := range steps {
		giveWay(&short)
		short.LeftOut = uint32(i + 1)
		if buf = appendFields(buf[:0], &short); len(buf) <= most {
			break
		}
	}
	return short
}

// core returns what is kept besides what every event has.
func core(e, kept *Event) Event {
	kept.Type, kept.Seq, kept.Action, kept.ID, kept.Time = e.Type, e.Seq, e.Action, e.ID, e.Time
	kept.Replica, kept.Boot, kept.Prev = e.Replica, e.Boot, e.Prev
	return *kept
}

// first keeps the first word of a list, and says that there are more.
func first[T ~string](at *[]T, more T) {
	if len(*at) > 1 {
		*at = []T{(*at)[0], more}
	}
}

// total keeps how many there are of all classes together.
func total(at *[]Count) {
	if len(*at) < 2 {
		return
	}
	sum := Count{Class: "other"}
	for _, c := range *at {
		sum.N += min(c.N, math.MaxUint32-sum.N)
	}
	*at = []Count{sum}
}
