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
	Timeout             time.Duration
	Owner               string
	Why                 string
	ApprovedBy          string
	ApprovedAt          time.Time
	Waive               map[string]string // finding or evidence code → why; added to the record's own
}

// ErrEdit says that the edited file would not read as it was meant to; the
// file is as it was.
var ErrEdit = errors.New("exposure: the edit would change more than the one record; edit the file by hand")

// header begins an exposure.yaml that is made here.
const header = "# Reviewed tools. A tool is served only as the definition that its record names.\nversion: 1\n"

// Approve writes the record of a tool for the definition of that digest, and
// takes a quarantine away. The file is made where it is missing. Everything
// but the keys that change stays byte for byte; the file is replaced at once
// or not at all, and only by one that Load accepts. The errors are
// gateway.Problems where the record would be wrong or incomplete.
func Approve(path string, id gateway.ItemID, digest gateway.Digest, in RecordInput) error {
	return change(path, id, func(old *registry.Record) []edit.Pair {
		pairs := []edit.Pair{{Key: "quarantine", Remove: true}, {Key: "definition", Value: edit.Quote(string(digest))}}
		return append(pairs, in.pairs(old)...)
	})
}

// Quarantine holds a tool back, whatever its record says, and records why.
func Quarantine(path string, id gateway.ItemID, why string) error {
	return change(path, id, func(*registry.Record) []edit.Pair {
		return []edit.Pair{{Key: "quarantine", Value: edit.Quote(why)}}
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
	add(in.Timeout != 0, "timeout", in.Timeout.String())
	add(len(in.Waive) > 0, "waive", waiver(old, in.Waive))
	text("owner", in.Owner)
	text("why", in.Why)
	text("approved_by", in.ApprovedBy)
	add(!in.ApprovedAt.IsZero(), "approved_at", in.ApprovedAt.UTC().Format(time.DateOnly))
	return out
}

// waiver renders the record's waivers and the new ones.
func waiver(old *registry.Record, more map[string]string) string {
	all := map[string]string{}
	if old != nil {
		maps.Copy(all, old.Waive)
	}
	maps.Copy(all, more)
	var out []string
	for _, code := range slices.Sorted(maps.Keys(all)) {
		out = append(out, edit.Quote(code)+": "+edit.Quote(all[code]))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// change sets keys of one record under the file's lock.
func change(path string, id gateway.ItemID, render func(old *registry.Record) []edit.Pair) error {
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
		return next, nil
	})
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
	return maps.EqualFunc(a, b, func(x, y *registry.Record) bool {
		x2, y2 := *x, *y
		x2.Pos, y2.Pos = gateway.Pos{}, gateway.Pos{}
		return reflect.DeepEqual(x2, y2)
	})
}

// newFileMode is the mode of an exposure file that is made here: reviews are read
// by a team, secrets are not in them.
const newFileMode os.FileMode = 0o644
