package approval

import (
	"context"
	"errors"
	"time"

	"mcp-gateway/gateway"
)

// State is where a ticket stands.
type State string

// The states. Pending is left once, by a verdict or by time; approved is left once,
// by the call that uses it, by its revocation or by time. The others are ends.
const (
	Pending   State = "pending"
	Approved  State = "approved"
	Denied    State = "denied"
	Expired   State = "expired"
	Cancelled State = "cancelled"
	Consumed  State = "consumed"
)

// Ticket is one question to a person, and the answer.
type Ticket struct {
	ID      string // a UUID
	State   State
	Binding Binding
	Shown   string // what an approver sees, sealed; "" once the ticket ended
	Created time.Time
	Expires time.Time
	Verdict Verdict
	Action  string // that consumed it
}

// Verdict is what a person said.
type Verdict struct {
	State    State // Approved, Denied or Cancelled
	Approver string
	Groups   []string
	Self     bool // the caller's own consent, as its host tells it
	Via      string
	Reason   string
	At       time.Time
}

// Fact is what policy learns of an approved ticket.
func (t *Ticket) Fact() *gateway.ApprovalFact {
	return &gateway.ApprovalFact{
		ID: t.ID, Approver: t.Verdict.Approver, ApproverGroups: t.Verdict.Groups, Self: t.Verdict.Self,
		ApprovedAt: t.Verdict.At, Expires: t.Expires,
	}
}

// Causes, for [errors.Is].
var (
	ErrNoTicket = errors.New("approval: no such ticket")
	ErrState    = errors.New("approval: the ticket is not in that state any more, or its time is over")
	ErrTooMany  = errors.New("approval: as many questions of this caller are open as may be")
)

// Tickets keeps tickets durably. Several processes may share one. Every change is
// one compare-and-set.
type Tickets interface {
	// Ask opens a ticket, or returns the one that is open for the same binding. A
	// caller may have at most so many pending.
	Ask(ctx context.Context, t *Ticket, most int) (*Ticket, error)
	// Ticket returns a ticket; ErrNoTicket.
	Ticket(ctx context.Context, id string) (*Ticket, error)
	// Decide gives a pending ticket its verdict; with Cancelled it also revokes an
	// approved one. ErrState if it is neither or its time is over.
	Decide(ctx context.Context, id string, v Verdict) error
	// Tickets lists tickets of these states, or all; newest first.
	Tickets(ctx context.Context, states []State, limit int) ([]Ticket, error)
	// Expire ends what is open and whose time is over, and returns it.
	Expire(ctx context.Context, now time.Time) ([]Ticket, error)
}
