package approval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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

// States lists every state.
func States() []State { return []State{Pending, Approved, Denied, Expired, Cancelled, Consumed} }

// Ticket is one question to a person, and the answer.
type Ticket struct {
	ID      string // a UUID
	State   State
	Binding Binding
	Shown   string // the Sheet, sealed; "" once the ticket ended
	Created time.Time
	Expires time.Time
	Verdict Verdict
	Action  string // that consumed it
	Terms   string // digest of what its answer was asked for, as TermsOf has it; "" = not known
	// Instead is of Ask alone: a ticket that must not answer for the call any more, though
	// it may be open; and then, of the one that was opened, the ticket that ended for it.
	Instead string
}

// What stands in the verdict of a ticket that ended because policy asks for something
// else now: no person cancelled it.
const (
	ViaPolicy    = "policy"
	TermsChanged = "terms_changed" // the reason, where the question itself is another
	NotEnough    = "not_enough"    // the reason, where it was approved and does not satisfy policy
)

// TermsOf names what an answer is asked for beside the call itself: who may give it, how
// lately the caller must have authenticated, and where the call goes. An answer given
// under other terms was given to another question.
func TermsOf(owed []gateway.ApprovalBy, freshWithin time.Duration, destination string) string {
	text := fmt.Sprintf("%q %d", destination, freshWithin)
	for _, by := range owed {
		text += fmt.Sprintf(" %q %t %d", by.Groups, by.Self, by.Remember)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Under says whether the ticket was opened under these terms, as far as that is known.
func (t *Ticket) Under(terms string) bool { return t.Terms == terms || t.Terms == "" || terms == "" }

// Verdict is what a person said.
type Verdict struct {
	State    State // Approved, Denied or Cancelled
	Approver string
	Groups   []string
	Self     bool // the caller's own consent, as its host tells it
	Via      string
	Reason   string
	At       time.Time
	Remember time.Duration // of Approved: how long it stands for later calls; 0 = for this one alone
}

// Consent is an approval that stands for later calls of one tool by one caller,
// whatever their arguments, because policy allows that.
type Consent struct {
	ID      string  // a UUID
	Binding Binding // without arguments
	Ticket  string  // at which it was given
	Verdict Verdict
	Expires time.Time
}

// Fact is what policy learns of it.
func (c *Consent) Fact() *gateway.ApprovalFact {
	t := Ticket{ID: c.ID, Verdict: c.Verdict, Expires: c.Expires}
	return t.Fact()
}

// Query says which tickets are listed: newest first, those before a place.
type Query struct {
	States []State // none = all
	Tenant string  // "" = of all
	Before string  // the id of the last ticket of the page before; "" = from the newest
	Limit  int
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
	ErrTooMany  = errors.New("approval: as many questions of this caller are open as may be, or it asked the same too often")
	ErrDenied   = errors.New("approval: this very call was denied a moment ago")
)

// MostCancelled is how often the same question may be waved away, within the life of
// a ticket, before it is not asked any more for that long.
const MostCancelled = 3

// Tickets keeps tickets durably. Several processes may share one. Every change is
// one compare-and-set. Time only goes on for it: what it found over once is over,
// though clocks are set back.
type Tickets interface {
	// Ask opens a ticket, or returns the one that is open for the same binding. A
	// caller may have at most so many pending: ErrTooMany. A denial stands for as long
	// as its ticket would have: ErrDenied, with that ticket. What was opened under other
	// terms, or is Instead, does not answer for the binding: it ends where it is open.
	Ask(ctx context.Context, t *Ticket, most int) (*Ticket, error)
	// Ticket returns a ticket as it stands now: one whose time is over ends so.
	// ErrNoTicket.
	Ticket(ctx context.Context, id string, now time.Time) (*Ticket, error)
	// Decide gives a pending ticket its verdict; with Cancelled it also revokes an
	// approved one. ErrState if it is neither or its time is over.
	Decide(ctx context.Context, id string, v Verdict) error
	// Consume uses up an approved ticket for an action, or makes sure that a consent
	// still stands. ErrState.
	Consume(ctx context.Context, id, action string, now time.Time) error
	// Tickets lists tickets, newest first.
	Tickets(ctx context.Context, q Query) ([]Ticket, error)
	// Expire ends what is open and whose time is over.
	Expire(ctx context.Context, now time.Time) error
	// Unnoted returns tickets of which it is not known that how they stand is on record:
	// of those that somebody decided, what was before a time, of those that time ended all;
	// a hundred at most.
	Unnoted(ctx context.Context, before time.Time) ([]Ticket, error)
	// Noted keeps that it is, unless the ticket has gone on since.
	Noted(ctx context.Context, t *Ticket) error
	// Recall returns the consent that stands for a call's caller and tool; nil if there
	// is none.
	Recall(ctx context.Context, b *Binding, now time.Time) (*Consent, error)
	// Consents lists those that stand, newest first; of a tenant, or "" of all.
	Consents(ctx context.Context, tenant string, now time.Time) ([]Consent, error)
	// Withdraw ends a consent; ErrNoTicket if none of that id stands.
	Withdraw(ctx context.Context, id string, now time.Time) error
}
