package gateway

import (
	"strings"
	"time"
)

// Kind is what an upstream offers.
type Kind string

// The kinds. The zero value is a tool.
const (
	KindTool     Kind = ""
	KindPrompt   Kind = "prompt"
	KindResource Kind = "resource"
	KindTemplate Kind = "template" // of resource URIs (RFC 6570)

	// KindUpstream is the upstream itself, as it is remembered beside what it offers:
	// what it is and what it tells models. It is never listed and has no record.
	KindUpstream Kind = "upstream"
)

// Kinds lists every kind that is offered, in the order in which they are shown.
func Kinds() []Kind { return []Kind{KindTool, KindPrompt, KindResource, KindTemplate} }

// String returns "tool" for the zero value, else the kind's word.
func (k Kind) String() string {
	if k == KindTool {
		return "tool"
	}
	return string(k)
}

// ItemID names one thing that an upstream offers. Upstream is the id from our
// own configuration, never what the server calls itself; Name is the upstream's
// own name for it, byte for byte: of a resource its normalised URI, of a
// template its URI template.
type ItemID struct {
	Kind     Kind
	Upstream string
	Name     string
}

// String returns "upstream/name" for a tool and "kind:upstream/name" for what is
// none, the form that the command line, reports and policies use. Upstream ids
// hold neither slash nor colon, so it is unambiguous.
func (id ItemID) String() string {
	if id.Kind == KindTool {
		return id.Upstream + "/" + id.Name
	}
	return string(id.Kind) + ":" + id.Upstream + "/" + id.Name
}

// ParseItemID is the inverse of ItemID.String.
func ParseItemID(s string) (ItemID, bool) {
	up, name, ok := strings.Cut(s, "/")
	var kind Kind
	if before, after, prefixed := strings.Cut(up, ":"); prefixed {
		kind, up = Kind(before), after
		ok = ok && (kind == KindPrompt || kind == KindResource || kind == KindTemplate)
	}
	return ItemID{Kind: kind, Upstream: up, Name: name}, ok && up != "" && name != ""
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
	StepUp           bool // shown to those too who lack its scopes, so that they may ask for them
	Owner            string
	Why              string
	IdempotencyField string // JSON Pointer of the argument that carries the key
	ExternalID       string // JSON Pointer into structuredContent: evidence of a write; "" = waived, or none is owed

	Outcomes   *OutcomeWords     // which words of its result tell what became of a write; nil = a result is a success
	Status     *StatusQuery      // how to find out later what became of a write; nil = it can't be
	Data       map[string]string // JSON Pointer into the arguments → class of what stands there
	Timeout    time.Duration     // of one call; 0 = the upstream's
	Deprecated *Deprecation      // nil = it is not
	Tenants    []string          // the only tenants whose principals may know of it; none = any
	Contract   string            // the version of the contract that the reviewer relies on, in the reviewer's words
	Audit      AuditLevel
	Notifies   []string         // who learns of a call at once: names, or JSON Pointers into the arguments
	Handles    Handles          // handed out and taken back
	Judged     Judged           // which of the facts of the worst default a reviewer wrote
	Bounds     map[string]Bound // JSON Pointer into the arguments → what may stand there, beyond the schema
}

// Judged says of facts that are the worst where nobody wrote them whether somebody did: a
// yes that was judged is no other yes, and tells people where a review is thin.
type Judged struct {
	Outbound, Private, Untrusted bool // outbound, reads_private, untrusted_content
}

// Handles are the places of handles that are bound to whom they are given.
type Handles struct {
	Gives []string      // JSON Pointers into structuredContent; a token "*" is each member or element
	Takes []string      // JSON Pointers into the arguments where nothing but a handle may stand
	Life  time.Duration // how long one is good; 0 = an hour
}

// Bound narrows what an argument may be beyond what its schema says. It refuses, and
// never changes anything.
type Bound struct {
	MaxLength int  // characters of a text, elements of a list, members of an object; 0 = any
	NonEmpty  bool // a text that is not blank, a list or an object with something in it; null is empty
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

// The states of a definition. What is served, Served says.
const (
	StateApproved    ExposureState = "approved"
	StateNew         ExposureState = "new"         // listed by the upstream, no record
	StateChanged     ExposureState = "changed"     // a record exists for another digest
	StateQuarantined ExposureState = "quarantined" // held back by a reviewer's word
	StateWithheld    ExposureState = "withheld"    // cannot be served safely, whatever the review
	StateMissing     ExposureState = "missing"     // a record exists, the upstream lists no such tool
	StateDeprecated  ExposureState = "deprecated"  // approved, served and marked until its sunset
	StateRetired     ExposureState = "retired"     // its sunset has come
)

// Served says whether hosts are offered what stands so.
func (s ExposureState) Served() bool { return s == StateApproved || s == StateDeprecated }

// ExposureStates lists every state, in the order in which they are shown.
func ExposureStates() []ExposureState {
	return []ExposureState{StateApproved, StateDeprecated, StateNew, StateChanged, StateQuarantined, StateRetired, StateWithheld, StateMissing}
}
