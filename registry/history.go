package registry

import (
	"context"
	"time"

	"mcp-gateway/gateway"
)

// History is the durable memory of what upstreams ever listed and how they
// were last met. Several processes may share one.
type History interface {
	// Observe notes that these definitions were listed at a time. A definition
	// that was seen before keeps its first time and its bytes.
	Observe(ctx context.Context, at time.Time, seen []Seen) error
	// Definitions returns every definition ever seen of an upstream ("" = of
	// all), sorted by id, then by first time.
	Definitions(ctx context.Context, upstream string) ([]Seen, error)
	// SetUpstream notes how an upstream was met; an older fact than the one
	// that is kept changes nothing.
	SetUpstream(ctx context.Context, fact UpstreamFact) error
	// Upstream returns the last fact about one upstream; false if there is none.
	Upstream(ctx context.Context, id string) (UpstreamFact, bool, error)
	// Upstreams returns the last fact about each, sorted by id.
	Upstreams(ctx context.Context) ([]UpstreamFact, error)
	// SetProfile notes what an upstream is, once that is on record.
	SetProfile(ctx context.Context, upstream string, p Profile) error
	// Profile returns what was last on record of one upstream; false if nothing was.
	Profile(ctx context.Context, upstream string) (Profile, bool, error)
}

// What of an upstream itself is kept beside its definitions, as names of KindUpstream.
const (
	ItselfIdentity     = "identity"     // what it is: see identity.Facts.Object
	ItselfInstructions = "instructions" // the JSON string that it tells models
	ItselfUnmet        = "unmet"        // what it would have been met as, where it was not
)

// Seen is one definition as it was observed.
type Seen struct {
	ID      gateway.ItemID
	Digest  gateway.Digest
	Raw     []byte // as the upstream sent it
	State   gateway.ExposureState
	Reasons []gateway.Reason
	First   time.Time // set by History on reading
	Last    time.Time // set by History on reading
}

// UpstreamFact is what is remembered of one upstream. Era and Revision let the
// next start begin where the last one ended, and show a downgrade.
type UpstreamFact struct {
	ID             string
	Era            string // "modern" or "legacy", as the upstream package names them
	Revision       string // the protocol revision that was agreed
	Up             bool
	Reason         string // why it is down; "" when up
	At             time.Time
	ClaimedName    string // what the server calls itself: shown, never trusted
	ClaimedVersion string
	Capabilities   string // the object that it declared, as sent; "" if none
	Instructions   string // the JSON string that it gave, as sent; "" if none. Never shown to a host unreviewed
	Confined       string // what was in force for its last process; "" for none and for HTTP
}
