package audit

import (
	"time"

	"mcp-gateway/gateway"
)

// Durability says what an event must survive before it counts as written.
type Durability string

// The classes of durability.
const (
	Process Durability = "process" // the kernel has it: survives the death of this process
	Disk    Durability = "disk"    // fsync returned: survives the death of the machine
)

// Position is where a durable event stands. Hash is the SHA-256 of its line, so
// that a receipt that names a Position can be checked against the journal.
type Position struct {
	Replica Ident
	Boot    uint64
	Seq     uint64
	Hash    Hash
}

// IsZero says whether there is no event.
func (p Position) IsZero() bool { return p.Seq == 0 }

// Order is the order of a query's rows.
type Order string

// The orders; NewestFirst is the default.
const (
	NewestFirst Order = "newest"
	OldestFirst Order = "oldest"
)

// Filter says which rows are wanted; a zero field admits all.
type Filter struct {
	Since, Until            time.Time // Since inclusive, Until exclusive
	Principal               Keyed     // Keys.Principal of the identity
	People                  []Keyed   // likewise, any of them: one person has a pseudonym a tenant and client
	Approvers               []Keyed   // who answered, settled or looked, by any of these pseudonyms
	Tool                    Ident     // exposed name; one that ends in * admits all that begin so
	Upstream                Ident
	Effect                  gateway.Effect
	Type                    Type
	Types                   []Type // any of them
	Code                    gateway.Code
	Action                  ID
	Approval                ID
	Tenant, Subject, Client Label
	Replica                 Ident
	Outcome                 gateway.Outcome
	State                   gateway.ExposureState
	Reason                  gateway.Reason // one of the reasons, or what was only noted: CODE is also warned.CODE and watched.CODE
	Unresolved              bool           // of unknown outcomes only those that nobody settled since
	Refused                 bool           // only what was refused, whatever stopped it
	Limit                   int            // 0 = 100
	Order                   Order
}

// Refusals are the types of events of what was refused: before policy, by it, or
// after it; of strangers only counts.
func Refusals() []Type { return []Type{ToolRefused, RequestRefused, RefusedCounted} }

// Row is one action (its decided event together with its finished or orphaned
// one) or any other single event.
type Row struct {
	Time      time.Time
	Type      Type
	Event     ID
	Action    ID
	Position  Position // of the first event; without its Hash
	Settled   Position // of the finished or orphaned event, zero while there is none
	Principal Keyed    // or the approver, where only they did something
	Approver  Keyed
	Subject   Label
	Tenant    Label
	Client    Label
	Method    Method
	Upstream  Ident
	Tool      Ident
	ToolRef   Keyed
	Effect    gateway.Effect
	Reasons   []gateway.Reason
	Code      gateway.Code    // of the settling event where there is one
	Outcome   gateway.Outcome // empty while the call is running
	State     gateway.ExposureState
	Of        gateway.Digest // the definition that was called, or that was found
	Transport Transport
	Policy    Version
	Label     Word
	Faults    []Fault
	Approval  ID
	Duration  time.Duration
	Count     uint64 // of refused.flood
}
