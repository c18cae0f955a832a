package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/gateway"
)

const (
	alice audit.Keyed = "k1:00112233445566778899aabbccddeeff"
	bob   audit.Keyed = "k1:ffeeddccbbaa99887766554433221100"
)

// start is when the events of these tests happen.
var start = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)

// world is a state directory with a clock that moves by hand.
type world struct {
	t   testing.TB
	dir string
	now time.Time
}

func newWorld(t testing.TB) *world { return &world{t: t, dir: t.TempDir(), now: start} }

func (w *world) journalDir() string { return filepath.Join(w.dir, "journal") }

func (w *world) journal() *journal.Journal {
	w.t.Helper()
	j, err := journal.Open(w.journalDir(), journal.Options{Replica: "r1", Now: func() time.Time { return w.now }})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { j.Close(context.Background()) })
	return j
}

func (w *world) index() *Index {
	w.t.Helper()
	x, err := Open(filepath.Join(w.dir, "index.db"), w.journalDir())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { x.Close() })
	return x
}

// write appends one event a second after the last.
func (w *world) write(j *journal.Journal, e *audit.Event) *audit.Event {
	w.t.Helper()
	w.now = w.now.Add(time.Second)
	if _, err := j.Append(context.Background(), e, audit.Process); err != nil {
		w.t.Fatal(err)
	}
	return e
}

func call(who audit.Keyed, tool audit.Ident) *audit.Event {
	return &audit.Event{
		Type: audit.ToolDecided, Action: audit.NewID(start), Principal: who, Tenant: "platform", Tool: tool,
		Upstream: "incident", Method: "tools/call", Effect: gateway.Allow, Reasons: []gateway.Reason{"scopes_held", "read_only"},
	}
}

func finish(e *audit.Event, code gateway.Code) *audit.Event {
	return &audit.Event{
		Type: audit.ToolFinished, Action: e.Action, Code: code,
		Outcome: gateway.OutcomeCommitted, Duration: 1500 * time.Microsecond,
	}
}

func refuse(who audit.Keyed, tool audit.Ident) *audit.Event {
	e := call(who, tool)
	e.Type, e.Effect, e.Code, e.Reasons = audit.ToolRefused, gateway.Deny, gateway.CodeForbidden, []gateway.Reason{"scope_missing"}
	return e
}

func query(t testing.TB, x *Index, f audit.Filter) []audit.Row {
	t.Helper()
	rows, err := x.Query(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// fill writes a known story: 10 finished calls, alternately alice's of one tool
// and bob's of another, 4 refusals of alice's, one running call and a flood.
func fill(w *world, j *journal.Journal) {
	for i := range 10 {
		e := call(alice, "incident__get_service_status")
		if i%2 == 1 {
			e = call(bob, "incident__create_ticket")
		}
		w.write(j, e)
		w.write(j, finish(e, ""))
	}
	for range 4 {
		w.write(j, refuse(alice, "incident__create_ticket"))
	}
	w.write(j, call(bob, "incident__create_ticket"))
	w.write(j, &audit.Event{Type: audit.RefusedCounted, Code: gateway.CodeUnauthenticated, Count: 4000, Source: bob})
}

func TestFilters(t *testing.T) {
	w := newWorld(t)
	fill(w, w.journal())
	x := w.index()
	for name, c := range map[string]struct {
		filter audit.Filter
		want   int
	}{
		"all":                {audit.Filter{}, 17},
		"alice":              {audit.Filter{Principal: alice}, 9},
		"nobody":             {audit.Filter{Principal: "k1:00000000000000000000000000000000"}, 0},
		"a tool":             {audit.Filter{Tool: "incident__create_ticket"}, 10},
		"alice and a tool":   {audit.Filter{Principal: alice, Tool: "incident__create_ticket"}, 4},
		"an upstream":        {audit.Filter{Upstream: "incident"}, 15},
		"denied":             {audit.Filter{Effect: gateway.Deny}, 4},
		"a type":             {audit.Filter{Type: audit.GatewayStarted}, 1},
		"no finished rows":   {audit.Filter{Type: audit.ToolFinished}, 0},
		"a code":             {audit.Filter{Code: gateway.CodeUnauthenticated}, 1},
		"since":              {audit.Filter{Since: start.Add(21 * time.Second)}, 6},
		"until":              {audit.Filter{Until: start.Add(21 * time.Second)}, 11},
		"a window":           {audit.Filter{Since: start.Add(time.Second), Until: start.Add(2 * time.Second)}, 1},
		"a limit":            {audit.Filter{Limit: 3}, 3},
		"alice since, limit": {audit.Filter{Principal: alice, Since: start.Add(21 * time.Second), Limit: 2}, 2},
	} {
		if rows := query(t, x, c.filter); len(rows) != c.want {
			t.Errorf("%s: %d rows, want %d", name, len(rows), c.want)
		}
	}
}

// One row tells a whole call: what was decided and what became of it.
func TestRowsAreJoined(t *testing.T) {
	w := newWorld(t)
	j := w.journal()
	x := w.index()
	e := call(alice, "incident__get_service_status")
	e.Subject, e.Client = "alice", "ci"
	w.write(j, e)
	running := query(t, x, audit.Filter{Action: e.Action})
	if len(running) != 1 || running[0].Outcome != "" || running[0].Settled != (audit.Position{}) {
		t.Errorf("while it runs: %+v", running)
	}
	end := w.write(j, finish(e, gateway.CodeContractViolation))
	rows := query(t, x, audit.Filter{Action: e.Action})
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	got := rows[0]
	if !slices.Equal(got.Reasons, e.Reasons) {
		t.Errorf("reasons %v", got.Reasons)
	}
	got.Reasons = nil
	want := audit.Row{
		Time: start.Add(time.Second), Type: audit.ToolDecided, Event: e.ID, Action: e.Action,
		Position:  audit.Position{Replica: "r1", Boot: 1, Seq: e.Seq},
		Settled:   audit.Position{Replica: "r1", Boot: 1, Seq: end.Seq},
		Principal: alice, Subject: "alice", Tenant: "platform", Client: "ci", Method: "tools/call",
		Upstream: "incident", Tool: "incident__get_service_status", Effect: gateway.Allow,
		Code: gateway.CodeContractViolation, Outcome: gateway.OutcomeCommitted, Duration: 1500 * time.Microsecond,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A call that was refused because its record came too late is one row as well.
func TestRefusedAfterDecided(t *testing.T) {
	w := newWorld(t)
	j := w.journal()
	e := w.write(j, call(alice, "a__b"))
	late := refuse(alice, "a__b")
	late.Action, late.Code = e.Action, gateway.CodeAuditUnavailable
	w.write(j, late)
	rows := query(t, w.index(), audit.Filter{Principal: alice})
	if len(rows) != 1 || rows[0].Code != gateway.CodeAuditUnavailable || rows[0].Settled.Seq != late.Seq || rows[0].Outcome != "" {
		t.Errorf("rows %+v", rows)
	}
}

// The order is that of the chain, also when the clock was stepped back.
func TestOrder(t *testing.T) {
	w := newWorld(t)
	j := w.journal()
	var actions []audit.ID
	for i := range 6 {
		if i == 3 {
			w.now = w.now.Add(-time.Hour)
		}
		actions = append(actions, w.write(j, call(alice, "a__b")).Action)
	}
	x := w.index()
	for _, order := range []audit.Order{audit.OldestFirst, audit.NewestFirst} {
		var got []audit.ID
		for _, r := range query(t, x, audit.Filter{Principal: alice, Order: order}) {
			got = append(got, r.Action)
		}
		if order == audit.NewestFirst {
			slices.Reverse(got)
		}
		if !slices.Equal(got, actions) {
			t.Errorf("%s: another order", order)
		}
	}
	if rows := query(t, x, audit.Filter{Principal: alice}); !rows[0].Time.Before(start) {
		t.Errorf("the row does not say what the clock said: %v", rows[0].Time)
	}
}

// A call whose writer died is closed in its row, whichever writer is read first.
func TestOrphans(t *testing.T) {
	w := newWorld(t)
	x := w.index()
	dead := w.journal()
	e := w.write(dead, call(alice, "a__b"))
	if rows := query(t, x, audit.Filter{Action: e.Action}); len(rows) != 1 || rows[0].Outcome != "" {
		t.Fatalf("while it runs: %+v", rows)
	}
	late := w.write(dead, call(alice, "a__b"))
	if err := dead.Close(t.Context()); err != nil { // it never finished its calls
		t.Fatal(err)
	}
	next := w.journal()
	for _, id := range []audit.ID{e.Action, late.Action} {
		rows := query(t, x, audit.Filter{Action: id})
		if len(rows) != 1 || rows[0].Outcome != gateway.OutcomeUnknown || rows[0].Settled.Boot != next.Writer().Boot {
			t.Errorf("afterwards: %+v", rows)
		}
	}
}

// An orphaned event that is read before the decided one of its call finds it.
func TestOrphanReadFirst(t *testing.T) {
	w := newWorld(t)
	dead := w.journal()
	e := w.write(dead, call(alice, "a__b"))
	if err := dead.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := w.journal().Writer()
	x := w.index()
	known, err := readProgress(t.Context(), x.db)
	if err != nil {
		t.Fatal(err)
	}
	x.build.progress, x.build.words = known, map[string]int64{}
	if err := x.build.readWriter(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if err := x.build.commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows := query(t, x, audit.Filter{Principal: alice})
	if len(rows) != 1 || rows[0].Action != e.Action || rows[0].Outcome != gateway.OutcomeUnknown {
		t.Errorf("rows %+v", rows)
	}
	if n := len(query(t, x, audit.Filter{})); n != 4 { // the call, and starts and stop
		t.Errorf("%d rows in all", n)
	}
}

// Deleted, damaged or ahead of the journal, the index is built again, with the
// same rows.
func TestRebuild(t *testing.T) {
	w := newWorld(t)
	j := w.journal()
	fill(w, j)
	path := filepath.Join(w.dir, "index.db")
	x := w.index()
	want := fmt.Sprint(query(t, x, audit.Filter{}))
	for name, spoil := range map[string]func() error{
		"deleted": func() error {
			return errors.Join(os.Remove(path), os.RemoveAll(path+"-wal"), os.RemoveAll(path+"-shm"))
		},
		"no database": func() error { return os.WriteFile(path, []byte("this is not the file that you know\n"), 0o600) },
		"another version": func() error {
			db, err := open(path)
			if err != nil {
				return err
			}
			_, err = db.Exec("PRAGMA user_version = 99")
			return errors.Join(err, db.Close())
		},
		"ahead": func() error {
			db, err := open(path)
			if err != nil {
				return err
			}
			_, err = db.Exec("UPDATE writer SET offset = offset + 100000; INSERT INTO word (text) VALUES ('ghost')")
			return errors.Join(err, db.Close())
		},
	} {
		x.Close()
		if err := spoil(); err != nil {
			t.Fatal(name, err)
		}
		x = w.index()
		if got := fmt.Sprint(query(t, x, audit.Filter{})); got != want {
			t.Errorf("%s: got  %s\nwant %s", name, got, want)
		}
	}
}

// Only one builds. The others wait until it has what they ask for, and give up
// when their context ends.
func TestElection(t *testing.T) {
	w := newWorld(t)
	j := w.journal()
	builder, reader := w.index(), w.index()
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error)
	go func() { ran <- builder.Run(ctx) }()
	fill(w, j)
	if rows := query(t, reader, audit.Filter{}); len(rows) != 17 {
		t.Errorf("%d rows", len(rows))
	}
	stop()
	if err := <-ran; err != nil {
		t.Error(err)
	}

	l, err := folder.TryLock(filepath.Join(w.dir, "index.db.lock"))
	if err != nil {
		t.Fatal(err)
	}
	w.write(j, refuse(alice, "a__b"))
	asked, cancel := context.WithCancel(t.Context())
	answer := make(chan error)
	go func() {
		_, err := reader.Query(asked, audit.Filter{})
		answer <- err
	}()
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("while another holds the election and does not build: %v", err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	if rows := query(t, reader, audit.Filter{}); len(rows) != 18 {
		t.Errorf("%d rows after the election was free", len(rows))
	}
}

// Queries from many goroutines while events come in see what was acknowledged
// before they asked.
func TestQueriesSeeWhatWasDurable(t *testing.T) {
	w := newWorld(t)
	j := w.journal()
	x := w.index()
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error)
	go func() { ran <- x.Run(ctx) }()
	const readers, each = 4, 10
	failed := make(chan error, readers)
	for range readers {
		go func() {
			for range each {
				e := call(alice, "a__b")
				if _, err := j.Append(ctx, e, audit.Process); err != nil {
					failed <- err
					return
				}
				rows, err := x.Query(ctx, audit.Filter{Action: e.Action})
				if err != nil || len(rows) != 1 {
					failed <- fmt.Errorf("%d rows, %w", len(rows), err)
					return
				}
			}
			failed <- nil
		}()
	}
	for range readers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	stop()
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

// Each of the usual questions is answered from an index of the table.
func TestPlans(t *testing.T) {
	x := newWorld(t).index()
	for where, want := range map[string]string{
		"":                                    "event_at",
		" WHERE principal = 1":                "event_principal",
		" WHERE principal = 1 AND at >= 5":    "event_principal",
		" WHERE tool = 1 AND at >= 5":         "event_tool",
		" WHERE effect = 1 AND at >= 5":       "event_effect",
		" WHERE principal = 1 AND tool = 1":   "event_",
		" WHERE tool = 1 AND effect = 1":      "event_",
		" WHERE approver = 1":                 "event_approver",
		" WHERE approval = x'00'":             "event_approval",
		" WHERE action = x'00'":               "event_action",
		" WHERE at >= 5 AND at < 6":           "event_at",
		" WHERE principal = 1 AND effect = 1": "event_",
	} {
		var id, parent, unused int
		var plan string
		row := x.db.QueryRow("EXPLAIN QUERY PLAN " + selectEvents + where + " ORDER BY at DESC LIMIT 100")
		if err := row.Scan(&id, &parent, &unused, &plan); err != nil {
			t.Fatal(err)
		}
		if name := usedIndex(plan); name != want && want != "event_" || name == "" {
			t.Errorf("%q: %s", where, plan)
		}
	}
}

// usedIndex returns the name of the index in a line of a query plan.
func usedIndex(plan string) string {
	var name string
	for word := range strings.FieldsSeq(plan) {
		if len(word) > 6 && word[:6] == "event_" {
			name = word
		}
	}
	return name
}

// What rules in mode warn or audit noted is found by their code, with or without its mode,
// also once the call has ended.
func TestQueryNoted(t *testing.T) {
	w := newWorld(t)
	j := w.journal()
	e := call(alice, "incident__search")
	e.Obligations = []audit.Word{"approval", "warned.long_text", "watched.at_night"}
	w.write(j, e)
	w.write(j, finish(e, ""))
	w.write(j, call(bob, "incident__search"))
	x := w.index()
	for reason, want := range map[gateway.Reason]int{
		"long_text": 1, "warned.long_text": 1, "watched.long_text": 0, "at_night": 1, "watched.at_night": 1, "text": 0, "approval": 0, "read_only": 2,
	} {
		rows, err := x.Query(t.Context(), audit.Filter{Reason: reason})
		if err != nil || len(rows) != want {
			t.Errorf("%s: %d rows, %v; want %d", reason, len(rows), err, want)
		}
	}
}
