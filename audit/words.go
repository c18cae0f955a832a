package audit

import (
	"slices"

	"mcp-gateway/audit/shape"
)

// Type says what kind of thing happened.
type Type string

// The types of events.
const (
	ToolDecided     Type = "tool.decided"     // a call will be sent upstream
	ToolFinished    Type = "tool.finished"    // what became of a decided call
	ToolRefused     Type = "tool.refused"     // a call that was stopped earlier: its one event
	ToolOrphaned    Type = "tool.orphaned"    // a decided call whose writer died before it finished
	ToolsListed     Type = "tools.listed"     // what a principal was offered
	ToolsChanged    Type = "tools.changed"    // a refresh found another list or definition
	UpstreamChanged Type = "upstream.changed" // an upstream is not what it was observed to be, or was met for the first time
	ListPartial     Type = "list.partial"     // an upstream's list could be read in part only; it replaced nothing
	ConfigLoaded    Type = "config.loaded"    //
	ConfigRefused   Type = "config.refused"   // a reload with problems, whose codes are the reasons; what was in force stays
	PolicyLoaded    Type = "policy.loaded"    //
	PolicyRefused   Type = "policy.refused"   // one that was delivered, with what is wrong with it; what was in force stays
	GatewayStarted  Type = "gateway.started"  // the first event of every writer
	GatewayStopped  Type = "gateway.stopped"  // the last one, unless it was killed
	AuditRecovered  Type = "audit.recovered"  // a torn tail was cut
	RequestRefused  Type = "request.refused"  // malformed, or a method that we do not know
	RefusedCounted  Type = "refused.flood"    // unauthenticated or throttled, counted per second and source

	SubscriptionOpened Type = "subscription.opened" // a principal is told from now on what changes
	SubscriptionClosed Type = "subscription.closed" // no more, and why

	ApprovalAsked   Type = "approval.asked"   // a person is asked whether a call may go ahead
	ApprovalGranted Type = "approval.granted" // a person said yes to this very call
	ApprovalUsed    Type = "approval.used"    // a call goes ahead by what a person said yes to
	ApprovalRefused Type = "approval.refused" // a person said no
	ApprovalExpired Type = "approval.expired" // nobody said anything in time
	ApprovalRevoked Type = "approval.revoked" // a person took back an approval, a question, or a consent that stood for later calls; or policy asks for something else now

	AdminEntered Type = "admin.entered" // somebody who runs the gateway signed in to the console
	AdminLeft    Type = "admin.left"    // and out
	AdminRefused Type = "admin.refused" // a key of nobody's, or one whose roles don't hold what it asked for

	AuditPruned      Type = "audit.pruned"      // events up to a checkpoint were deleted, as retention says
	CallReviewed     Type = "call.reviewed"     // a person labelled a call
	DetailRead       Type = "detail.read"       // a person read the kept arguments of a call
	ToolRepeated     Type = "tool.repeated"     // a recorded outcome was told again; nothing was sent
	LedgerReconciled Type = "ledger.reconciled" // what became of an action whose outcome was unknown
	LedgerAsked      Type = "ledger.asked"      // a reviewed read tool is asked what became of an action
)

// Types lists every type that may be written.
func Types() []Type {
	return []Type{
		ToolDecided, ToolFinished, ToolRefused, ToolOrphaned, ToolsListed, ToolsChanged, UpstreamChanged, ListPartial,
		ConfigLoaded, ConfigRefused, PolicyLoaded, PolicyRefused, GatewayStarted, GatewayStopped, AuditRecovered,
		RequestRefused, RefusedCounted, SubscriptionOpened, SubscriptionClosed,
		ApprovalAsked, ApprovalGranted, ApprovalUsed, ApprovalRefused, ApprovalExpired, ApprovalRevoked,
		AdminEntered, AdminLeft, AdminRefused,
		AuditPruned, CallReviewed, DetailRead,
		ToolRepeated, LedgerReconciled, LedgerAsked,
	}
}

// Ident is an identifier of ours or one that was checked against what is known:
// [A-Za-z0-9_.-], at most 128 characters. A tool's name is written as an Ident
// only when it is an exposed or reviewed name; any other goes into ToolRef.
type Ident string

// Valid says whether the identifier has its shape.
func (i Ident) Valid() bool { return shape.Ident(string(i)) }

// Version names a revision of policy, configuration or build: an Ident that may
// also hold colons and plus signs.
type Version string

// shortVersion is how much of a digest names one revision among one's own.
const shortVersion = len("sha256:") + 16

// Short returns how events of calls name a revision that an event of its loading
// names whole.
func (v Version) Short() Version { return v[:min(len(v), shortVersion)] }

// Label is an attribute of a verified principal: at most 128 bytes of letters,
// marks, digits, spaces and ASCII punctuation other than quote and backslash.
type Label string

// Keyed is a keyed digest with the id of its key, "<key id>:<hex>"; Keys makes them.
type Keyed string

// RequestRef names the host's JSON-RPC id: an integer as it came, a string only
// as a Keyed digest. Keys.Request makes it.
type RequestRef string

// HostRef is what a host calls a run, a step or a call of its own: at most 64
// characters of [A-Za-z0-9_.:-]. It is claimed, and joins our events with the
// host's records; nothing is decided by it.
type HostRef string

// Claimed is a version that a server claims of itself: it begins with a digit,
// or with v and a digit, and has at most 32 of [A-Za-z0-9.+-].
type Claimed string

// Word is a word of our own: lower case, digits, joined by _ . or -, at most 64.
type Word string

// Fault says where arguments broke the pinned schema: a JSON Pointer of declared
// names, a space, and the keyword that was broken. What the schema does not
// declare is no part of the pointer.
type Fault string

// Era is the generation of the protocol on one hop.
type Era string

// The eras.
const (
	Modern Era = "modern"
	Legacy Era = "legacy"
)

// Transport is how a host is connected.
type Transport string

// The transports.
const (
	HTTP  Transport = "http"
	Stdio Transport = "stdio"
)

// Revision is a revision of the protocol, YYYY-MM-DD.
type Revision string

// Method is a method of the protocol. One that we do not know is written as "_OTHER".
type Method string

// Known says whether it is a method of the protocol.
func (m Method) Known() bool { return shape.Method(string(m)) }

// Count is how often something of one class was found. The class is a word of ours.
type Count struct {
	Class string
	N     uint32
}

// Stage is a stage of the corridor whose time is recorded.
type Stage int

// The stages, in the order of the corridor.
const (
	StageAccept Stage = iota
	StageIdentify
	StageThrottle
	StageDecode
	StageResolve
	StageVisible
	StageCheckInput
	StageRecall
	StageRecheck
	StageDecide
	StageTransform
	StageAdmit
	StageIntend
	StageForward
	StageCheckOutput
	StageRedact
	stageCount
)

// Stages are durations by Stage in µs, rounded down; 0 is not written.
type Stages [stageCount]uint32

var stageNames = [stageCount]string{
	"accept", "identify", "throttle", "decode", "resolve", "visible", "checkInput", "recall",
	"recheck", "decide", "transform", "admit", "intend", "forward", "checkOutput", "redact",
}

// noise is what is not worth writing: stages below it say nothing.
const noise = 10 // µs

// Notable returns the stages that took long enough to be written.
func (s Stages) Notable() Stages { return s.After(-1) }

// After returns the notable stages that come after one: what an earlier event of
// the same call has not told yet.
func (s Stages) After(last Stage) Stages {
	for i, us := range s {
		if Stage(i) <= last || us < noise {
			s[i] = 0
		}
	}
	return s
}

// String returns the name of the stage in the corridor.
func (s Stage) String() string {
	if s < 0 || s >= stageCount {
		return invalid
	}
	return stageNames[s]
}

// StageOf returns the stage of that name.
func StageOf(name string) (Stage, bool) {
	i := slices.Index(stageNames[:], name)
	return Stage(i), i >= 0
}

// What stands for a value that is not of its shape, and for a method or
// revision that we do not know.
const (
	invalid = "invalid"
	other   = "_OTHER"
)

func isType(s string) bool { return slices.Contains(types, Type(s)) }

// Built once and never written.
var types = Types()
