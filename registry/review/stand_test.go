package review_test

import (
	"fmt"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/review"
)

var (
	now       = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	tomorrow  = &gateway.Deprecation{Sunset: now.AddDate(0, 0, 1)}
	yesterday = &gateway.Deprecation{Sunset: now.AddDate(0, 0, -1)}
)

const mine, theirs gateway.Digest = "sha256-jcs1:aa", "sha256-jcs1:bb"

// record is what holds before an event; nil fields of the zero value mean none.
func record(digest gateway.Digest, quarantine string, d *gateway.Deprecation) *review.Record {
	return &review.Record{Definition: digest, Quarantine: quarantine, Facts: gateway.ExposureFacts{Deprecated: d}}
}

// TestStand ranges over every cell of the table.
func TestStand(t *testing.T) {
	type cell struct {
		match, quarantine, age string
	}
	want := map[cell]string{
		{"none", "", ""}:               "new unreviewed",
		{"another", "", ""}:            "changed definition_changed",
		{"another", "", "outgoing"}:    "changed definition_changed",
		{"another", "", "over"}:        "retired retired",
		{"another", "odd", ""}:         "changed definition_changed",
		{"another", "odd", "outgoing"}: "changed definition_changed",
		{"another", "odd", "over"}:     "retired retired",
		{"same", "", ""}:               "approved ",
		{"same", "", "outgoing"}:       "deprecated ",
		{"same", "", "over"}:           "retired retired",
		{"same", "odd", ""}:            "quarantined quarantined",
		{"same", "odd", "outgoing"}:    "quarantined quarantined",
		{"same", "odd", "over"}:        "retired retired",
	}
	ages := map[string]*gateway.Deprecation{"": nil, "outgoing": tomorrow, "over": yesterday}
	seen := 0
	for c, text := range want {
		var rec *review.Record
		if c.match != "none" {
			rec = record(map[string]gateway.Digest{"same": mine, "another": theirs}[c.match], c.quarantine, ages[c.age])
		}
		state, reason := review.Stand(rec, mine, now)
		if got := fmt.Sprintf("%s %s", state, reason); got != text {
			t.Errorf("%+v: %q, want %q", c, got, text)
		}
		if (reason == "") != state.Served() {
			t.Errorf("%+v: served is %t with reason %q", c, state.Served(), reason)
		}
		seen++
	}
	if seen != 13 { // no record has one cell, the others 2 × 3 each
		t.Errorf("%d cells", seen)
	}
}

// TestTransitions walks from every state by every event.
func TestTransitions(t *testing.T) {
	type world struct {
		rec    *review.Record
		listed gateway.Digest
		at     time.Time
	}
	from := map[gateway.ExposureState]world{
		gateway.StateNew:         {nil, mine, now},
		gateway.StateApproved:    {record(mine, "", nil), mine, now},
		gateway.StateChanged:     {record(theirs, "", nil), mine, now},
		gateway.StateQuarantined: {record(mine, "odd", nil), mine, now},
		gateway.StateDeprecated:  {record(mine, "", tomorrow), mine, now},
		gateway.StateRetired:     {record(mine, "", yesterday), mine, now},
	}
	keep := func(w world, edit func(*review.Record)) world {
		rec := review.Record{}
		if w.rec != nil {
			rec = *w.rec
		}
		edit(&rec)
		w.rec = &rec
		return w
	}
	events := []struct {
		name string
		do   func(world) world
		want map[gateway.ExposureState]gateway.ExposureState
	}{
		{"the upstream changes it", func(w world) world { w.listed = "sha256-jcs1:cc"; return w }, map[gateway.ExposureState]gateway.ExposureState{
			"new": "new", "approved": "changed", "changed": "changed", "quarantined": "changed", "deprecated": "changed", "retired": "retired"}},
		{"the upstream returns to what was reviewed", func(w world) world {
			if w.rec != nil {
				w.listed = w.rec.Definition
			}
			return w
		}, map[gateway.ExposureState]gateway.ExposureState{
			"new": "new", "approved": "approved", "changed": "approved", "quarantined": "quarantined", "deprecated": "deprecated", "retired": "retired"}},
		{"it is approved as listed", func(w world) world {
			return keep(w, func(r *review.Record) { r.Definition, r.Quarantine = w.listed, "" })
		}, map[gateway.ExposureState]gateway.ExposureState{
			"new": "approved", "approved": "approved", "changed": "approved", "quarantined": "approved", "deprecated": "deprecated", "retired": "retired"}},
		{"it is held back", func(w world) world {
			return keep(w, func(r *review.Record) { r.Quarantine = "odd"; r.Definition = w.listed })
		}, map[gateway.ExposureState]gateway.ExposureState{
			"new": "quarantined", "approved": "quarantined", "changed": "quarantined", "quarantined": "quarantined", "deprecated": "quarantined", "retired": "retired"}},
		{"it is deprecated", func(w world) world {
			return keep(w, func(r *review.Record) { r.Facts.Deprecated = tomorrow; r.Definition = w.listed })
		}, map[gateway.ExposureState]gateway.ExposureState{
			"new": "deprecated", "approved": "deprecated", "changed": "deprecated", "quarantined": "quarantined", "deprecated": "deprecated", "retired": "deprecated"}},
		{"its sunset comes", func(w world) world { w.at = w.at.AddDate(0, 0, 2); return w }, map[gateway.ExposureState]gateway.ExposureState{
			"new": "new", "approved": "approved", "changed": "changed", "quarantined": "quarantined", "deprecated": "retired", "retired": "retired"}},
		{"its record is taken out", func(w world) world { w.rec = nil; return w }, map[gateway.ExposureState]gateway.ExposureState{
			"new": "new", "approved": "new", "changed": "new", "quarantined": "new", "deprecated": "new", "retired": "new"}},
	}
	for state, w := range from {
		if got, _ := review.Stand(w.rec, w.listed, w.at); got != state {
			t.Fatalf("the world of %s stands as %s", state, got)
		}
		for _, e := range events {
			next := e.do(w)
			want, named := e.want[state]
			if !named {
				t.Errorf("%s, then %s: no cell", state, e.name)
			}
			if got, _ := review.Stand(next.rec, next.listed, next.at); got != want {
				t.Errorf("%s, then %s: %s, want %s", state, e.name, got, want)
			}
		}
	}
}

func TestNext(t *testing.T) {
	x := &review.Exposure{Items: map[gateway.ItemID]*review.Record{
		{Name: "a"}: record(mine, "", tomorrow), {Name: "b"}: record(mine, "", yesterday), {Name: "c"}: record(mine, "", nil),
	}}
	if got := x.Next(now); !got.Equal(tomorrow.Sunset) {
		t.Errorf("next sunset %v", got)
	}
	if got := x.Next(tomorrow.Sunset); !got.IsZero() {
		t.Errorf("after the last one: %v", got)
	}
	if got := (*review.Exposure)(nil).Next(now); !got.IsZero() {
		t.Errorf("of none: %v", got)
	}
}
