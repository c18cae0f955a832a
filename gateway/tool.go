package gateway

import "strings"

// ToolID names one tool of one upstream. Upstream is the id from our own
// configuration, never what the server calls itself; Tool is the upstream's
// own name for it, byte for byte.
type ToolID struct {
	Upstream string
	Tool     string
}

// String returns "upstream/tool", the form that the command line and
// exposure reports use. Upstream ids hold no slash, so it is unambiguous.
func (id ToolID) String() string { return id.Upstream + "/" + id.Tool }

// ParseToolID is the inverse of ToolID.String.
func ParseToolID(s string) (ToolID, bool) {
	up, tool, ok := strings.Cut(s, "/")
	return ToolID{Upstream: up, Tool: tool}, ok && up != "" && tool != ""
}

// Digest is a digest with its algorithm named: "sha256-jcs1:" and 64 hex
// digits for canonical JSON (RFC 8785 key order and strings, number lexemes
// kept as sent), "sha256:" for plain bytes.
type Digest string

// SideEffect classes what a tool does to the world, as a reviewer judged it.
type SideEffect string

// The classes of side effect. The zero value means unreviewed and is treated
// as Destructive wherever a class is needed.
const (
	Read        SideEffect = "read"
	Write       SideEffect = "write"
	Destructive SideEffect = "destructive"
)

// Idempotency says whether the same call may safely run twice.
type Idempotency string

// The kinds of idempotency. Key means: only with the same idempotency key.
const (
	IdempotentNo  Idempotency = "no"
	IdempotentYes Idempotency = "yes"
	IdempotentKey Idempotency = "key"
)

// ExposureFacts are what a reviewer recorded about one tool. They alone, and
// never the upstream's own annotations, describe the tool to policy and host.
// The zero value is the worst case: destructive, irreversible, outbound, open.
type ExposureFacts struct {
	SideEffect       SideEffect
	Idempotent       Idempotency
	Reversible       bool
	Contained        bool // reviewed `outbound: no`: reaches no people or systems outside
	ClosedWorld      bool // reviewed `open_world: no`
	ReadsNoPrivate   bool // reviewed `reads_private: no`
	TrustedContent   bool // reviewed `untrusted_content: no`
	Scopes           []string
	Owner            string
	Why              string
	IdempotencyField string // JSON Pointer of the argument that carries the key
	ExternalID       string // JSON Pointer into structuredContent: evidence of a write
}

// Class returns the side effect, with the worst class for an unreviewed tool.
func (f *ExposureFacts) Class() SideEffect {
	if f.SideEffect == Read || f.SideEffect == Write {
		return f.SideEffect
	}
	return Destructive
}

// ExposureState says where one observed definition stands against the review.
type ExposureState string

// The states of a definition. Only StateApproved is served.
const (
	StateApproved    ExposureState = "approved"
	StateNew         ExposureState = "new"         // listed by the upstream, no record
	StateChanged     ExposureState = "changed"     // a record exists for another digest
	StateQuarantined ExposureState = "quarantined" // held back by a reviewer's word
	StateWithheld    ExposureState = "withheld"    // cannot be served safely, whatever the review
	StateMissing     ExposureState = "missing"     // a record exists, the upstream lists no such tool
)
