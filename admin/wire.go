package admin

import (
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/approval/office"
	"mcp-gateway/gateway"
)

// Ticket is one question to a person. What a call brought is in Sheet, only where one
// ticket is asked for by whoever may read that.
type Ticket struct {
	ID         string          `json:"id"`
	State      approval.State  `json:"state"`
	Caller     Caller          `json:"caller"`
	Upstream   string          `json:"upstream"`
	Tool       string          `json:"tool"`
	Definition gateway.Digest  `json:"definition"`
	Arguments  gateway.Digest  `json:"arguments_digest"`
	Created    time.Time       `json:"created"`
	Expires    time.Time       `json:"expires"`
	Decision   *Decision       `json:"decision,omitempty"`
	Action     string          `json:"action,omitempty"` // that used it
	Sheet      *approval.Sheet `json:"sheet,omitempty"`
	Bars       gateway.Reason  `json:"bars,omitempty"` // why whoever asks may not approve it
}

// Caller is who calls.
type Caller struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
	Tenant  string `json:"tenant,omitempty"`
	Client  string `json:"client,omitempty"`
}

// Decision is what somebody said.
type Decision struct {
	By     string    `json:"by"`
	Groups []string  `json:"groups,omitempty"`
	Self   bool      `json:"self,omitempty"`
	Via    string    `json:"via"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// Tickets is a page of them; Next asks for the one after it, "" is the end.
type Tickets struct {
	Approvals []Ticket `json:"approvals"`
	Next      string   `json:"next,omitempty"`
}

// Consent is a yes that stands for later calls.
type Consent struct {
	ID         string         `json:"id"`
	Caller     Caller         `json:"caller"`
	Upstream   string         `json:"upstream"`
	Tool       string         `json:"tool"`
	Definition gateway.Digest `json:"definition"`
	Ticket     string         `json:"ticket"`
	Decision   Decision       `json:"decision"`
	Expires    time.Time      `json:"expires"`
}

// Consents are those that stand.
type Consents struct {
	Remembered []Consent `json:"remembered"`
}

// Verdict is the body of approve, deny and revoke.
type Verdict struct {
	Reason   string `json:"reason"`
	Remember bool   `json:"remember,omitempty"` // of approve: for later calls too, where policy allows that
}

// Trouble is the body of a refusal.
type Trouble struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// TicketOf renders a ticket.
func TicketOf(t *approval.Ticket) Ticket {
	b := &t.Binding
	out := Ticket{
		ID: t.ID, State: t.State, Caller: caller(b), Upstream: b.Upstream, Tool: b.Tool, Definition: b.Definition,
		Arguments: b.Arguments, Created: t.Created, Expires: t.Expires, Action: t.Action,
	}
	if !t.Verdict.At.IsZero() {
		d := decision(&t.Verdict)
		out.Decision = &d
	}
	return out
}

// ViewOf renders a ticket with its sheet.
func ViewOf(v *office.View) Ticket {
	out := TicketOf(&v.Ticket)
	out.Sheet, out.Bars = v.Sheet, v.Bars
	return out
}

// ConsentOf renders a remembered consent.
func ConsentOf(c *approval.Consent) Consent {
	b := &c.Binding
	return Consent{
		ID: c.ID, Caller: caller(b), Upstream: b.Upstream, Tool: b.Tool, Definition: b.Definition,
		Ticket: c.Ticket, Decision: decision(&c.Verdict), Expires: c.Expires,
	}
}

func caller(b *approval.Binding) Caller { return Caller{b.Issuer, b.Subject, b.Tenant, b.Client} }

func decision(v *approval.Verdict) Decision {
	return Decision{v.Approver, v.Groups, v.Self, v.Via, v.Reason, v.At}
}
