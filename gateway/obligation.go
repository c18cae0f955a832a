package gateway

import (
	"slices"
	"time"
)

// Obligations are what a decision asks for besides its effect. Whoever lets a
// call go ahead must keep every one of them. The zero value asks for nothing.
type Obligations struct {
	MaskArguments  []string      // JSON Pointers into the arguments; what they name is not sent
	MaskResult     []string      // JSON Pointers into structuredContent; what they name is not released
	ResultBytes    int           // the most that a result may have; 0 = as the gateway allows
	Approvals      []ApprovalBy  // a human must have approved; each must be met
	IdempotencyKey bool          // the call must carry its idempotency key
	RateClasses    []string      // rates under which the call counts, beside those of its tool
	Labels         []string      // codes that go on record with the call
	StepUp         []string      // scopes that the caller must hold as well
	Timeout        time.Duration // the most that one exchange may take; 0 = as the gateway allows
	FreshWithin    time.Duration // how long ago the caller may have authenticated; 0 = any time
}

// IsZero says whether nothing is asked for.
func (o *Obligations) IsZero() bool {
	return len(o.MaskArguments)+len(o.MaskResult)+len(o.Approvals)+len(o.RateClasses)+len(o.Labels)+len(o.StepUp) == 0 &&
		o.ResultBytes == 0 && !o.IdempotencyKey && o.Timeout == 0 && o.FreshWithin == 0
}

// ApprovalBy says who may approve. The zero value takes anyone but the caller.
type ApprovalBy struct {
	Groups []string // the approver is in one of them; empty = anyone
	Self   bool     // the caller's own consent is enough

	Remember time.Duration // how long a yes may stand for later calls of the tool; 0 = it is for one call
}

// ApprovalFact is the approval of one very call by a human: bound to caller,
// tool, definition and arguments by whoever made it, and good until it expires.
type ApprovalFact struct {
	ID             string
	Approver       string
	ApproverGroups []string
	Self           bool // the caller consented, as its host says
	ApprovedAt     time.Time
	Expires        time.Time
}

// Holds says whether the approval is good at that time. None never is.
func (a *ApprovalFact) Holds(at time.Time) bool {
	return a != nil && a.ID != "" && !a.ApprovedAt.After(at) && at.Before(a.Expires)
}

// MetBy says whether the approval is of the kind that is asked for, and holds.
func (b ApprovalBy) MetBy(a *ApprovalFact, at time.Time) bool {
	if !a.Holds(at) || a.Self && !b.Self {
		return false
	}
	return len(b.Groups) == 0 || slices.ContainsFunc(b.Groups, func(g string) bool { return slices.Contains(a.ApproverGroups, g) })
}
