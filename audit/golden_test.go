package audit

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-gateway/gateway"
)

var update = flag.Bool("update", false, "write the golden files anew")

const hex64 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// samples holds one full event of each type, with every field that the type
// uses at a size that is usual for it or larger.
func samples() map[Type]*Event {
	id := func(n byte) ID { return ID{0x01, 0x98, 0x2a, 0x5b, 0x3c, 0x4d, 0x7e, n, 0x80 | n, 1, 2, 3, 4, 5, 6, 7} }
	base := func(t Type) *Event {
		return &Event{
			Type: t, Seq: 123456, ID: id(1), Time: time.Date(2026, 9, 1, 0, 0, 0, 120, time.UTC),
			Replica: "gw-0198a2b3", Boot: 17, Prev: Hash{0xab, 31: 0xcd},
		}
	}
	caller := func(t Type) *Event {
		e := base(t)
		e.Trace, e.Request = Trace{0x4b, 15: 0x36}, "17"
		e.Principal = Keyed("a1b2c3d4e5f60718:" + hex64[:32])
		e.Tenant, e.Client, e.Method = "platform", "ci", "tools/call"
		e.Transport, e.Era, e.Revision = HTTP, Modern, "2026-07-28"
		return e
	}
	all := map[Type]*Event{}

	e := caller(ToolDecided)
	e.Action, e.Upstream, e.Tool = id(2), "incident", "incident__create_incident_ticket"
	e.UpstreamEra, e.UpstreamRevision = Legacy, "2025-11-25"
	e.Definition, e.State = gateway.Digest("sha256-jcs1:"+hex64), gateway.StateApproved
	e.Run, e.Step, e.Call = "run-8d1e7a55", "4", "toolu_01A09q90qw90lq917835"
	e.Class = gateway.Write
	e.UpstreamVersion, e.Schema = "1.4.2", Sum{0xab, 15: 0xcd}
	e.Obligations, e.Approval = []Word{"mask"}, id(3)
	e.Policy, e.Input = Version("sha256:"+hex64[:16]), gateway.Digest("sha256-jcs1:"+hex64)
	e.Effect, e.Reasons = gateway.Allow, []gateway.Reason{"approved", "scopes_held"}
	e.Args, e.ArgsBytes = Keyed("a1b2c3d4e5f60718:"+hex64[:32]), 4096
	e.Stages = Stages{StageDecode: 25, StageVisible: 130, StageCheckInput: 18, StageDecide: 145}
	all[e.Type] = e

	e = base(ToolFinished)
	e.Action, e.Outcome, e.Code, e.ResultBytes = id(2), gateway.OutcomeCommitted, gateway.CodeContractViolation, 65536
	e.Reasons = []gateway.Reason{gateway.ReasonMalformed}
	e.Redactions = []Count{{"aws_access_key", 2}, {"escape", 14}}
	e.Findings = []Count{{"hidden_text", 1}}
	e.Stages[StageIntend], e.Stages[StageForward], e.Stages[StageCheckOutput], e.Stages[StageRedact] = 35, 15230, 41, 12
	e.Receipt = id(4)
	e.Duration = 15620 * time.Microsecond
	all[e.Type] = e

	e = caller(ToolRefused)
	e.Action, e.ToolRef = id(2), Keyed("a1b2c3d4e5f60718:"+hex64[:32])
	e.Effect, e.Reasons, e.Code = gateway.Deny, []gateway.Reason{gateway.ReasonToolAbsent}, gateway.CodeUnknownTool
	e.Stages, e.Duration = Stages{StageIdentify: 12, StageDecode: 25}, 43*time.Microsecond
	e.Faults = []Fault{"/severity enum", "/title required"}
	all[e.Type] = e

	e = base(ToolOrphaned)
	e.Action, e.Outcome, e.Code = id(2), gateway.OutcomeUnknown, gateway.CodeOutcomeUnknown
	e.OfReplica, e.OfBoot, e.OfSeq = "gw-0198a2b3", 16, 99
	all[e.Type] = e

	e = caller(ToolsListed)
	e.Method, e.Subject = "tools/list", "jürgen@example.com"
	e.Offered, e.OfferedDigest = 2, digestOf("a__b", "a__c")
	e.Withheld, e.WithheldDigest = 1, digestOf("a__d")
	e.Policy = Version("sha256:" + hex64)
	all[e.Type] = e

	e = base(ToolsChanged)
	e.Upstream, e.Tool, e.State = "incident", "incident__get_service_status", gateway.StateChanged
	e.Definition, e.Was = gateway.Digest("sha256-jcs1:"+hex64), gateway.Digest("sha256-jcs1:"+hex64)
	e.Added, e.Changed, e.Removed = 1, 2, 3
	all[e.Type] = e

	e = base(UpstreamChanged)
	e.Upstream, e.UpstreamEra, e.UpstreamRevision, e.State = "incident", Legacy, "2025-11-25", gateway.StateChanged
	e.Identity, e.Instructions, e.Was = gateway.Digest("sha256-jcs1:"+hex64), gateway.Digest("sha256-jcs1:"+hex64), gateway.Digest("sha256-jcs1:"+hex64)
	e.Reasons = []gateway.Reason{gateway.ReasonIdentityChanged, gateway.ReasonEraChanged, gateway.ReasonRevisionChanged}
	all[e.Type] = e

	e = base(ConfigLoaded)
	e.Config = Version("sha256:" + hex64)
	all[e.Type] = e

	e = base(ConfigRefused)
	e.Reasons = []gateway.Reason{"unknown_key", "bad_url"}
	all[e.Type] = e

	e = base(ListPartial)
	e.Upstream, e.Reasons = "incident", []gateway.Reason{gateway.ReasonListPartial}
	all[e.Type] = e

	e = base(PolicyLoaded)
	e.Policy, e.Was = Version("sha256:"+hex64), gateway.Digest("sha256:"+hex64)
	all[e.Type] = e

	e = base(PolicyRefused)
	e.Bundle, e.Reasons = "grants", []gateway.Reason{"bundle_signature_wrong"}
	all[e.Type] = e

	e = base(GatewayStarted)
	e.Seq, e.Build, e.OfReplica, e.OfBoot, e.OfSeq = 1, "v0.1.0+3f2a", "gw-0198a2b3", 16, 4711
	all[e.Type] = e

	all[GatewayStopped] = base(GatewayStopped)

	e = base(AuditRecovered)
	e.OfReplica, e.OfBoot, e.OfSeq, e.CutBytes = "gw-0198a2b3", 16, 4710, 312
	all[e.Type] = e

	e = caller(RequestRefused)
	e.Method, e.Code, e.Revision = "tools/evil\"}", gateway.CodeUnknownMethod, "1999"
	all[e.Type] = e

	e = base(RefusedCounted)
	e.Count, e.Source, e.Code = 4000, Keyed("a1b2c3d4e5f60718:"+hex64[:32]), gateway.CodeUnauthenticated
	all[e.Type] = e

	e = caller(SubscriptionOpened)
	e.Action, e.Method, e.Offered, e.Withheld = id(2), "subscriptions/listen", 4, 1
	e.Policy = Version("sha256:" + hex64)
	all[e.Type] = e

	e = base(SubscriptionClosed)
	e.Action, e.Reasons, e.Count, e.Duration = id(2), []gateway.Reason{gateway.ReasonStopping}, 12, 90*time.Second
	all[e.Type] = e

	for _, typ := range []Type{ApprovalAsked, ApprovalGranted, ApprovalUsed, ApprovalRefused, ApprovalExpired, ApprovalRevoked} {
		e = base(typ)
		if typ == ApprovalAsked || typ == ApprovalUsed {
			e = caller(typ)
			e.Upstream, e.Tool, e.Effect = "incident", "incident__create_incident_ticket", gateway.Ask
		}
		if typ == ApprovalUsed {
			e.Effect = ""
		}
		e.Action, e.Approval = id(2), id(3)
		if typ == ApprovalGranted || typ == ApprovalUsed || typ == ApprovalRefused || typ == ApprovalRevoked {
			e.Approver = Keyed("a1b2c3d4e5f60718:" + hex64[:32])
		}
		if typ == ApprovalRevoked {
			e.Client, e.Tenant, e.Label = "carol", "platform", "console"
		}
		all[e.Type] = e
	}

	for _, typ := range []Type{AdminEntered, AdminLeft, AdminRefused} {
		e = base(typ)
		e.Approver, e.Client = Keyed("a1b2c3d4e5f60718:"+hex64[:32]), "carol"
		all[e.Type] = e
	}

	e = base(AuditPruned)
	e.OfReplica, e.OfBoot, e.OfSeq, e.Count = "gw-0198a2b3", 16, 4000, 4000
	all[e.Type] = e

	e = base(CallReviewed)
	e.Action, e.Label, e.Approver = id(2), "wrong_tool", Keyed("a1b2c3d4e5f60718:"+hex64[:32])
	all[e.Type] = e

	e = base(DetailRead)
	e.Action, e.Approver = id(2), Keyed("a1b2c3d4e5f60718:"+hex64[:32])
	all[e.Type] = e

	e = caller(ToolRepeated)
	e.Action, e.Method, e.Outcome = id(3), "tools/call", gateway.OutcomeCommitted
	e.OfReplica, e.OfBoot, e.OfSeq = "gw-0198a2b3", 16, 99
	all[e.Type] = e

	e = base(LedgerReconciled)
	e.Action, e.Outcome, e.Reasons = id(3), gateway.OutcomeCommitted, []gateway.Reason{"status_tool"}
	e.OfReplica, e.OfBoot, e.OfSeq = "gw-0198a2b3", 16, 99
	all[e.Type] = e

	e = base(LedgerAsked)
	e.Action, e.Upstream, e.Tool = id(3), "incident", "incident__get_incident_ticket"
	e.Definition = gateway.Digest("sha256-jcs1:" + hex64)
	all[e.Type] = e
	return all
}

// Each type of event is written exactly as its golden file says: a change here
// is a change of the format that others read.
func TestGolden(t *testing.T) {
	all := samples()
	for _, typ := range Types() {
		t.Run(string(typ), func(t *testing.T) {
			e, ok := all[typ]
			if !ok {
				t.Fatal("no sample")
			}
			got := string(AppendJSON(nil, e))
			path := filepath.Join("testdata", string(typ)+".json")
			if *update {
				if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != strings.TrimSuffix(string(want), "\n") {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			var back Event
			if err := Decode([]byte(got), &back); err != nil {
				t.Fatal(err)
			}
			if again := string(AppendJSON(nil, &back)); again != got {
				t.Errorf("decoded and written again: %s", again)
			}
		})
	}
}
