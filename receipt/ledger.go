package receipt

import (
	"context"
	"errors"
	"time"

	"mcp-gateway/gateway"
)

// Entry is one action: a call with side effects from before it was sent until
// what became of it is known. It goes on under the same action when its upstream
// asks first, and when an unknown outcome is repeated with the same key.
type Entry struct {
	Action  string // a UUID, also that of its events
	Attempt int    // from 1; each sending is one

	Scope  *Scope // of its key; nil for a key that was minted here
	Source KeySource
	Sealed string // the key and the arguments' salt, sealed: see proxy/effect

	Salt      Salt
	Arguments gateway.Digest // ArgumentsDigest
	Item      gateway.ItemID
	Principal string // its pseudonym, of receipts
	Tenant    string

	State    gateway.Outcome // OutcomeInFlight, OutcomeAwaiting or an outcome
	Writer   string          // who sent it: a writer of the journal
	Approval string          // the ticket that was consumed for it; "" = none
	Draft    []byte          // the Statement as far as it was known before sending
	Began    time.Time
	Settled  time.Time // zero while in flight

	Code       gateway.Code // of what the caller was told; "" = success
	ExternalID string
	Result     string // the result as it left, sealed; "" = none, or too large to keep
	Decided    EventRef
	Finished   EventRef

	Told Source // who said what became of it; "" = the call itself
	By   string // as in Settlement
	Why  string
}

// Word says in words who said what became of a reconciled action, and how they knew;
// "" of one that told it itself.
func (e *Entry) Word() string {
	if e.Told == "" {
		return ""
	}
	text := string(e.Told)
	if e.By != "" {
		text += " " + e.By
	}
	text += " said"
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

// Settlement is what became of an action's attempt.
type Settlement struct {
	Action  string
	Attempt int
	From    gateway.Outcome // the state that it must be in
	State   gateway.Outcome
	At      time.Time

	Code       gateway.Code
	Findings   []string // codes of what was found in the result, sorted
	ExternalID string
	Result     string
	Decided    EventRef
	Finished   EventRef
	VerifiedBy string   // the read tool that found the external id
	Told       EventRef // the event of a reconciled outcome
	// Frees says that nothing was executed, so that the key may be used again.
	Frees bool

	Receipt Kept // to keep beside it; zero = none

	Source Source // who says so; "" = the call itself
	By     string // for SourceOperator: who; for SourceStatus: the tool
	Why    string // for SourceOperator: the reason given
}

// Source says who knows of an outcome that was unknown before.
type Source string

// The sources of reconciled outcomes.
const (
	SourceStatus   Source = "status_tool"     // the reviewed status tool found the external id
	SourceOperator Source = "operator"        // a person, with a reason
	SourceRepeat   Source = "upstream_repeat" // the upstream's own idempotent repeat
	SourceJournal  Source = "journal"         // the journal knew what the ledger had lost
)

// Kept is a receipt as it is kept.
type Kept struct {
	Action   string
	At       time.Time
	Outcome  gateway.Outcome
	Digest   gateway.Digest // of the envelope's bytes
	Envelope []byte         // JSON
}

// Causes, for [errors.Is].
var (
	// ErrRaced: the entry is not in the state that the change needs any more.
	ErrRaced = errors.New("receipt: the action has changed meanwhile")
	// ErrNoAction: the ledger knows no such action.
	ErrNoAction = errors.New("receipt: no such action")
	// ErrTicket: the approval ticket could not be consumed.
	ErrTicket = errors.New("receipt: the approval is not there to be used")
)

// Filter says which entries are wanted; a zero member admits all.
type Filter struct {
	States []gateway.Outcome
	Writer string // those that this writer sent
	// Nameless admits only those of which the journal alone knows that they ran, and
	// nobody what their upstream calls them.
	Nameless bool
	Limit    int // 0 = 100; newest first
}

// Ledger keeps actions and receipts durably. Several processes may share one.
// Every change is one transaction and one compare-and-set.
type Ledger interface {
	// Begin enters an action as in flight and consumes its approval, both or
	// neither, durable when it returns. Where the entry's Scope is taken it changes
	// nothing and returns who has it.
	Begin(ctx context.Context, e *Entry) (holder *Entry, err error)
	// Resume puts an action that awaits input, or whose outcome is unknown, in
	// flight again under e's Attempt, Writer, Draft and Approval. It consumes that,
	// both or neither; but the next round of an action goes on under the approval that
	// the last one consumed. ErrRaced if it is in another state than from.
	Resume(ctx context.Context, e *Entry, from gateway.Outcome, now time.Time) error
	// Settle changes an action's state from one to another, or within one state gives
	// it the external id that it lacks. ErrRaced if it has another state or attempt, or
	// an external id by now.
	Settle(ctx context.Context, s *Settlement) error
	// Action returns an entry; ErrNoAction.
	Action(ctx context.Context, action string) (*Entry, error)
	// Holder returns the entry that holds a key's scope; nil if none does.
	Holder(ctx context.Context, scope Scope) (*Entry, error)
	// Actions lists entries, newest first.
	Actions(ctx context.Context, f Filter) ([]Entry, error)
	// Receipts lists kept receipts, newest first: of one action, or "" for all.
	Receipts(ctx context.Context, action string, limit int) ([]Kept, error)
	// Forget lets go of the keys of actions that were settled before a time. Unknown
	// outcomes keep theirs.
	Forget(ctx context.Context, before time.Time) (int, error)
}
