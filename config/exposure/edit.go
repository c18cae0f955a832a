package exposure

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"mcp-gateway/config/form"
	"mcp-gateway/config/form/edit"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// RecordInput is what a reviewer says on approving. What is left zero stays as
// the record has it; a new record needs what Load needs.
type RecordInput struct {
	SideEffect          gateway.SideEffect
	Idempotent          gateway.Idempotency
	IdempotencyArgument string // JSON Pointer, with IdempotentKey
	Reversible          *bool
	Outbound            *bool
	OpenWorld           *bool
	ReadsPrivate        *bool
	UntrustedContent    *bool
	Scopes              []string
	ExternalID          string // JSON Pointer into structuredContent
	Outcomes            *gateway.OutcomeWords
	Status              *gateway.StatusQuery
	Notifies            []string          // replaces those of the record
	Data                map[string]string // JSON Pointer into the arguments → class; added to the record's own
	Timeout             time.Duration
	Deprecated          *gateway.Deprecation
	StepUp              *bool
	Tenants             []string
	Contract            string
	Audit               gateway.AuditLevel
	Owner               string
	Why                 string
	ApprovedBy          string
	ApprovedAt          time.Time
	Waive               map[string]string // finding or evidence code → why; added to the record's own of the same definition
	Unset               []string          // keys that the record is to have no more
}

// ErrEdit says that the edited file would not read as it was meant to; the
// file is as it was.
var ErrEdit = errors.New("exposure: the edit would change more than the one record; edit the file by hand")

// header begins an exposure.yaml that is made here.
const header = "# Reviewed tools. A tool is served only as the definition that its record names.\nversion: 1\n"

// Approve writes the record of a tool for the definition of that digest, and
// takes a quarantine away. The file is made where it is missing. Everything
// but the keys that change stays byte for byte; the file is replaced at once
// or not at all, and only by one that Load accepts. What was waived of another
// definition is waived no more. The errors are gateway.Problems where the record would be wrong or incomplete, or what accept
// says of the record as it would be; nil accepts every one.
func Approve(path string, id gateway.ItemID, digest gateway.Digest, in RecordInput, accept func(*registry.Record) error) error {
	return change(path, id, accept, func(old *registry.Record) []edit.Pair {
		pairs := []edit.Pair{
			{Key: "quarantine", Remove: true}, {Key: "quarantined_by", Remove: true}, {Key: "quarantined_at", Remove: true},
			{Key: "definition", Value: edit.Quote(string(digest))},
		}
		if old != nil && old.Definition != digest && len(old.Waive) > 0 {
			anew := *old
			anew.Waive, old = nil, &anew
			if len(in.Waive) == 0 {
				pairs = append(pairs, edit.Pair{Key: "waive", Remove: true})
			}
		}
		return append(pairs, in.pairs(old)...)
	})
}

// Quarantine holds a tool back, whatever its record says, and records why, who said so
// and when. A by of "" is not written.
func Quarantine(path string, id gateway.ItemID, why, by string, at time.Time) error {
	return change(path, id, nil, func(*registry.Record) []edit.Pair {
		pairs := []edit.Pair{{Key: "quarantine", Value: edit.Quote(why)}}
		if by != "" {
			pairs = append(pairs, edit.Pair{Key: "quarantined_by", Value: edit.Quote(by)})
		}
		return append(pairs, edit.Pair{Key: "quarantined_at", Value: at.UTC().Format(time.DateOnly)})
	})
}

// pairs renders what the input says, in the order in which a new record is read.
func (in *RecordInput) pairs(old *registry.Record) []edit.Pair {
	var out []edit.Pair
	add := func(given bool, key, value string) {
		if given {
			out = append(out, edit.Pair{Key: key, Value: value})
		}
	}
	yesNo := func(key string, v *bool) {
		add(v != nil, key, map[bool]string{true: "yes", false: "no"}[v != nil && *v])
	}
	text := func(key, v string) { add(v != "", key, edit.Quote(v)) }

	add(in.SideEffect != "", "side_effect", string(in.SideEffect))
	yesNo("reversible", in.Reversible)
	yesNo("outbound", in.Outbound)
	yesNo("open_world", in.OpenWorld)
	yesNo("reads_private", in.ReadsPrivate)
	yesNo("untrusted_content", in.UntrustedContent)
	add(in.Idempotent != "", "idempotent", string(in.Idempotent))
	if in.Idempotent != "" && in.Idempotent != gateway.IdempotentKey {
		out = append(out, edit.Pair{Key: "idempotency", Remove: true})
	}
	add(in.IdempotencyArgument != "", "idempotency", "{argument: "+edit.Quote(in.IdempotencyArgument)+"}")
	add(len(in.Scopes) > 0, "scopes", edit.QuoteList(in.Scopes))
	add(in.ExternalID != "", "evidence", "{external_id: "+edit.Quote(in.ExternalID)+"}")
	add(in.Outcomes != nil, "outcome", outcomeText(in.Outcomes))
	add(in.Status != nil, "status", statusText(in.Status))
	add(len(in.Notifies) > 0, "notifies", edit.QuoteList(in.Notifies))
	add(len(in.Data) > 0, "data", merged(old, in.Data, func(r *registry.Record) map[string]string { return r.Facts.Data }))
	add(in.Timeout != 0, "timeout", in.Timeout.String())
	add(in.Deprecated != nil, "deprecated", deprecationText(in.Deprecated))
	yesNo("step_up", in.StepUp)
	add(len(in.Tenants) > 0, "tenants", edit.QuoteList(in.Tenants))
	text("contract", in.Contract)
	add(in.Audit != "", "audit", string(in.Audit))
	add(len(in.Waive) > 0, "waive", merged(old, in.Waive, func(r *registry.Record) map[string]string { return r.Waive }))
	text("owner", in.Owner)
	text("why", in.Why)
	text("approved_by", in.ApprovedBy)
	add(!in.ApprovedAt.IsZero(), "approved_at", in.ApprovedAt.UTC().Format(time.DateOnly))
	for _, key := range in.Unset {
		out = slices.DeleteFunc(out, func(p edit.Pair) bool { return p.Key == key })
		out = append(out, edit.Pair{Key: key, Remove: true})
	}
	return out
}

func statusText(q *gateway.StatusQuery) string {
	if q == nil {
		return ""
	}
	parts := []string{"tool: " + edit.Quote(q.Tool)}
	if len(q.Arguments) > 0 {
		parts = append(parts, "arguments: "+flow(q.Arguments))
	}
	parts = append(parts, "found: "+edit.Quote(q.Found))
	if q.Verify {
		parts = append(parts, "verify: yes")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func outcomeText(w *gateway.OutcomeWords) string {
	if w == nil {
		return ""
	}
	parts := []string{"pointer: " + edit.Quote(w.Pointer)}
	for _, list := range []struct {
		key   string
		words []string
	}{{"committed", w.Committed}, {"accepted", w.Accepted}, {"partial", w.Partial}, {"failed", w.Failed}} {
		if len(list.words) > 0 {
			parts = append(parts, list.key+": "+edit.QuoteList(list.words))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func deprecationText(d *gateway.Deprecation) string {
	if d == nil {
		return ""
	}
	text := "{sunset: " + d.Sunset.UTC().Format(time.DateOnly)
	if d.Use != "" {
		text += ", use: " + edit.Quote(d.Use)
	}
	return text + "}"
}

// merged renders what the record has of something, and what is added.
func merged(old *registry.Record, more map[string]string, has func(*registry.Record) map[string]string) string {
	all := map[string]string{}
	if old != nil {
		maps.Copy(all, has(old))
	}
	maps.Copy(all, more)
	return flow(all)
}

// flow renders a map in braces, sorted.
func flow(all map[string]string) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = append(out, edit.Quote(key)+": "+edit.Quote(all[key]))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// change sets keys of one record under the file's lock, if accept, where it is not
// nil, takes the record that they make.
func change(path string, id gateway.ItemID, accept func(*registry.Record) error, render func(old *registry.Record) []edit.Pair) error {
	return replace(path, header, func(path string, text []byte) ([]byte, error) {
		before, err := fromDocument(form.Parse(path, text, maxFile))
		if err != nil {
			return nil, err
		}
		next, err := edit.Set(path, text, []string{section(id.Kind), id.Upstream, id.Name}, render(before.Items[id]))
		if err != nil {
			return nil, err
		}
		after, err := fromDocument(form.Parse(path, next, maxFile))
		if err != nil {
			return nil, err
		}
		if !sameBut(before, after, id) {
			return nil, fmt.Errorf("%w: %s", ErrEdit, id)
		}
		if accept != nil {
			if err := accept(after.Items[id]); err != nil {
				return nil, err
			}
		}
		return next, nil
	})
}

// UpstreamInput is what a reviewer says of an upstream itself. What is left zero
// stays as the file has it.
type UpstreamInput struct {
	Launch, Issuer            gateway.Digest
	Identity, Instructions    gateway.Digest
	Files                     map[string]gateway.Digest // replaces those of the file where not nil
	Source, DataRegion, Owner string
	ApprovedBy                string
	ApprovedAt                time.Time
}

// ApproveUpstream writes the review of an upstream itself, as Approve does that of
// a tool.
func ApproveUpstream(path, id string, in UpstreamInput) error {
	var pairs []edit.Pair
	add := func(key, value string) {
		if value != "" {
			pairs = append(pairs, edit.Pair{Key: key, Value: edit.Quote(value)})
		}
	}
	add("launch", string(in.Launch))
	add("issuer", string(in.Issuer))
	add("identity", string(in.Identity))
	if len(in.Files) > 0 {
		files := make(map[string]string, len(in.Files))
		for name, digest := range in.Files {
			files[name] = string(digest)
		}
		pairs = append(pairs, edit.Pair{Key: "files", Value: flow(files)})
	}
	add("instructions", string(in.Instructions))
	add("source", in.Source)
	add("data_region", in.DataRegion)
	add("owner", in.Owner)
	add("approved_by", in.ApprovedBy)
	if !in.ApprovedAt.IsZero() {
		pairs = append(pairs, edit.Pair{Key: "approved_at", Value: in.ApprovedAt.UTC().Format(time.DateOnly)})
	}
	return replace(path, header, func(path string, text []byte) ([]byte, error) {
		before, err := fromDocument(form.Parse(path, text, maxFile))
		if err != nil {
			return nil, err
		}
		next, err := edit.Set(path, text, []string{"upstreams", id}, pairs)
		if err != nil {
			return nil, err
		}
		after, err := fromDocument(form.Parse(path, next, maxFile))
		if err != nil {
			return nil, err
		}
		if !maps.EqualFunc(before.Items, after.Items, sameRecord) || after.Upstreams[id] == nil {
			return nil, fmt.Errorf("%w: %s", ErrEdit, id)
		}
		return next, nil
	})
}

func sameRecord(x, y *registry.Record) bool {
	x2, y2 := *x, *y
	x2.Pos, y2.Pos = gateway.Pos{}, gateway.Pos{}
	return reflect.DeepEqual(x2, y2)
}

// section is where records of a kind stand.
func section(kind gateway.Kind) string {
	switch kind {
	case gateway.KindPrompt:
		return "prompts"
	case gateway.KindResource, gateway.KindTemplate:
		return "resources"
	default:
		return "tools"
	}
}

// sameBut reports whether two exposures agree in all records but that of id,
// which the second one has. Where the records stand does not matter.
func sameBut(before, after *registry.Exposure, id gateway.ItemID) bool {
	a, b := maps.Clone(before.Items), maps.Clone(after.Items)
	if b[id] == nil {
		return false
	}
	delete(a, id)
	delete(b, id)
	return sameUpstreams(before, after) && maps.EqualFunc(a, b, sameRecord)
}

func sameUpstreams(before, after *registry.Exposure) bool {
	return maps.EqualFunc(before.Upstreams, after.Upstreams, func(x, y *registry.UpstreamRecord) bool {
		x2, y2 := *x, *y
		x2.Pos, y2.Pos = gateway.Pos{}, gateway.Pos{}
		return reflect.DeepEqual(x2, y2)
	})
}

// newFileMode is the mode of an exposure file that is made here: reviews are read
// by a team, secrets are not in them.
const newFileMode os.FileMode = 0o644
