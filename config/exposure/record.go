package exposure

import (
	"time"

	"mcp-gateway/config/form"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// record describes one reviewed tool of an upstream. Records are read one after the
// other, and there are thousands: each is read into the same draft, whose description is
// made once, and copied from there.
func (s *sections) record(upstream string, e form.Entry, dst **registry.Record) form.Value {
	rec := &registry.Record{Pos: e.Pos}
	*dst, s.draft, s.of = rec, *rec, upstream
	if s.keys == nil {
		s.keys = s.describe(&s.draft)
	}
	return form.Object{Check: func(at form.Place) { judgeRecord(at, &s.draft); *rec = s.draft }, Fields: s.keys}
}

// describe gives the keys of a record of a tool of the upstream that is read.
func (s *sections) describe(rec *registry.Record) []form.Field {
	f := &rec.Facts
	return append(shared(rec),
		form.Field{Key: "side_effect", Value: form.Word(&f.SideEffect, gateway.Read, gateway.Write, gateway.Destructive)},
		form.Field{Key: "idempotent", Value: form.Word(&f.Idempotent, gateway.IdempotentNo, gateway.IdempotentYes, gateway.IdempotentKey)},
		form.Field{Key: "idempotency", Value: form.Object{Fields: []form.Field{{Key: "argument", Need: true, Value: pointer(&f.IdempotencyField)}}}},
		form.Field{Key: "reversible", Value: form.YesNo(&f.Reversible)},
		form.Field{Key: "outbound", Value: form.No(&f.Contained)},
		form.Field{Key: "open_world", Value: form.No(&f.ClosedWorld)},
		form.Field{Key: "evidence", Value: form.Object{Fields: []form.Field{{Key: "external_id", Need: true, Value: pointer(&f.ExternalID)}}}},
		form.Field{Key: "outcome", Value: form.Lazy(func() form.Value { return outcomes(&f.Outcomes) })},
		form.Field{Key: "status", Value: form.Lazy(func() form.Value { return s.status(s.of, &f.Status) })},
		form.Field{Key: "notifies", Value: form.List(&f.Notifies, form.Text)},
		form.Field{Key: "handles", Doc: "What it hands out to its caller alone, and takes back from nobody else.", Value: form.Object{Fields: []form.Field{
			{Key: "gives", Doc: "Places in structuredContent; a token * is each member or element.", Value: form.List(&f.Handles.Gives, pointer)},
			{Key: "takes", Doc: "Arguments that are nothing but such handles.", Value: form.List(&f.Handles.Takes, pointer)},
			{Key: "life", Doc: "How long one is good; 1h where absent.", Value: form.Duration(&f.Handles.Life, time.Second, 30*24*time.Hour)},
		}}},
		form.Field{Key: "bounds", Doc: "What may stand in arguments, by JSON Pointer, beyond what the schema says.", Value: form.Map(&f.Bounds, form.Keys{Pattern: pointerPattern, Code: "bad_pointer", Want: "JSON Pointer"}, bound)},
		form.Field{Key: "data", Value: form.Map(&f.Data, form.Keys{Pattern: pointerPattern, Code: "bad_pointer", Want: "JSON Pointer"}, dataClass)},
	)
}

// shared are the keys of every record, whatever it is of.
func shared(rec *registry.Record) []form.Field {
	f := &rec.Facts
	return []form.Field{
		{Key: "definition", Value: form.Matching(&rec.Definition, digestPattern, "bad_digest", "digest sha256-jcs1: with 64 hex digits")},
		{Key: "reads_private", Value: form.No(&f.ReadsNoPrivate)},
		{Key: "untrusted_content", Value: form.No(&f.TrustedContent)},
		{Key: "scopes", Value: scopes(&f.Scopes)},
		{Key: "step_up", Value: form.YesNo(&f.StepUp)},
		{Key: "tenants", Value: form.List(&f.Tenants, func(t *string) form.Value {
			return form.Matching(t, tenantPattern, "bad_tenant", "tenant: 1 to 128 visible ASCII characters")
		})},
		{Key: "timeout", Value: form.Duration(&f.Timeout, 10*time.Millisecond, time.Hour)},
		{Key: "contract", Value: form.Text(&f.Contract)},
		{Key: "audit", Value: form.Word(&f.Audit, gateway.AuditDisk)},
		{Key: "deprecated", Value: form.Lazy(func() form.Value { return deprecation(&f.Deprecated) })},
		{Key: "quarantine", Value: form.Text(&rec.Quarantine)},
		{Key: "quarantined_by", Value: form.Text(&rec.HeldBy)},
		{Key: "quarantined_at", Value: date(&rec.HeldAt)},
		{Key: "waive", Value: form.Map(&rec.Waive, form.Keys{Pattern: waivePattern, Code: "bad_waiver", Want: "code of a finding"}, waived)},
		{Key: "owner", Value: form.Text(&f.Owner)},
		{Key: "why", Value: form.Text(&f.Why)},
		{Key: "approved_by", Value: form.Text(&rec.ApprovedBy)},
		{Key: "approved_at", Value: date(&rec.ApprovedAt)},
	}
}

func waived(_ form.Entry, why *string) form.Value { return form.Text(why) }

// bound describes what may stand in one argument.
func bound(_ form.Entry, b *gateway.Bound) form.Value {
	return form.Object{
		Check: func(at form.Place) {
			if at.Empty() {
				at.Report("empty", "wants `max_length`, `non_empty` or both")
			}
		},
		Fields: []form.Field{
			{Key: "max_length", Doc: "Characters of a text, elements of a list, members of an object.", Value: form.Int(&b.MaxLength, 1, 1<<24)},
			{Key: "non_empty", Doc: "Where it is given at all, it is neither empty nor blank.", Value: form.YesNo(&b.NonEmpty)},
		},
	}
}

func dataClass(_ form.Entry, class *string) form.Value {
	return form.Matching(class, classPattern, "unknown_value", "data class")
}

// status describes how it is asked later what became of a write: of a tool that nobody
// reviewed as a read, it could do anything.
func (s *sections) status(upstream string, dst **gateway.StatusQuery) form.Value {
	q := &gateway.StatusQuery{}
	*dst = q
	judge := func(at form.Place) {
		s.later = append(s.later, func() {
			asked := s.tools[upstream][q.Tool]
			if q.Tool != "" && (asked == nil || asked.Facts.SideEffect != gateway.Read || asked.Quarantine != "") {
				at.Child("tool").Report("bad_status_tool", "`%s` is no tool of %s that was reviewed as a read; a status query calls nothing else", q.Tool, upstream)
			}
		})
	}
	return form.Object{Check: judge, Fields: []form.Field{
		{Key: "tool", Need: true, Value: form.Matching(&q.Tool, toolPattern, "bad_tool_name", "tool name")},
		{Key: "arguments", Value: form.Map(&q.Arguments, form.Keys{}, func(_ form.Entry, s *string) form.Value {
			return form.Matching(s, argumentPattern, "bad_argument", "text in which braces hold nothing but `key`: {key}")
		})},
		{Key: "found", Need: true, Value: pointer(&q.Found)},
		{Key: "verify", Value: form.YesNo(&q.Verify)},
	}}
}

// outcomes describes by which words of its result a write tells what became of it.
func outcomes(dst **gateway.OutcomeWords) form.Value {
	w := &gateway.OutcomeWords{}
	*dst = w
	words := func(list *[]string) form.Value {
		return form.List(list, func(s *string) form.Value { return form.Text(s) })
	}
	return form.Object{Check: func(at form.Place) { judgeOutcomes(at, w) }, Fields: []form.Field{
		{Key: "pointer", Need: true, Value: pointer(&w.Pointer)},
		{Key: "committed", Value: words(&w.Committed)},
		{Key: "accepted", Value: words(&w.Accepted)},
		{Key: "partial", Value: words(&w.Partial)},
		{Key: "failed", Value: words(&w.Failed)},
	}}
}

// judgeOutcomes refuses a map that says nothing, and a word that says two things.
func judgeOutcomes(at form.Place, w *gateway.OutcomeWords) {
	said := map[string]string{}
	for _, list := range []struct {
		key   string
		words []string
	}{{"committed", w.Committed}, {"accepted", w.Accepted}, {"partial", w.Partial}, {"failed", w.Failed}} {
		for _, word := range list.words {
			if before, twice := said[word]; twice {
				at.Child(list.key).Report("repeated_word", "`%s` stands under `%s` already", word, before)
			}
			said[word] = list.key
		}
	}
	if len(said) == 0 {
		at.Report("empty", "wants words: `committed`, `accepted`, `partial` or `failed`")
	}
}

func deprecation(dst **gateway.Deprecation) form.Value {
	d := &gateway.Deprecation{}
	*dst = d
	return form.Object{Fields: []form.Field{
		{Key: "sunset", Need: true, Value: date(&d.Sunset)},
		{Key: "use", Value: form.Matching(&d.Use, toolPattern, "bad_tool_name", "tool name")},
	}}
}

// judgeRecord applies the rules over several keys of a tool's record. One that
// holds its tool back needs nothing but the reason.
func judgeRecord(at form.Place, rec *registry.Record) {
	if !at.Has("quarantine") {
		need(at, "definition", "side_effect", "scopes", "owner", "why", "approved_by", "approved_at")
	}
	f := &rec.Facts
	f.Judged = gateway.Judged{Outbound: at.Has("outbound"), Private: at.Has("reads_private"), Untrusted: at.Has("untrusted_content")}
	if f.Idempotent == gateway.IdempotentKey && !at.Has("idempotency") {
		at.Child("idempotent").Report("missing_idempotency_argument", "`idempotent: key` needs `idempotency: {argument: /pointer}`, which argument is the key")
	}
	if at.Has("idempotency") && f.Idempotent != gateway.IdempotentKey {
		at.Child("idempotency").Report("idempotency_without_key", "an idempotency argument means something with `idempotent: key` only")
	}
	writes := f.SideEffect == gateway.Write || f.SideEffect == gateway.Destructive
	if _, waived := rec.Waive["external_id"]; writes && !waived && !at.Has("evidence") {
		at.Child("side_effect").Report("missing_external_id", "a %s tool needs `evidence: {external_id: /pointer}`, where its result names what it did, or `waive: {external_id: why}`", f.SideEffect)
	}
	if at.Has("status") && f.SideEffect == gateway.Read {
		at.Child("status").Report("status_of_read", "a read leaves nothing to ask about: `status` is for writes")
	}
	if at.Has("outcome") && f.SideEffect == gateway.Read {
		at.Child("outcome").Report("outcome_of_read", "a read commits nothing: `outcome` is for writes")
	}
	if at.Has("scopes") && at.Child("scopes").Empty() {
		at.Child("scopes").Report("empty", "wants one scope at least: a tool without scopes would be everyone's")
	}
	judgeTenants(at)
}

// judgeTenants refuses a list that names nobody: left out, it means anyone.
func judgeTenants(at form.Place) {
	if at.Has("tenants") && at.Child("tenants").Empty() {
		at.Child("tenants").Report("empty", "wants one tenant at least; leave the key out where any tenant may know of it")
	}
}

// reviewed describes a prompt's or resource's record: to get it changes nothing.
// Scopes may be left out: it is then there for everyone who is identified.
func reviewed(e form.Entry, dst **registry.Record) form.Value {
	r := &registry.Record{Pos: e.Pos, Facts: gateway.ExposureFacts{SideEffect: gateway.Read, Idempotent: gateway.IdempotentYes}}
	*dst = r
	return form.Object{Check: judgeReviewed, Fields: shared(r)}
}

func judgeReviewed(at form.Place) {
	if !at.Has("quarantine") {
		need(at, "definition", "owner", "why", "approved_by", "approved_at")
	}
	judgeTenants(at)
}

func need(at form.Place, keys ...string) {
	for _, key := range keys {
		if !at.Has(key) {
			at.Report("missing_key", "the key `%s` is missing", key)
		}
	}
}
