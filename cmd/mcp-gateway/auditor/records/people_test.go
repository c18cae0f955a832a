package records_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

const issuer = "https://id.example"

// desk is a state whose journal a test has filled.
type desk struct {
	t       *testing.T
	config  *config.Config
	names   *audit.Keys
	journal *journal.Journal
}

func newDesk(t *testing.T) *desk {
	c := &config.Config{Auth: config.Auth{Issuers: []config.Issuer{{URL: issuer}}}}
	c.State.Dir = t.TempDir()
	ring, err := keyring.Open(filepath.Join(c.State.Dir, run.KeysDir))
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(c.State.Dir, run.JournalDir), journal.Options{Replica: "gw"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close(t.Context()) }) // the folder goes with the test
	return &desk{t, c, audit.NewKeys(ring), j}
}

func (d *desk) put(e audit.Event) {
	if _, err := d.journal.Append(d.t.Context(), &e, audit.Process); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) open() *records.Records {
	a, err := records.Open(d.config)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = a.Close() }) // it was only read
	return a
}

func person(subject, client string) *gateway.Principal {
	return &gateway.Principal{Issuer: issuer, Subject: subject, Tenant: "acme", Client: client}
}

func (d *desk) called(p *gateway.Principal, value string) audit.ID {
	id := audit.NewID(time.Now())
	d.put(audit.Event{
		Type: audit.ToolDecided, Action: id, Principal: d.names.Principal(p.ID()), Tenant: audit.Label(p.Tenant), Client: audit.Label(p.Client),
		Upstream: "up", Tool: "up__do", Args: d.names.Args(p.ID(), gateway.ItemID{Upstream: "up", Name: "do"}, []byte(value)),
	})
	return id
}

// A person whom no configuration names is found by every form of their name, through
// every client; a name that is nobody's is refused.
func TestPeople(t *testing.T) {
	d := newDesk(t)
	desktop, phone := person("alice", "desktop"), person("alice", "phone")
	d.called(desktop, `{}`)
	d.called(phone, `{}`)
	d.called(person("bo|b", "desktop"), `{}`)
	a := d.open()
	one, both := []*gateway.Principal{desktop}, []*gateway.Principal{desktop, phone}
	for name, c := range map[string]struct {
		who, issuer string
		want        []*gateway.Principal
	}{
		"subject of a configured issuer": {"alice", "", both},
		"subject and issuer":             {"alice", issuer, both},
		"issuer and subject in one":      {issuer + "|alice", "", both},
		"tenant and client as well":      {issuer + "|alice|acme|desktop", "", one},
		"as the identity is written":     {desktop.ID(), "", one},
		"a pseudonym":                    {string(d.names.Principal(desktop.ID())), "", one},
		"a bar in the subject":           {issuer + `|bo\|b`, "", []*gateway.Principal{person("bo|b", "desktop")}},
		"another issuer's":               {"alice", "https://other.example", nil},
		"nobody":                         {"carol", "", nil},
		"nobody, whole":                  {issuer + "|carol", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := a.People(t.Context(), c.who, c.issuer)
			var wrong *cli.Error
			if c.want == nil {
				if !errors.As(err, &wrong) || wrong.Code != cli.Usage {
					t.Errorf("got %v, %v; want wrong usage", got, err)
				}
				return
			}
			var want []audit.Keyed
			for _, p := range c.want {
				want = append(want, d.names.Principal(p.ID()))
			}
			slices.Sort(got)
			slices.Sort(want)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("got %v, %v; want %v", got, err, want)
			}
			rows, err := a.Query(t.Context(), audit.Filter{People: got})
			if err != nil || len(rows) != len(want) {
				t.Errorf("%d rows, %v; want %d", len(rows), err, len(want))
			}
		})
	}
}

// Whether a value was sent can be told once it is known who called; before that
// "nowhere" is no answer.
func TestContains(t *testing.T) {
	d := newDesk(t)
	id := d.called(person("alice", "desktop"), `{"a":1}`)
	a := d.open()
	story, err := a.Story(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	e := &story[len(story)-1].Event
	for name, c := range map[string]struct {
		principal, value, place string
		known                   bool
	}{
		"who called is not named":    {"", `{"a":1}`, "", false},
		"somebody else is named":     {issuer + "|bob", `{"a":1}`, "", false},
		"by subject":                 {"alice", `{"a":1}`, audit.InArgs, true},
		"by a whole identity":        {issuer + "|alice", `{"a":1}`, audit.InArgs, true},
		"another value":              {issuer + "|alice", `{"a":2}`, "", true},
		"the identity itself":        {"", issuer + "|alice", audit.InPrincipal, true},
		"the subject of a known one": {"", "alice", audit.InPrincipal, true},
	} {
		if place, known := a.Contains(e, c.principal, "", []byte(c.value)); place != c.place || known != c.known {
			t.Errorf("%s: %q, %v; want %q, %v", name, place, known, c.place, c.known)
		}
	}
}

// An approved call is told in the order in which it happened, each event once, with who
// answered; the question is no second row of what the call became.
func TestStoryOfApproved(t *testing.T) {
	d := newDesk(t)
	action, ticket := audit.NewID(time.Now()), audit.NewID(time.Now())
	p := d.names.Principal(person("alice", "desktop").ID())
	d.put(audit.Event{Type: audit.ApprovalAsked, Action: action, Approval: ticket, Principal: p})
	d.put(audit.Event{Type: audit.ApprovalGranted, Approval: ticket, Approver: d.names.Principal("carol"), Client: "carol-key"})
	d.put(audit.Event{Type: audit.ToolDecided, Action: action, Approval: ticket, Principal: p, Upstream: "up", Tool: "up__do"})
	d.put(audit.Event{Type: audit.ToolFinished, Action: action, Outcome: gateway.OutcomeCommitted})
	d.called(person("bob", "desktop"), `{}`)
	a := d.open()
	story, err := a.Story(t.Context(), action)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range story {
		if s.Part != records.PartBuild {
			got = append(got, s.Part+" "+string(s.Event.Type))
		}
	}
	want := []string{"approval approval.asked", "approval approval.granted", "decided tool.decided", "settled tool.finished"}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	rows, err := a.Query(t.Context(), audit.Filter{Outcome: gateway.OutcomeCommitted})
	if err != nil || len(rows) != 1 || rows[0].Type != audit.ToolDecided {
		t.Errorf("settled: %v, %v; want the call alone", rows, err)
	}
	rows, err = a.Query(t.Context(), audit.Filter{Type: audit.ApprovalGranted})
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	if who, want := a.Actor(&rows[0]), string(d.names.Principal("carol"))+" by key carol-key"; who != want {
		t.Errorf("by %q, want %q", who, want)
	}
}

// A value is found in an event by every name that the event may be asked by: what stands
// in clear, and who called in each form that --principal takes.
func TestContainsNames(t *testing.T) {
	d := newDesk(t)
	ci := &gateway.Principal{Issuer: "gateway", Subject: "ci", Tenant: "acme", Client: "key-1"}
	gone := &gateway.Principal{Issuer: "gateway", Subject: "retired", Client: "key-9"} // its key is configured no more
	d.config.Auth.Keys = []auth.Key{{Principal: *ci}}
	byKey, byToken, byGone := d.called(ci, `{"a":1}`), d.called(person("alice", "phone"), `{}`), d.called(gone, `{}`)
	a := d.open()
	for name, c := range map[string]struct {
		id                     audit.ID
		value, principal, want string
		unknown                bool // who called is not known
	}{
		"a key's subject":               {byKey, "ci", "", "principal", false},
		"a key's subject, named":        {byKey, "ci", "ci", "principal", false},
		"a key's id":                    {byKey, "key-1", "", "client", false},
		"a key's whole identity":        {byKey, "gateway|ci", "", "principal", false},
		"another's subject":             {byKey, "alice", "", "", false},
		"a subject of an issuer":        {byToken, "alice", "", "principal", false},
		"a key that is no more":         {byGone, "retired", "", "principal", false},
		"the exposed name":              {byKey, "up__do", "", "tool", false},
		"as its upstream has it":        {byKey, "up/do", "", "tool", false},
		"another tool of it":            {byKey, "up/undo", "", "", false},
		"the upstream":                  {byKey, "up", "", "upstream", false},
		"the tenant":                    {byKey, "acme", "", "tenant", false},
		"the arguments":                 {byKey, `{"a":1}`, "", "args", false},
		"other arguments":               {byKey, `{"a":2}`, "", "", false},
		"arguments of one not known":    {byToken, `{"b":1}`, "", "", true},
		"arguments of one who is named": {byToken, `{}`, "alice", "args", false},
		"nothing":                       {byKey, "", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			story, err := a.Story(t.Context(), c.id)
			if err != nil {
				t.Fatal(err)
			}
			for _, told := range records.Of(story, c.id.String()) {
				place, known := a.Contains(&told.Event, c.principal, "", []byte(c.value))
				if place != c.want || known == c.unknown {
					t.Errorf("%s: got %q, known %v", told.Event.Type, place, known)
				}
			}
			if records.Unkept(story, c.value) || !records.Unkept(story, "127.0.0.1") {
				t.Error("addresses, and they alone, are not kept of calls")
			}
		})
	}
}

// Who asks collected journals by name is answered by the keys of the configuration, and
// told whose those are; without them by pseudonym alone.
func TestStoreByName(t *testing.T) {
	d := newDesk(t)
	alice := person("alice", "phone")
	d.called(alice, `{}`)
	var told strings.Builder
	a, err := records.OpenStore(d.config.State.Dir, d.config, &told)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var f audit.Filter
	if err := a.Narrow(t.Context(), &f, records.Person{Principal: "alice"}); err != nil || !slices.Equal(f.People, []audit.Keyed{d.names.Principal(alice.ID())}) {
		t.Errorf("found %v, %v", f.People, err)
	}
	if !strings.HasSuffix(told.String(), ": what gw named by them\n") {
		t.Errorf("told %q", told.String())
	}
	bare, err := records.OpenStore(d.config.State.Dir, nil, &told)
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	var wrong *cli.Error
	if err := bare.Narrow(t.Context(), &f, records.Person{Principal: "alice"}); !errors.As(err, &wrong) || wrong.Code != cli.Usage {
		t.Errorf("without keys: %v", err)
	}
}
