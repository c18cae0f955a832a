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
	tenantPattern    = regexp.MustCompile(`^[!-~]{1,128}$`)
	argumentPattern  = regexp.MustCompile(`^([^{}]|\{key\})*$`) // text in which only {key} stands for something
)

// byUpstream are records by upstream, then by name.
type byUpstream = map[string]map[string]*registry.Record

// sections is what an exposure.yaml says.
type sections struct {
	tools, prompts, resources byUpstream
	draft                     registry.Record // the one that is read, of a tool of that upstream
	of                        string
	keys                      []form.Field // of the draft
	later                     []func()     // rules over several records, for when all were read
	upstreams                 map[string]*registry.UpstreamRecord
}

// file describes exposure.yaml.
func file(said *sections) form.Value {
	return form.Object{Check: func(form.Place) { said.judge() }, Fields: []form.Field{
		{Key: "version", Need: true, Value: form.Version(1)},
		{Key: "tools", Value: form.Map(&said.tools, UpstreamIDs(), func(up form.Entry, m *map[string]*registry.Record) form.Value {
			return form.Map(m, names("tool"), func(e form.Entry, dst **registry.Record) form.Value { return said.record(up.Key, e, dst) })
		})},
		{Key: "prompts", Value: records(&said.prompts, names("prompt"), reviewed)},
		{Key: "resources", Value: records(&said.resources, form.Keys{}, reviewedResource)},
		{Key: "upstreams", Value: form.Map(&said.upstreams, UpstreamIDs(), reviewedUpstream)},
	}}
}

func (s *sections) judge() {
	for _, rule := range s.later {
		rule()
	}
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
func reviewedUpstream(e form.Entry, dst **registry.UpstreamRecord) form.Value {
	u := &registry.UpstreamRecord{Pos: e.Pos}
	*dst = u
	digest := func(dst *gateway.Digest) form.Value {
		return form.Matching(dst, anyDigestPattern, "bad_digest", "digest sha256- or sha256-jcs1: with 64 hex digits")
	}
	return form.Object{Fields: []form.Field{
		{Key: "launch", Value: digest(&u.Launch)},
		{Key: "issuer", Value: digest(&u.Issuer)},
		{Key: "identity", Value: digest(&u.Identity)},
		{Key: "files", Value: form.Map(&u.Files, form.Keys{}, func(_ form.Entry, d *gateway.Digest) form.Value { return digest(d) })},
		{Key: "instructions", Value: digest(&u.Instructions)},
		{Key: "source", Value: form.Text(&u.Source)},
		{Key: "data_region", Value: form.Text(&u.DataRegion)},
		{Key: "owner", Value: form.Text(&u.Owner)},
		{Key: "approved_by", Value: form.Text(&u.ApprovedBy)},
		{Key: "approved_at", Value: date(&u.ApprovedAt)},
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
