package audit

import (
	"time"

	"mcp-gateway/gateway"
)

// field is one member of the JSON object: how it is written and read back.
// put appends the value, or nothing where there is none.
type field struct {
	key string // `,"name":`
	put func(dst []byte, e *Event) []byte
	get func(e *Event, value []byte) bool
}

// fields is the allow-list: what is not in this table is not written. The order
// is part of the format; new fields go to the end of their group with a new
// SchemaVersion. Type, seq and action lead so that a line can be told apart
// from its first bytes.
var fields = [...]field{
	word("type", isType, invalid, func(e *Event) *Type { return &e.Type }),
	number("seq", func(e *Event) *uint64 { return &e.Seq }),
	identity("action", func(e *Event) *ID { return &e.Action }),
	identity("id", func(e *Event) *ID { return &e.ID }),
	moment("time", func(e *Event) *time.Time { return &e.Time }),
	word("replica", isIdent, invalid, func(e *Event) *Ident { return &e.Replica }),
	number("boot", func(e *Event) *uint64 { return &e.Boot }),
	hash("prev", func(e *Event) *Hash { return &e.Prev }),

	trace("trace", func(e *Event) *Trace { return &e.Trace }),
	word("request", isRequestRef, invalid, func(e *Event) *RequestRef { return &e.Request }),
	word("principal", isKeyed, invalid, func(e *Event) *Keyed { return &e.Principal }),
	word("subject", isLabel, invalid, func(e *Event) *Label { return &e.Subject }),
	word("tenant", isLabel, invalid, func(e *Event) *Label { return &e.Tenant }),
	word("client", isLabel, invalid, func(e *Event) *Label { return &e.Client }),
	word("method", isMethod, other, func(e *Event) *Method { return &e.Method }),
	word("transport", isTransport, invalid, func(e *Event) *Transport { return &e.Transport }),
	word("era", isEra, invalid, func(e *Event) *Era { return &e.Era }),
	word("revision", isRevision, other, func(e *Event) *Revision { return &e.Revision }),
	word("upstream_era", isEra, invalid, func(e *Event) *Era { return &e.UpstreamEra }),
	word("upstream_revision", isRevision, other, func(e *Event) *Revision { return &e.UpstreamRevision }),

	word("upstream", isIdent, invalid, func(e *Event) *Ident { return &e.Upstream }),
	word("tool", isIdent, invalid, func(e *Event) *Ident { return &e.Tool }),
	word("tool_ref", isKeyed, invalid, func(e *Event) *Keyed { return &e.ToolRef }),
	word("definition", isDigest, invalid, func(e *Event) *gateway.Digest { return &e.Definition }),
	word("was", isDigest, invalid, func(e *Event) *gateway.Digest { return &e.Was }),
	word("state", isState, invalid, func(e *Event) *gateway.ExposureState { return &e.State }),

	word("policy", isVersion, invalid, func(e *Event) *Version { return &e.Policy }),
	word("input", isDigest, invalid, func(e *Event) *gateway.Digest { return &e.Input }),
	word("effect", isEffect, invalid, func(e *Event) *gateway.Effect { return &e.Effect }),
	reasons("reasons", func(e *Event) *[]gateway.Reason { return &e.Reasons }),
	word("code", isCode, invalid, func(e *Event) *gateway.Code { return &e.Code }),
	word("outcome", isOutcome, invalid, func(e *Event) *gateway.Outcome { return &e.Outcome }),

	word("args", isKeyed, invalid, func(e *Event) *Keyed { return &e.Args }),
	number("args_bytes", func(e *Event) *uint64 { return &e.ArgsBytes }),
	number("result_bytes", func(e *Event) *uint64 { return &e.ResultBytes }),
	counts("redactions", func(e *Event) *[]Count { return &e.Redactions }),
	counts("findings", func(e *Event) *[]Count { return &e.Findings }),
	stages("stages_us", func(e *Event) *Stages { return &e.Stages }),
	micros("duration_us", func(e *Event) *time.Duration { return &e.Duration }),

	number("offered", func(e *Event) *uint32 { return &e.Offered }),
	hash("offered_digest", func(e *Event) *Hash { return &e.OfferedDigest }),
	number("withheld", func(e *Event) *uint32 { return &e.Withheld }),
	hash("withheld_digest", func(e *Event) *Hash { return &e.WithheldDigest }),
	number("added", func(e *Event) *uint32 { return &e.Added }),
	number("changed", func(e *Event) *uint32 { return &e.Changed }),
	number("removed", func(e *Event) *uint32 { return &e.Removed }),

	number("count", func(e *Event) *uint64 { return &e.Count }),
	word("source", isKeyed, invalid, func(e *Event) *Keyed { return &e.Source }),

	word("build", isVersion, invalid, func(e *Event) *Version { return &e.Build }),
	word("config", isVersion, invalid, func(e *Event) *Version { return &e.Config }),

	word("of_replica", isIdent, invalid, func(e *Event) *Ident { return &e.OfReplica }),
	number("of_boot", func(e *Event) *uint64 { return &e.OfBoot }),
	number("of_seq", func(e *Event) *uint64 { return &e.OfSeq }),
	number("cut_bytes", func(e *Event) *uint64 { return &e.CutBytes }),
}
