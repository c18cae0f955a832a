package desk

import (
	"fmt"
	"slices"
	"sync"
)

// ticketInput is what a ticket is made of; RequestID makes creating it
// idempotent.
type ticketInput struct {
	Title       string   `json:"title"`
	Severity    string   `json:"severity"`
	EvidenceIDs []string `json:"evidence_ids"`
	RequestID   string   `json:"request_id"`
}

func (in ticketInput) equal(other ticketInput) bool {
	return in.Title == other.Title && in.Severity == other.Severity && slices.Equal(in.EvidenceIDs, other.EvidenceIDs)
}

// ticket is one incident ticket.
type ticket struct {
	TicketID  string `json:"ticket_id"`
	Status    string `json:"status"`
	CreatedAt string `json:"created_at"`
	ticketInput
}

// desk keeps the tickets of this process by request id.
type desk struct {
	mu      sync.Mutex
	tickets map[string]ticket
}

func newDesk() *desk { return &desk{tickets: map[string]ticket{}} }

// create opens a ticket, or returns the one that the same request opened.
func (d *desk) create(in ticketInput) (ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, known := d.tickets[in.RequestID]; known {
		if !t.equal(in) {
			return ticket{}, businessError{"request_id_conflict", "the request_id was used with other arguments"}
		}
		return t, nil
	}
	t := ticket{
		TicketID:    fmt.Sprintf("INC-%04d", len(d.tickets)+1),
		Status:      "open",
		CreatedAt:   now,
		ticketInput: in,
	}
	d.tickets[in.RequestID] = t
	return t, nil
}

// get returns the ticket that a request opened.
func (d *desk) get(requestID string) (ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, known := d.tickets[requestID]
	if !known {
		return ticket{}, businessError{"ticket_not_found", "no ticket was opened with this request_id"}
	}
	return t, nil
}
