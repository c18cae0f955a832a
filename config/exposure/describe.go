package exposure

import (
	"regexp"
	"strings"
	"time"

	"mcp-gateway/config/form"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
	"mcp-gateway/registry/uri"
)

// The words of exposure.yaml.
var (
	idPattern        = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)
	digestPattern    = regexp.MustCompile(`^sha256-jcs1:[0-9a-f]{64}$`)
	anyDigestPattern = regexp.MustCompile(`^sha256(-jcs1)?[:-][0-9a-f]{64}$`)
	toolPattern      = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)
	templatePattern  = regexp.MustCompile(`^([!#-\[\]-z|~]|\{[A-Za-z_][A-Za-z0-9_.-]*\})+$`) // scope-token with {argument}
	pointerPattern   = regexp.MustCompile(`^(/([^/~]|~[01])*)+$`)                            // RFC 6901, not the whole document
	classPattern     = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	waivePattern     = regexp.MustCompile(`^[a-z][a-z0-9_.:/-]*$`)
)

// byUpstream are records by upstream, then by name.
type byUpstream = map[string]map[string]*registry.Record

// sections is what an exposure.yaml says.
type sections struct{ tools, prompts, resources byUpstream }

// file describes exposure.yaml. The upstreams' own reviews are held to their
// shape, so that a file reviewed today is one that a later version can read.
func file(said *sections) form.Value {
	var upstreams map[string]struct{}
	return form.Object{Fields: []form.Field{
		{Key: "version", Need: true, Value: form.Version(1)},
		{Key: "tools", Value: records(&said.tools, names("tool"), record)},
		{Key: "prompts", Value: records(&said.prompts, names("prompt"), reviewed)},
		{Key: "resources", Value: records(&said.resources, form.Keys{}, reviewedResource)},
		{Key: "upstreams", Value: form.Map(&upstreams, UpstreamIDs(), reviewedUpstream)},
	}}
}

func names(kind string) form.Keys {
	return form.Keys{Pattern: toolPattern, Code: "bad_" + kind + "_name", Want: kind + " name that can be served: [A-Za-z0-9_.-]{1,128}"}
}

// UpstreamIDs says what an upstream is called in both files.
func UpstreamIDs() form.Keys {
	return form.Keys{Pattern: idPattern, Code: "bad_id", Want: "upstream id: lower-case letters, digits and hyphens, at most 31"}
}

func records(dst *byUpstream, keys form.Keys, item func(form.Entry, **registry.Record) form.Value) form.Value {
	return form.Map(dst, UpstreamIDs(), func(_ form.Entry, m *map[string]*registry.Record) form.Value {
		return form.Map(m, keys, item)
	})
}

// record describes one reviewed tool.
func record(e form.Entry, dst **registry.Record) form.Value {
	rec := &registry.Record{Pos: e.Pos}
	*dst = rec
	f := &rec.Facts
	var status struct {
		tool, found string
		arguments   map[string]string
	}
	var data map[string]string
	var sunset time.Time
	var instead string
	return form.Object{Check: func(at form.Place) { judgeRecord(at, rec) }, Fields: []form.Field{
		{Key: "definition", Value: form.Matching(&rec.Definition, digestPattern, "bad_digest", "digest sha256-jcs1: with 64 hex digits")},
		{Key: "side_effect", Value: form.Word(&f.SideEffect, gateway.Read, gateway.Write, gateway.Destructive)},
		{Key: "idempotent", Value: form.Word(&f.Idempotent, gateway.IdempotentNo, gateway.IdempotentYes, gateway.IdempotentKey)},
		{Key: "idempotency", Value: form.Object{Fields: []form.Field{{Key: "argument", Need: true, Value: pointer(&f.IdempotencyField)}}}},
		{Key: "reversible", Value: form.YesNo(&f.Reversible)},
		{Key: "outbound", Value: form.No(&f.Contained)},
		{Key: "open_world", Value: form.No(&f.ClosedWorld)},
		{Key: "reads_private", Value: form.No(&f.ReadsNoPrivate)},
		{Key: "untrusted_content", Value: form.No(&f.TrustedContent)},
		{Key: "scopes", Value: scopes(&f.Scopes)},
		{Key: "step_up", Value: form.YesNo(&f.StepUp)},
		{Key: "evidence", Value: form.Object{Fields: []form.Field{{Key: "external_id", Need: true, Value: pointer(&f.ExternalID)}}}},
		{Key: "status", Value: form.Object{Fields: []form.Field{
			{Key: "tool", Need: true, Value: form.Matching(&status.tool, toolPattern, "bad_tool_name", "tool name")},
			{Key: "arguments", Value: form.Map(&status.arguments, form.Keys{}, func(_ form.Entry, s *string) form.Value { return form.Text(s) })},
			{Key: "found", Need: true, Value: pointer(&status.found)},
		}}},
		{Key: "data", Value: form.Map(&data, form.Keys{Pattern: pointerPattern, Code: "bad_pointer", Want: "JSON Pointer"}, func(_ form.Entry, s *string) form.Value {
			return form.Matching(s, classPattern, "unknown_value", "data class")
		})},
		{Key: "timeout", Value: form.Duration(&rec.Timeout, 10*time.Millisecond, time.Hour)},
		{Key: "deprecated", Value: form.Object{Fields: []form.Field{
			{Key: "sunset", Need: true, Value: date(&sunset)},
			{Key: "use", Value: form.Matching(&instead, toolPattern, "bad_tool_name", "tool name")},
		}}},
		{Key: "quarantine", Value: form.Text(&rec.Quarantine)},
		{Key: "waive", Value: form.Map(&rec.Waive, form.Keys{Pattern: waivePattern, Code: "bad_waiver", Want: "code of a finding"}, func(_ form.Entry, s *string) form.Value { return form.Text(s) })},
		{Key: "owner", Value: form.Text(&f.Owner)},
		{Key: "why", Value: form.Text(&f.Why)},
		{Key: "approved_by", Value: form.Text(&rec.ApprovedBy)},
		{Key: "approved_at", Value: date(&rec.ApprovedAt)},
	}}
}

// judgeRecord applies the rules over several keys of a record. One that holds
// its tool back needs nothing but the reason.
func judgeRecord(at form.Place, rec *registry.Record) {
	if !at.Has("quarantine") {
		for _, key := range [...]string{"definition", "side_effect", "scopes", "owner", "why", "approved_by", "approved_at"} {
			if !at.Has(key) {
				at.Report("missing_key", "the key `%s` is missing", key)
			}
		}
	}
	f := &rec.Facts
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
	if at.Has("scopes") && at.Child("scopes").Empty() {
		at.Child("scopes").Report("empty", "wants one scope at least: a tool without scopes would be everyone's")
	}
}

// reviewed describes a prompt's or resource's record: to get it changes nothing.
// Scopes may be left out: it is then there for everyone who is identified.
func reviewed(e form.Entry, dst **registry.Record) form.Value {
	r := &registry.Record{Pos: e.Pos, Facts: gateway.ExposureFacts{SideEffect: gateway.Read, Idempotent: gateway.IdempotentYes}}
	*dst = r
	return form.Object{Check: func(at form.Place) { judgeReviewed(at) }, Fields: []form.Field{
		{Key: "definition", Value: form.Matching(&r.Definition, digestPattern, "bad_digest", "digest sha256-jcs1: with 64 hex digits")},
		{Key: "scopes", Value: scopes(&r.Facts.Scopes)},
		{Key: "step_up", Value: form.YesNo(&r.Facts.StepUp)},
		{Key: "reads_private", Value: form.No(&r.Facts.ReadsNoPrivate)},
		{Key: "untrusted_content", Value: form.No(&r.Facts.TrustedContent)},
		{Key: "timeout", Value: form.Duration(&r.Timeout, 10*time.Millisecond, time.Hour)},
		{Key: "quarantine", Value: form.Text(&r.Quarantine)},
		{Key: "waive", Value: form.Map(&r.Waive, form.Keys{Pattern: waivePattern, Code: "bad_waiver", Want: "code of a finding"}, func(_ form.Entry, s *string) form.Value { return form.Text(s) })},
		{Key: "owner", Value: form.Text(&r.Facts.Owner)},
		{Key: "why", Value: form.Text(&r.Facts.Why)},
		{Key: "approved_by", Value: form.Text(&r.ApprovedBy)},
		{Key: "approved_at", Value: date(&r.ApprovedAt)},
	}}
}

func judgeReviewed(at form.Place) {
	if at.Has("quarantine") {
		return
	}
	for _, key := range [...]string{"definition", "owner", "why", "approved_by", "approved_at"} {
		if !at.Has(key) {
			at.Report("missing_key", "the key `%s` is missing", key)
		}
	}
}

// reviewedResource describes a resource's record. Its key is a URI or a URI
// template in the one spelling in which it is compared.
func reviewedResource(e form.Entry, dst **registry.Record) form.Value {
	object := reviewed(e, dst).(form.Object)
	check := object.Check
	object.Check = func(at form.Place) {
		check(at)
		if strings.Contains(e.Key, "{") {
			if _, err := uri.ParseTemplate(e.Key); err != nil {
				at.Report("bad_uri", "`%s` is no URI template of simple variables: %v", e.Key, err)
			}
			return
		}
		if normal, err := uri.Normalize(e.Key); err != nil || normal != e.Key {
			at.Report("bad_uri", "`%s` is not the normal spelling of a URI (%s)", e.Key, normal)
		}
	}
	return object
}

// reviewedUpstream describes the review of an upstream itself.
func reviewedUpstream(_ form.Entry, _ *struct{}) form.Value {
	var identity, instructions gateway.Digest
	var files map[string]gateway.Digest
	var source, region, owner string
	digest := func(dst *gateway.Digest) form.Value {
		return form.Matching(dst, anyDigestPattern, "bad_digest", "digest sha256- or sha256-jcs1: with 64 hex digits")
	}
	return form.Object{Fields: []form.Field{
		{Key: "identity", Value: digest(&identity)},
		{Key: "files", Value: form.Map(&files, form.Keys{}, func(_ form.Entry, d *gateway.Digest) form.Value { return digest(d) })},
		{Key: "instructions", Value: digest(&instructions)},
		{Key: "source", Value: form.Text(&source)},
		{Key: "data_region", Value: form.Text(&region)},
		{Key: "owner", Value: form.Text(&owner)},
	}}
}

func pointer(dst *string) form.Value {
	return form.Matching(dst, pointerPattern, "bad_pointer", "JSON Pointer such as /ticket_id")
}

// scopes describes scope templates; they are compared in lower case.
func scopes(dst *[]string) form.Value {
	return form.List(dst, func(s *string) form.Value {
		return form.Parsed(s, "a scope", func(text string) (string, *form.Fault) {
			if !templatePattern.MatchString(text) {
				return "", &form.Fault{Code: "bad_scope", Message: "wants a scope without blanks, in which braces hold one argument's name: incident:create:{severity}"}
			}
			return text, nil
		})
	})
}

func date(dst *time.Time) form.Value {
	return form.Parsed(dst, "a date such as 2026-09-01", func(s string) (time.Time, *form.Fault) {
		t, err := time.Parse(time.DateOnly, strings.TrimSpace(s))
		if err != nil {
			return t, &form.Fault{Code: "bad_date", Message: "wants a date such as 2026-09-01"}
		}
		return t, nil
	})
}
