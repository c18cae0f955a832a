package call

import (
	"errors"
	"math"
	"net/http"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/auth"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/corridor"
	"mcp-gateway/proxy/lifecycle"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
	"mcp-gateway/rego"
)

// Stage and Pipeline are those of the corridor, for a Call.
type (
	Stage    = corridor.Stage[*Call]
	Pipeline = corridor.Pipeline[*Call]
	Fact     = corridor.Fact
)

// The facts of the corridor. See each stage for who sets them.
const (
	FactArrival   Fact = "arrival"   // Arrival and World are set
	FactAccepted  Fact = "accepted"  // the headers are acceptable
	FactPrincipal Fact = "principal" // Principal
	FactAdmitted  Fact = "admitted"  // the principal is within its coarse rate
	FactRequest   Fact = "request"   // Request: strictly decoded, headers agree
	FactResolved  Fact = "resolved"  // Name, Arguments, and what the name means
	FactItem      Fact = "item"      // Item is pinned
	FactVisible   Fact = "visible"   // this principal may see the item
	FactArguments Fact = "arguments" // Arguments satisfy the pinned schema
	FactRound     Fact = "round"     // Round: what earlier rounds of this call left
	FactCurrent   Fact = "current"   // a destructive tool is still the reviewed one
	FactKeyed     Fact = "keyed"     // Effect: its idempotency key is known
	FactRepeat    Fact = "repeat"    // Effect: what the ledger knows of that key
	FactEntered   Fact = "entered"   // the action is in flight in the ledger
	FactDecided   Fact = "decided"   // Decision: policy was asked about this very call
	FactPermit    Fact = "permit"    // policy allowed this very call
	FactOwed      Fact = "owed"      // Sent, and what the decision asks for before sending
	FactSlot      Fact = "slot"      // the upstream has room
	FactIntent    Fact = "intent"    // tool.decided is durable
	FactIncoming  Fact = "incoming"  // the upstream answered
	FactChecked   Fact = "checked"   // the answer keeps its contract
	FactConfirmed Fact = "confirmed" // where the review wants it: the external id was looked up
	FactClean     Fact = "clean"     // the answer is safe to pass on
	FactReleased  Fact = "released"  // what the decision and policy ask for of the answer
	FactGathered  Fact = "gathered"  // Listed.Items
	FactOffered   Fact = "offered"   // which tools this principal may see
	FactPage      Fact = "page"      // the page of a list is rendered
)

// Arrival is what a front knows of a request before anything of it is read.
type Arrival struct {
	Transport string // "http" or "stdio"
	Era       audit.Era
	Revision  string // of the host; a front that learns it from the body sets it in its Door's Agree
	Method    string // of HTTP; "" on stdio
	Host      string
	Source    string      // the peer's address, for counting floods
	Length    int64       // announced; -1 = unknown
	Scope     string      // the upstream whose endpoint was asked for; "" = all
	Query     string      // of the URL, raw; "" on stdio
	Header    http.Header // nil on stdio
	Body      BodyReader
	Stream    Stream // nil where a front has none
	// Own is what the front itself must know of the request in its Door.
	// Nobody else looks at it.
	Own any
}

// Credential is what of the request says who sent it.
func (a *Arrival) Credential() auth.Request {
	return auth.Request{Header: a.Header, Query: a.Query, Endpoint: a.Scope}
}

// BodyReader reads the whole request, bounded by a number of bytes. It is
// called once, after the principal is known.
type BodyReader func(limit int) ([]byte, error)

// Call is one request on its way through the corridor. Data moves in its
// fields: a stage reads what earlier stages set, and sets its own. A Call is
// used by one goroutine at a time.
type Call struct {
	Arrival
	ID    audit.ID // of this request, for answers, logs and events
	World *World   // the settings under which the whole call runs

	Principal *gateway.Principal
	Session   *lifecycle.Session // what a legacy host agreed on; set by its front's Agree
	Request   *protocol.Request
	Reply     *protocol.Message // instead of Request: a legacy host's answer to a question of ours
	Name      string            // the exposed name that was asked for; of a resource its normalised URI
	Arguments []byte            // raw object; nil when absent
	Sent      []byte            // Arguments as they go upstream: without what policy masks
	Catalog   *Catalog
	Item      registry.Pinned
	Approval  *gateway.ApprovalFact // of this very call by a human; nil = none. Set before decide
	Decision  rego.Decision
	Permit    rego.Permit
	Action    audit.ID // joins the events of a call that was let through, of all its rounds
	Of        audit.ID // the action whose outcome is told, where it is another call's
	Round     Round
	Effect    *Effect        // of the ledger; nil for a call that only reads
	Decided   audit.Position // of tool.decided, once it is durable
	Finished  audit.Position // of tool.finished, likewise
	Incoming  protocol.Incoming
	Clean     redact.Clean
	View      views.View
	Listed    Listed
	Heard     Subscription

	Outcome gateway.Outcome
	Result  []byte // raw result object
	// Rendered is set, and Result is not, where the whole response was rendered.
	Rendered Rendered
	Err      *gateway.Error

	Deadline time.Time // until when the host waits; zero = it did not say
	Retries  uint64    // how often it was sent again

	Clock    func() time.Time
	Started  time.Time
	Stages   audit.Stages   // how long each ran
	Release  []func()       // what settling gives back, last first
	Missing  gateway.Reason // why Name means nothing that is served
	Known    string         // the exposed name of what Name stands for all the same: for the record alone
	Business bool           // the upstream itself refused: isError
	OnRecord bool           // an event of this call is durable
}

// Round is what a call brings that goes on after its upstream had asked. It is
// zero for a call that begins.
type Round struct {
	Again     bool   // it goes on under Action
	Responses []byte // what the host answered, a raw object of objects; nil = nothing
	State     []byte // the upstream's requestState as it came, a JSON string; nil = none
}

// Catalog pairs a snapshot with what policy sees of each item, made once per
// snapshot so that no call builds it.
type Catalog struct {
	*registry.Snapshot
	Resources []*rego.Resource // by Item.Index
	Handles   map[string]bool  // upstreams of which a tool gives or takes handles
}

// Listed is what a list offered and withheld.
type Listed struct {
	Kind   gateway.Kind
	Items  []*registry.Item // of the scope, in their stable order
	Cached bool             // the view came from the private list cache
	Next   string           // cursor of the next page
	Offer  *Offer           // what the whole list comes to; shared
}

// Offer is what an event says of a list: how many items were offered and withheld, and
// the digests of their names.
type Offer struct {
	Offered, Withheld             uint32
	OfferedDigest, WithheldDigest audit.Hash
}

// NewOffer is the offer of what a view shows of the items of a list.
func NewOffer(items []*registry.Item, v views.View) (o Offer) {
	var offered, withheld audit.NameDigest
	for _, t := range items {
		if v.Has(t.Index) {
			offered.Add(t.Exposed)
		} else {
			withheld.Add(t.Exposed)
		}
	}
	o.Offered, o.OfferedDigest = offered.Sum()
	o.Withheld, o.WithheldDigest = withheld.Sum()
	return o
}

// Rendered is a whole response, for answers too large to be copied: its beginning, and
// what follows, shared with other calls and not to be written. Spent, if there is one,
// is told once the response is sent.
type Rendered struct {
	Response []byte
	Rest     [][]byte
	Spent    func()
}

// Subscription is what a host is told of for as long as it listens.
type Subscription struct {
	Tools, Prompts, Resources bool // of which kinds it is told that their list changed

	Wanted  *lifecycle.Wanted // resources of which it is told that they were updated
	Refused int               // resources that it wanted and may not read
	Told    int               // notifications that were sent
	Ended   gateway.Reason    // why it ended; "" while it is open
}

// GiveBack returns what the call had taken, last first.
func (c *Call) GiveBack() {
	for i := len(c.Release) - 1; i >= 0; i-- {
		c.Release[i]()
	}
	c.Release = nil
}

// Now reads the clock.
func (c *Call) Now() time.Time { return c.Clock() }

// Behalf says in whose right the call's upstream is asked: its caller's, where that
// upstream's credential is got in exchange for theirs; else the gateway's own.
func (c *Call) Behalf() gateway.Behalf {
	if !c.World.Exchanged[c.Item.Item().ID.Upstream] {
		return gateway.Behalf{}
	}
	return gateway.Behalf{Principal: c.Principal.ID(), Token: auth.Presented(c.Principal, c.Header)}
}

// Took notes how long a stage ran and returns its end, where the next begins.
func (c *Call) Took(stage string, began time.Time) time.Time {
	now := c.Clock()
	if i, ok := audit.StageOf(stage); ok {
		c.Stages[i] = uint32(min(now.Sub(began).Microseconds(), math.MaxUint32))
	}
	return now
}

// Fail ends the call with err. The first failure is the call's answer. Where the
// upstream's result had come, a fault of the gateway withholds that result.
func (c *Call) Fail(stage string, err error) {
	if c.Err != nil {
		return
	}
	c.Err = AsError(err)
	if c.Err.Code == gateway.CodeInternal && c.Incoming.Result != nil { // it ran: nobody is told to try again
		c.Err = gateway.Because(gateway.CodeContractViolation, c.Err)
	}
	if c.Err.Stage == "" {
		c.Err.Stage = stage
	}
	c.Result = nil
}

// Replace overrules whatever the answer was: a result whose settling failed is
// not released.
func (c *Call) Replace(stage string, err error) {
	before := c.Err
	c.Err = nil
	c.Fail(stage, err)
	if before != nil {
		c.Err.Err = errors.Join(c.Err.Err, before)
	}
}

// AsError makes every error one of the closed vocabulary: an error without a
// code is internal, and its text never leaves the gateway.
func AsError(err error) *gateway.Error {
	var e *gateway.Error
	if errors.As(err, &e) {
		copied := *e
		return &copied
	}
	return gateway.Because(gateway.CodeInternal, err)
}
