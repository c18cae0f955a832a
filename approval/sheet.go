package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

// Sheet is what a person is shown of a call before they answer, and who may. It is
// written when the call asks, and sealed with its ticket: what an approver reads is
// what the call brought, in the words of its reviewer.
type Sheet struct {
	Arguments   json.RawMessage      `json:"arguments"`        // as sent, but for what Hidden names
	Hidden      []string             `json:"hidden,omitempty"` // JSON Pointers of values that the reviewer classed as secret
	SideEffect  gateway.SideEffect   `json:"side_effect"`
	Reversible  bool                 `json:"reversible"`
	Contained   bool                 `json:"contained"` // reaches no people or systems outside
	Destination string               `json:"destination"`
	Notifies    []string             `json:"notifies,omitempty"` // who learns of it at once, as reviewed
	Data        map[string]string    `json:"data,omitempty"`     // JSON Pointer into the arguments → class
	Evidence    string               `json:"evidence,omitempty"` // where its result will show that it happened
	Purpose     string               `json:"purpose,omitempty"`  // why the reviewer exposed the tool
	Owner       string               `json:"owner,omitempty"`
	Reasons     []gateway.Reason     `json:"reasons"`
	Needs       []gateway.ApprovalBy `json:"needs"` // each must be met; none = anyone but the caller
}

// SelfIsEnough says whether policy takes the caller's own consent.
func (s *Sheet) SelfIsEnough() bool { return SelfIsEnough(s.Needs) }

// SelfIsEnough says whether the caller's own consent meets all that is owed.
func SelfIsEnough(owed []gateway.ApprovalBy) bool {
	for _, by := range owed {
		if !by.Self || len(by.Groups) > 0 {
			return false
		}
	}
	return len(owed) > 0
}

// Remembers returns how long a yes may stand for later calls of the tool: the least
// that all who must approve allow; 0 = for this call alone.
func Remembers(owed []gateway.ApprovalBy) time.Duration {
	var least time.Duration
	for i, by := range owed {
		if i == 0 || by.Remember < least {
			least = by.Remember
		}
	}
	return least
}

// Words says who may approve, and for how long a yes may stand.
func Words(owed []gateway.ApprovalBy) []string {
	if len(owed) == 0 {
		return []string{"anyone but the caller"}
	}
	words := make([]string, len(owed))
	for i, by := range owed {
		words[i] = "anyone"
		if len(by.Groups) > 0 {
			words[i] = "a member of " + strings.Join(by.Groups, " or ")
		}
		if !by.Self {
			words[i] += " but the caller"
		}
		if by.Remember > 0 {
			words[i] += ", for later calls too within " + by.Remember.String()
		}
	}
	return words
}

// Person is who answers, as the gateway established it.
type Person struct {
	Subject string
	Tenant  string // whose tickets they see; "" = those of every tenant
	Groups  []string
	Via     string // how they came: "cli", "api", "console"
	Key     string // the id of the key that they presented
}

// Sees says whether a ticket is of a tenant that the person answers for.
func (p *Person) Sees(b *Binding) bool { return p.Tenant == "" || p.Tenant == b.Tenant }

// Calls says whether the person is who calls. Names are compared alone, in any case:
// a person who comes by another issuer is no other person.
func (p *Person) Calls(b *Binding) bool { return strings.EqualFold(p.Subject, b.Subject) }

// Why a person may not approve.
const (
	ReasonOwnCall Reason = "approver_is_caller"     // a call that another person must approve
	ReasonNoGroup Reason = "approver_group_missing" // the policy asks for a member of a group
	ReasonUnseen  Reason = "approval_unreadable"    // nobody can be shown what the call brings
)

// Reason is a code that says why somebody may not answer.
type Reason = gateway.Reason

// Bars returns why a person may not approve the call; "" if they may. Anyone who sees
// a ticket may deny it.
func (s *Sheet) Bars(b *Binding, p *Person) gateway.Reason {
	if p.Calls(b) && !s.SelfIsEnough() {
		return ReasonOwnCall
	}
	for _, by := range s.Needs {
		in := func(g string) bool { return slices.Contains(p.Groups, g) }
		if len(by.Groups) > 0 && !slices.ContainsFunc(by.Groups, in) {
			return ReasonNoGroup
		}
	}
	return ""
}

// ErrUnreadable says that a ticket's sheet is gone with its end, or not ours.
var ErrUnreadable = errors.New("approval: what the call brought is not kept any more")

// SealSheet returns what a ticket keeps of its sheet.
func SealSheet(ring *keyring.Ring, ticket string, s *Sheet) (string, error) {
	var text bytes.Buffer
	plain := json.NewEncoder(&text)
	plain.SetEscapeHTML(false) // the arguments stay as they were spelled, but for white space
	if err := plain.Encode(s); err != nil {
		return "", err
	}
	return ring.Seal(keyring.Ledger, text.Bytes(), []byte("ticket "+ticket)), nil
}

// Sheet opens what the ticket keeps; ErrUnreadable.
func (t *Ticket) Sheet(ring *keyring.Ring) (*Sheet, error) {
	text, err := ring.Open(keyring.Ledger, t.Shown, []byte("ticket "+t.ID))
	if err != nil {
		return nil, errors.Join(ErrUnreadable, err)
	}
	s := &Sheet{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, errors.Join(ErrUnreadable, err)
	}
	return s, nil
}
