package gateway

import (
	"slices"
	"time"
)

// StatusQuery says how it can be found out later whether a write happened: the
// upstream's own read tool, called with these arguments, gives at Found the
// external id of what was written.
type StatusQuery struct {
	Tool      string            // the upstream's name of a reviewed read tool
	Arguments map[string]string // its arguments; "{key}" in a text stands for the idempotency key
	Found     string            // JSON Pointer into its structuredContent
	// Verify says that each result's external id is looked up before its receipt is
	// signed, at the price of one more call.
	Verify bool
}

// OutcomeWords say by which words of its result a write tells what became of it.
type OutcomeWords struct {
	Pointer   string   // JSON Pointer into structuredContent, where the word stands
	Committed []string // none: every word that is none of the others
	Accepted  []string // it was taken on and will be done later
	Partial   []string // a part of it was done
	Failed    []string // it was not done
}

// Of returns what a word says became of the call: OutcomeUnknown where the
// reviewer listed what commits and the word is nowhere.
func (w *OutcomeWords) Of(word string) Outcome {
	for outcome, words := range map[Outcome][]string{
		OutcomeCommitted: w.Committed, OutcomeAccepted: w.Accepted, OutcomePartial: w.Partial, OutcomeFailed: w.Failed,
	} {
		if slices.Contains(words, word) {
			return outcome
		}
	}
	if len(w.Committed) > 0 {
		return OutcomeUnknown
	}
	return OutcomeCommitted
}

// Deprecation says that a tool is on its way out: callable, and marked, until
// its sunset.
type Deprecation struct {
	Sunset time.Time // the first day, UTC, on which it is not served
	Use    string    // the upstream's name of what replaces it; "" = nothing does
}

// Retired says whether the sunset has come.
func (d *Deprecation) Retired(now time.Time) bool { return d != nil && !now.Before(d.Sunset) }

// AuditLevel says how durable an item's events must be: "" leaves it to the class
// of its side effect. A reviewer may ask for more, never for less.
type AuditLevel string

// AuditDisk asks for what survives the death of the machine.
const AuditDisk AuditLevel = "disk"
