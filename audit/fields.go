package audit

import (
	"iter"
	"time"

	"mcp-gateway/audit/shape"
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
// is part of the format; a field that may be absent can be added without a new
// SchemaVersion, since every event before it is written as it was. Type, seq and action lead so that a line can be told apart
// from its first bytes.
var fields = [...]field{
	word("type", isType, invalid, func(e *Event) *Type { return &e.Type }),
	number("seq", func(e *Event) *uint64 { return &e.Seq }),
	identity("action", func(e *Event) *ID { return &e.Action }),
	identity("id", func(e *Event) *ID { return &e.ID }),
	moment("time", func(e *Event) *time.Time { return &e.Time }),
	word("replica", shape.Ident, invalid, func(e *Event) *Ident { return &e.Replica }),
	number("boot", func(e *Event) *uint64 { return &e.Boot }),
	hash("prev", func(e *Event) *Hash { return &e.Prev }),

	trace("trace", func(e *Event) *Trace { return &e.Trace }),
	word("request", shape.RequestRef, invalid, func(e *Event) *RequestRef { return &e.Request }),
	word("run", shape.HostRef, invalid, func(e *Event) *HostRef { return &e.Run }),
	word("step", shape.HostRef, invalid, func(e *Event) *HostRef { return &e.Step }),
	word("call", shape.HostRef, invalid, func(e *Event) *HostRef { return &e.Call }),
	word("principal", shape.Keyed, invalid, func(e *Event) *Keyed { return &e.Principal }),
	word("subject", shape.Label, invalid, func(e *Event) *Label { return &e.Subject }),
	word("tenant", shape.Label, invalid, func(e *Event) *Label { return &e.Tenant }),
	word("client", shape.Label, invalid, func(e *Event) *Label { return &e.Client }),
	word("method", shape.Method, other, func(e *Event) *Method { return &e.Method }),
	word("transport", shape.Transport, invalid, func(e *Event) *Transport { return &e.Transport }),
	word("era", shape.Era, invalid, func(e *Event) *Era { return &e.Era }),
	word("revision", shape.Revision, other, func(e *Event) *Revision { return &e.Revision }),
	word("upstream_era", shape.Era, invalid, func(e *Event) *Era { return &e.UpstreamEra }),
	word("upstream_revision", shape.Revision, other, func(e *Event) *Revision { return &e.UpstreamRevision }),
	word("upstream_version", shape.Claimed, invalid, func(e *Event) *Claimed { return &e.UpstreamVersion }),

	word("upstream", shape.Ident, invalid, func(e *Event) *Ident { return &e.Upstream }),
	word("tool", shape.Ident, invalid, func(e *Event) *Ident { return &e.Tool }),
	word("tool_ref", shape.Keyed, invalid, func(e *Event) *Keyed { return &e.ToolRef }),
	word("definition", shape.Digest, invalid, func(e *Event) *gateway.Digest { return &e.Definition }),
	hexadecimal("schema", func(e *Event) []byte { return e.Schema[:] }),
	word("was", shape.Digest, invalid, func(e *Event) *gateway.Digest { return &e.Was }),
	word("identity", shape.Digest, invalid, func(e *Event) *gateway.Digest { return &e.Identity }),
	word("instructions", shape.Digest, invalid, func(e *Event) *gateway.Digest { return &e.Instructions }),
	word("state", shape.State, invalid, func(e *Event) *gateway.ExposureState { return &e.State }),
	word("class", shape.Class, invalid, func(e *Event) *gateway.SideEffect { return &e.Class }),

	word("policy", shape.Version, invalid, func(e *Event) *Version { return &e.Policy }),
	word("bundle", shape.Ident, invalid, func(e *Event) *Ident { return &e.Bundle }),
	word("input", shape.Digest, invalid, func(e *Event) *gateway.Digest { return &e.Input }),
	word("effect", shape.Effect, invalid, func(e *Event) *gateway.Effect { return &e.Effect }),
	list("reasons", shape.Word, "more_reasons", func(e *Event) *[]gateway.Reason { return &e.Reasons }),
	list("obligations", shape.Word, "more_obligations", func(e *Event) *[]Word { return &e.Obligations }),
	list("faults", shape.Fault, "/ more", func(e *Event) *[]Fault { return &e.Faults }),
	identity("approval", func(e *Event) *ID { return &e.Approval }),
	word("approver", shape.Keyed, invalid, func(e *Event) *Keyed { return &e.Approver }),
	word("label", shape.Word, invalid, func(e *Event) *Word { return &e.Label }),
	identity("receipt", func(e *Event) *ID { return &e.Receipt }),
	word("code", shape.Code, invalid, func(e *Event) *gateway.Code { return &e.Code }),
	word("outcome", shape.Outcome, invalid, func(e *Event) *gateway.Outcome { return &e.Outcome }),

	word("args", shape.Keyed, invalid, func(e *Event) *Keyed { return &e.Args }),
	number("args_bytes", func(e *Event) *uint64 { return &e.ArgsBytes }),
	number("result_bytes", func(e *Event) *uint64 { return &e.ResultBytes }),
	counts("redactions", func(e *Event) *[]Count { return &e.Redactions }),
	counts("findings", func(e *Event) *[]Count { return &e.Findings }),
	number("retries", func(e *Event) *uint64 { return &e.Retries }),
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
	word("source", shape.Keyed, invalid, func(e *Event) *Keyed { return &e.Source }),

	word("build", shape.Version, invalid, func(e *Event) *Version { return &e.Build }),
	word("config", shape.Version, invalid, func(e *Event) *Version { return &e.Config }),

	word("of_replica", shape.Ident, invalid, func(e *Event) *Ident { return &e.OfReplica }),
	number("of_boot", func(e *Event) *uint64 { return &e.OfBoot }),
	number("of_seq", func(e *Event) *uint64 { return &e.OfSeq }),
	number("cut_bytes", func(e *Event) *uint64 { return &e.CutBytes }),

	number("left_out", func(e *Event) *uint32 { return &e.LeftOut }),
}

// Fields yields the names of the fields in the order in which they are written.
func Fields() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range fields {
			if !yield(fields[i].key[2 : len(fields[i].key)-2]) {
				return
			}
		}
	}
}
