package export

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
)

// golden reads one golden event of each type.
func golden(t testing.TB) map[audit.Type]*audit.Event {
	t.Helper()
	all := map[audit.Type]*audit.Event{}
	for _, typ := range audit.Types() {
		line, err := os.ReadFile(filepath.Join("..", "testdata", string(typ)+".json"))
		if err != nil {
			t.Fatal(err)
		}
		e := &audit.Event{}
		if err := audit.Decode([]byte(strings.TrimSuffix(string(line), "\n")), e); err != nil {
			t.Fatal(err)
		}
		all[typ] = e
	}
	return all
}

// at walks a decoded object.
func at(o any, path ...string) any {
	for _, name := range path {
		m, ok := o.(map[string]any)
		if !ok {
			return nil
		}
		o = m[name]
	}
	return o
}

// Every type of event maps, with what API Activity requires (OCSF: attributes
// whose requirement is "required", and those of the objects that it holds).
func TestOCSFHasWhatIsRequired(t *testing.T) {
	all := golden(t)
	for typ, e := range all {
		s := Story{First: e}
		if typ == audit.ToolDecided {
			s.Last = all[audit.ToolFinished]
		}
		text, err := OCSF(s, "v1.0.0")
		if err != nil {
			t.Fatal(err)
		}
		var o map[string]any
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		for _, path := range [][]string{
			{"activity_id"}, {"category_uid"}, {"class_uid"}, {"type_uid"}, {"time"}, {"severity_id"}, {"metadata"},
			{"metadata", "version"}, {"metadata", "product", "name"}, {"actor", "user", "uid"}, {"api", "operation"},
			{"src_endpoint", "uid"}, {"ai_agent", "uid"}, {"message_context", "service", "name"},
		} {
			if v := at(o, path...); v == nil || v == "" {
				t.Errorf("%s: %v is missing in %s", typ, path, text)
			}
		}
		if o["class_uid"] != float64(6003) || o["type_uid"] != 600300+o["activity_id"].(float64) {
			t.Errorf("%s: class %v type %v", typ, o["class_uid"], o["type_uid"])
		}
	}
}

func TestOCSFVerdicts(t *testing.T) {
	decided := audit.Event{Type: audit.ToolDecided, Effect: gateway.Allow, Class: gateway.Destructive}
	for name, c := range map[string]struct {
		story            Story
		activity, status float64
	}{
		"running":   {Story{First: &decided}, 4, 0},
		"committed": {Story{&decided, &audit.Event{Type: audit.ToolFinished, Outcome: gateway.OutcomeCommitted}}, 4, 1},
		"failed":    {Story{&decided, &audit.Event{Type: audit.ToolFinished, Outcome: gateway.OutcomeFailed}}, 4, 2},
		"orphaned":  {Story{&decided, &audit.Event{Type: audit.ToolOrphaned, Outcome: gateway.OutcomeUnknown}}, 4, 0},
		"denied":    {Story{First: &audit.Event{Type: audit.ToolRefused, Effect: gateway.Deny, Class: gateway.Read}}, 2, 2},
		"list":      {Story{First: &audit.Event{Type: audit.ToolsListed, Method: "tools/list"}}, 2, 1},
		"write":     {Story{First: &audit.Event{Type: audit.ToolRefused, Class: gateway.Write}}, 3, 2},
		"own":       {Story{First: &audit.Event{Type: audit.ConfigLoaded}}, 99, 1},
	} {
		text, err := OCSF(c.story, "")
		if err != nil {
			t.Fatal(err)
		}
		var o map[string]any
		if err := json.Unmarshal(text, &o); err != nil || o["activity_id"] != c.activity || o["status_id"] != c.status {
			t.Errorf("%s: activity %v status %v, want %v %v (%v)", name, o["activity_id"], o["status_id"], c.activity, c.status, err)
		}
	}
}

// CloudEvents 1.0: id, source, specversion and type are required.
func TestCloudEvents(t *testing.T) {
	for typ, e := range golden(t) {
		text, err := CloudEvents(e)
		if err != nil {
			t.Fatal(err)
		}
		var o map[string]any
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		if o["specversion"] != "1.0" || o["id"] != e.ID.String() || o["source"] != "/mcp-gateway/"+string(e.Replica) || o["type"] != "mcp-gateway."+string(typ) {
			t.Errorf("%s: %s", typ, text)
		}
		if at(o, "data", "type") != string(typ) || len(text) > 8<<10 {
			t.Errorf("%s: %d bytes, data %v", typ, len(text), o["data"])
		}
	}
}

func TestOTLP(t *testing.T) {
	e := *golden(t)[audit.ToolDecided]
	text, err := OTLP([]audit.Event{e, *golden(t)[audit.ToolRefused]}, "v1")
	if err != nil {
		t.Fatal(err)
	}
	var request struct {
		ResourceLogs []struct {
			ScopeLogs []struct {
				LogRecords []struct {
					TimeUnixNano, SeverityText, EventName, TraceID string
					Body                                           struct{ StringValue string }
				}
			}
		}
	}
	if err := json.Unmarshal(text, &request); err != nil {
		t.Fatal(err)
	}
	records := request.ResourceLogs[0].ScopeLogs[0].LogRecords
	if len(records) != 2 || records[0].Body.StringValue != string(audit.AppendJSON(nil, &e)) || records[0].TraceID != e.Trace.String() ||
		records[0].SeverityText != "INFO" || records[1].SeverityText != "WARN" || records[0].TimeUnixNano == "" {
		t.Errorf("records %+v", records)
	}
}

func TestStories(t *testing.T) {
	s := NewStories()
	decided := audit.Event{Type: audit.ToolDecided, Action: audit.ID{1}}
	open := audit.Event{Type: audit.ToolDecided, Action: audit.ID{2}}
	for _, e := range []*audit.Event{&decided, &open} {
		if _, done := s.Add(e); done {
			t.Error("a decided call is no whole story")
		}
	}
	got, done := s.Add(&audit.Event{Type: audit.ToolFinished, Action: audit.ID{1}})
	if !done || got.First.Action != decided.Action || got.Last == nil {
		t.Errorf("%+v %v", got, done)
	}
	if alone, done := s.Add(&audit.Event{Type: audit.ToolRefused, Action: audit.ID{3}}); !done || alone.Last != nil {
		t.Errorf("%+v %v", alone, done)
	}
	if rest := s.Rest(); len(rest) != 1 || rest[0].First.Action != open.Action {
		t.Errorf("%+v", rest)
	}
}

// What was refused is a failure, whoever refused it, and what those who run the gateway
// did is theirs.
func TestOCSFSaysWhoAndWhether(t *testing.T) {
	all := golden(t)
	carol := audit.Keyed("a1b2c3d4e5f60718:0123456789abcdef0123456789abcdef")
	for typ, failed := range map[audit.Type]bool{
		audit.AdminRefused: true, audit.ConfigRefused: true, audit.PolicyRefused: true, audit.RefusedCounted: true,
		audit.AdminEntered: false, audit.ApprovalGranted: false, audit.LedgerReconciled: false,
	} {
		e := *all[typ]
		of, _, _ := strings.Cut(string(typ), ".")
		person := of == "admin" || of == "approval" || of == "ledger"
		if person {
			e.Approver = carol
		}
		text, err := OCSF(Story{First: &e}, "")
		if err != nil {
			t.Fatal(err)
		}
		var o map[string]any
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		if got := at(o, "status_id") == float64(statusFailure); got != failed {
			t.Errorf("%s: failed %v, want %v", typ, got, failed)
		}
		if uid := at(o, "actor", "user", "uid"); person && uid != string(carol) {
			t.Errorf("%s: by %v", typ, uid)
		}
	}
}
