package audit

import (
	"time"

	"mcp-gateway/gateway"
)

// SchemaVersion is the "v" member of every event.
const SchemaVersion = 1

// Event is one thing that happened. It is flat; a field that is zero is not
// written. The table in fields.go decides the names and the order.
type Event struct {
	// The journal sets these, whatever they held.
	ID      ID
	Time    time.Time // what the wall clock said; Seq and ID give the order
	Replica Ident
	Boot    uint64
	Seq     uint64 // from 1, without gaps, per writer (replica and boot)
	Prev    Hash   // SHA-256 of the line before; of the first: of the event that OfBoot and OfSeq name

	Type Type

	// Which request, by whom, over what.
	Action           ID // one tool call from decision to receipt
	Trace            Trace
	Request          RequestRef
	Run              HostRef // what the host calls its run, its step and this call; claimed, for joining only
	Step             HostRef
	Call             HostRef
	Principal        Keyed // Keys.Principal
	Subject          Label // only where subjects are configured to be clear
	Tenant           Label
	Client           Label
	Method           Method
	Transport        Transport
	Era              Era      // host to gateway
	Revision         Revision // host to gateway
	UpstreamEra      Era      // gateway to upstream
	UpstreamRevision Revision
	UpstreamVersion  Claimed // what the server says its version is

	// Which upstream, as what.
	Identity     gateway.Digest // of upstream.changed: what it is now
	Instructions gateway.Digest // likewise: of what it tells models

	// Which tool, as what.
	Upstream   Ident // the id from our configuration
	Tool       Ident // an exposed or reviewed name, never one that is merely claimed
	ToolRef    Keyed // instead of Tool where the name is not known (Keys.Name)
	Definition gateway.Digest
	Schema     Sum            // of the input and output schema alone: tells a change of words from one of contract
	Was        gateway.Digest // the definition before, of tools.changed; the identity before, of upstream.changed; the policy before, of policy.loaded
	State      gateway.ExposureState
	Class      gateway.SideEffect // what the reviewer says it does to the world

	// What was decided, why, and what became of it.
	Policy      Version        // of a call: a prefix of what policy.loaded names whole
	Bundle      Ident          // of policy.refused: what the configuration calls the bundle
	Input       gateway.Digest // of the decision's argument-free input, kept apart
	Effect      gateway.Effect
	Reasons     []gateway.Reason // at most 8 are written
	Obligations []Word           // what policy asked for besides; at most 8 are written
	Faults      []Fault          // of invalid_arguments: where in the pinned schema; at most 8 are written
	Approval    ID               // of the ticket that was asked for, answered, or used
	Approver    Keyed            // who answered a ticket, labelled a call or read a detail
	Label       Word             // a person's judgement of a call; of an act at a ticket, how they came; cli: a command writes, no gateway
	Receipt     ID               // of the receipt that will name this event
	Code        gateway.Code
	Outcome     gateway.Outcome

	// Sizes, counts and times.
	Args        Keyed  // Keys.Args
	ArgsBytes   uint64 // of the arguments
	ResultBytes uint64 // of the result as released
	Redactions  []Count
	Findings    []Count
	Retries     uint64 // how often a call was sent again
	Stages      Stages
	Duration    time.Duration // whole µs are written

	// Of lists and refreshes.
	Offered        uint32
	OfferedDigest  Hash // NameDigest
	Withheld       uint32
	WithheldDigest Hash
	Added          uint32
	Changed        uint32
	Removed        uint32

	// Of refused.flood: how many, from where, in the second that Time names.
	Count  uint64
	Source Keyed // Keys.Source

	// Of the gateway itself.
	Build  Version
	Config Version

	// Another writer's event: the predecessor of gateway.started, the first event
	// of what tool.orphaned or subscription.closed ends, the last whole event of audit.recovered.
	OfReplica Ident
	OfBoot    uint64
	OfSeq     uint64
	CutBytes  uint64 // of audit.recovered: length of the torn tail

	// How many steps of leaving out it took for the event to be no longer than its type
	// may be. AppendJSON sets it in what it writes.
	LeftOut uint32
}
