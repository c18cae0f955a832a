package exposure

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcp-gateway/config/form/edit"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// Kept returns what of a record goes on to hold after Approve with that input, for the
// input does not say it anew: pairs of a key and its value as YAML. Who reviewed it is said
// each time, and what is waived holds of one definition: neither is among them.
func Kept(was *registry.Record, in *RecordInput) [][2]string {
	old, anew := said(&was.Facts), map[string]bool{}
	for _, p := range in.pairs(nil) {
		anew[p.Key] = p.Remove || p.Key != "data" // which is added to
	}
	maps.DeleteFunc(old.Data, func(at, _ string) bool { return in.Data[at] != "" })
	pairs := append(old.pairs(nil), unsaid(&was.Facts)...)
	var kept [][2]string
	for _, p := range pairs {
		if !anew[p.Key] && !p.Remove && !slices.Contains(in.Unset, p.Key) {
			kept = append(kept, [2]string{p.Key, p.Value})
		}
	}
	return kept
}

// said is what a reviewer would say to have these facts on record.
func said(f *gateway.ExposureFacts) *RecordInput {
	judged := func(given, is bool) *bool {
		if !given {
			return nil
		}
		return &is
	}
	return &RecordInput{
		Why: f.Why, Owner: f.Owner, SideEffect: f.SideEffect, Scopes: f.Scopes,
		Idempotent: f.Idempotent, IdempotencyArgument: f.IdempotencyField,
		Reversible: judged(f.Reversible, true), OpenWorld: judged(f.ClosedWorld, false),
		Outbound:         judged(f.Judged.Outbound || f.Contained, !f.Contained),
		ReadsPrivate:     judged(f.Judged.Private || f.ReadsNoPrivate, !f.ReadsNoPrivate),
		UntrustedContent: judged(f.Judged.Untrusted || f.TrustedContent, !f.TrustedContent),
		StepUp:           judged(f.StepUp, true),
		ExternalID:       f.ExternalID, Outcomes: f.Outcomes, Status: f.Status, Notifies: f.Notifies,
		Data: maps.Clone(f.Data), Timeout: f.Timeout, Deprecated: f.Deprecated,
		Tenants: f.Tenants, Contract: f.Contract, Audit: f.Audit,
	}
}

// unsaid are the keys that have no flag: whoever wrote them edited the file.
func unsaid(f *gateway.ExposureFacts) []edit.Pair {
	var out []edit.Pair
	var handles []string
	if len(f.Handles.Gives) > 0 {
		handles = append(handles, "gives: "+edit.QuoteList(f.Handles.Gives))
	}
	if len(f.Handles.Takes) > 0 {
		handles = append(handles, "takes: "+edit.QuoteList(f.Handles.Takes))
	}
	if f.Handles.Life != 0 && handles != nil {
		handles = append(handles, "life: "+f.Handles.Life.Round(time.Second).String())
	}
	if handles != nil {
		out = append(out, edit.Pair{Key: "handles", Value: "{" + strings.Join(handles, ", ") + "}"})
	}
	var bounds []string
	for _, at := range slices.Sorted(maps.Keys(f.Bounds)) {
		var parts []string
		if n := f.Bounds[at].MaxLength; n > 0 {
			parts = append(parts, fmt.Sprintf("max_length: %d", n))
		}
		if f.Bounds[at].NonEmpty {
			parts = append(parts, "non_empty: yes")
		}
		bounds = append(bounds, edit.Quote(at)+": {"+strings.Join(parts, ", ")+"}")
	}
	if bounds != nil {
		out = append(out, edit.Pair{Key: "bounds", Value: "{" + strings.Join(bounds, ", ") + "}"})
	}
	return out
}
