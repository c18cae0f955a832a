package call

import (
	"context"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/auth"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/throttle"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
	"mcp-gateway/rego"
)

// Upstream is one third-party server, whatever it speaks. Its values are compared:
// another one under the same id is reached anew.
type Upstream interface {
	// Call makes one exchange. An error means that there is no answer;
	// Incoming.Sent says whether the request may have been executed. An answer
	// that is a JSON-RPC error is no error here but Incoming.Error.
	Call(ctx context.Context, out protocol.Outgoing) (protocol.Incoming, error)
	// List fetches all pages of the lists of every kind that it declares, bounded.
	List(ctx context.Context) (registry.Listing, error)
	// Changed receives after the upstream said that one of its lists changed.
	Changed() <-chan struct{}
	// Watch calls changed, which must not block, whenever the upstream says that
	// the resource was updated. It returns nil when ctx ends, and otherwise why
	// the resource can't be watched.
	Watch(ctx context.Context, uri string, changed func()) error
	// Fact says how the upstream stands: era, revision, up or why not.
	Fact() registry.UpstreamFact
}

// Refresher fetches an upstream's list anew.
type Refresher interface {
	// Refresh does so now and returns when the list is published.
	Refresh(ctx context.Context, upstream string) error
	// Stale asks for it soon.
	Stale(upstream string)
}

// Identifier turns a credential into a principal, and says of one that is not
// enough what would be.
type Identifier interface {
	// Identify establishes who sent a request. An error is a *gateway.Error.
	Identify(ctx context.Context, r auth.Request) (*gateway.Principal, error)
	// Challenge is the WWW-Authenticate value of a refusal; "" for none.
	Challenge(r auth.Request, refused *gateway.Error) string
	// Metadata are those of an endpoint as a protected resource; nil if it is none.
	Metadata(endpoint string) []byte
}

// Journal makes events durable.
type Journal interface {
	Append(ctx context.Context, e *audit.Event, d audit.Durability) (audit.Position, error)
}

// Details keeps the arguments of calls, encrypted, where an operator wants it. It does
// not block.
type Details interface {
	Keep(action audit.ID, arguments []byte)
}

// Inputs keeps what policy was asked, by its digest.
type Inputs interface {
	Keep(digest gateway.Digest, raw []byte) error
}

// Stream is what belongs to an open request besides its answer. It is good until
// the request is answered, and safe for concurrent use.
type Stream interface {
	// Notify sends a notification that belongs to the request; params are a raw
	// object or nil.
	Notify(ctx context.Context, method string, params []byte) error
	// Ask sends the host a request that belongs to its own, and returns the raw
	// result. It ends with ctx, with the request, and when the host is gone.
	Ask(ctx context.Context, method string, params []byte) (result []byte, err error)
	// CanAsk says whether the host declared that it answers such requests.
	CanAsk(method string) bool
}

// World is everything that may change while the gateway runs, as one value: a
// reload replaces it whole, and a call keeps the one that it began with.
type World struct {
	Identifier Identifier
	Stdio      *gateway.Principal // who a stdio host is; nil = none may come by stdio
	Policy     *rego.Engine
	Upstreams  map[string]Upstream
	Limits     Limits
	// Relay says by upstream which methods it may ask of a legacy host in the
	// middle of a call; none by default.
	Relay map[string]map[string]bool
	// Extensions says by upstream which extensions of the protocol a host's
	// declaration of reaches it; none by default.
	Extensions map[string][]string
	// Exchanged says which upstreams are called with a credential that is got in
	// exchange for the caller's token.
	Exchanged map[string]bool
	// Content makes by upstream its content safe to pass on; where one is missing,
	// the Redactor of all does.
	Content    map[string]*redact.Redactor
	Durability map[gateway.SideEffect]audit.Durability
	// Destinations says by upstream where its calls go, in words for approvers.
	Destinations map[string]string
	// Console is the address of the page on which people approve, without a path; ""
	// is none.
	Console string
	// ClearSubjects writes subjects into events beside their pseudonyms.
	ClearSubjects bool
}

// Limits bound what one call may cost.
type Limits struct {
	Body         int // bytes of a request
	Message      int // bytes of an upstream's answer; 0 = those of a result
	Result       int // bytes of an upstream's result, as it is delivered
	Depth        int // nesting of JSON, in both directions
	Page         int // tools on one page of a list
	CallTimeout  time.Duration
	RepeatWait   time.Duration // how long a repeat waits for the call with its key that is under way
	AuditTimeout time.Duration // how long an event may take to become durable
	ListTTL      time.Duration // what hosts are told; lists are private to their principal
	InFlight     int           // calls of one principal at a time
	PerUpstream  int           // calls to one upstream at a time

	Rates throttle.Rates // how often, and how much; zero = without limit

	Subscriptions int // requests of one principal that listen at a time
}
