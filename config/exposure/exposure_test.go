package exposure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

const digest gateway.Digest = "sha256-jcs1:9999999999999999999999999999999999999999999999999999999999999999"

func TestLoadDesigned(t *testing.T) {
	x, err := Load("testdata/designed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Items) != 5 || !strings.HasPrefix(x.Revision, "sha256:") {
		t.Fatalf("%d records, revision %s", len(x.Items), x.Revision)
	}
	read := x.Items[gateway.ItemID{Upstream: "incident", Name: "get_service_status"}]
	if f := read.Facts; f.SideEffect != gateway.Read || f.Idempotent != gateway.IdempotentYes || read.Pos.Line != 4 {
		t.Errorf("read = %+v", read)
	}
	if f := read.Facts; f.Reversible || f.Contained || f.ClosedWorld || f.ReadsNoPrivate || f.TrustedContent {
		t.Errorf("what is absent is not the worst: %+v", f)
	}
	write := x.Items[gateway.ItemID{Upstream: "incident", Name: "create_incident_ticket"}]
	want := gateway.ExposureFacts{
		SideEffect: gateway.Write, Idempotent: gateway.IdempotentKey, IdempotencyField: "/request_id",
		ClosedWorld: true, ReadsNoPrivate: true, TrustedContent: true,
		Scopes: []string{"incident:create:{severity}"}, ExternalID: "/ticket_id",
		Owner: "payments-oncall", Why: "P1 incidents must reach the on-call queue",
		Status:     &gateway.StatusQuery{Tool: "get_incident_ticket", Arguments: map[string]string{"request_id": "{key}"}, Found: "/ticket_id", Verify: true},
		Outcomes:   &gateway.OutcomeWords{Pointer: "/status", Committed: []string{"open"}, Accepted: []string{"queued"}, Failed: []string{"rejected", "full"}},
		Data:       map[string]string{"/title": "internal"},
		Timeout:    10 * time.Second,
		Deprecated: &gateway.Deprecation{Sunset: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), Use: "open_ticket"},
		StepUp:     true, Tenants: []string{"platform", "payments"}, Contract: "2.1", Audit: gateway.AuditDisk, Judged: gateway.Judged{Outbound: true, Private: true, Untrusted: true},
	}
	if !reflect.DeepEqual(write.Facts, want) {
		t.Errorf("write = %+v", write.Facts)
	}
	up := x.Upstreams["incident"]
	if up == nil || up.Source != "in-house" || up.DataRegion != "eu" || up.Owner != "payments-oncall" || len(up.Files) != 1 ||
		!strings.HasSuffix(string(up.Identity), strings.Repeat("5", 64)) || !strings.HasSuffix(string(up.Instructions), strings.Repeat("7", 64)) {
		t.Errorf("upstream = %+v", up)
	}
	if write.ApprovedBy != "security-review" || !write.ApprovedAt.Equal(time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("write = %+v", write)
	}
}

func TestLoadNotFound(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "absent.yaml"))
	var problems gateway.Problems
	if !errors.As(err, &problems) || problems[0].Code != "not_found" {
		t.Errorf("err = %v", err)
	}
}

func TestFaults(t *testing.T) {
	const file = "testdata/faults.txtar"
	a := parse(t, file)
	path := put(t, a.Files[0].Data)
	_, err := Load(path)
	if err == nil {
		t.Fatal("no faults")
	}
	got := strings.ReplaceAll(err.Error(), filepath.Dir(path)+"/", "") + "\n"
	golden(t, file, a, 1, "want", []byte(got))
}

// TestEdits runs each case's operation on its file and compares the whole text.
func TestEdits(t *testing.T) {
	files, err := filepath.Glob("testdata/edits/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a := parse(t, file)
			for _, eol := range []string{"\n", "\r\n"} {
				before := bytes.ReplaceAll(a.Files[1].Data, []byte("\n"), []byte(eol))
				path := put(t, before)
				if err := operate(t, path, string(a.Files[0].Data)); err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Count(got, []byte("\n")) != bytes.Count(got, []byte(eol)) {
					t.Errorf("line ends are mixed: %q", got)
				}
				golden(t, file, a, 2, "after", bytes.ReplaceAll(got, []byte(eol), []byte("\n")))
			}
		})
	}
}

// operate runs "approve ID JSON" or "quarantine ID WHY".
func operate(t *testing.T, path, op string) error {
	t.Helper()
	verb, rest, _ := strings.Cut(strings.TrimSpace(op), " ")
	name, rest, _ := strings.Cut(rest, " ")
	id, ok := gateway.ParseItemID(name)
	if !ok {
		t.Fatalf("bad id %q", name)
	}
	if verb == "quarantine" {
		return Quarantine(path, id, rest, "security", time.Unix(0, 0))
	}
	var in RecordInput
	if err := json.Unmarshal([]byte(rest), &in); err != nil {
		t.Fatal(err)
	}
	return Approve(path, id, digest, in, nil)
}

func parse(t *testing.T, file string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func put(t testing.TB, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "exposure.yaml")
	if err := os.WriteFile(path, text, 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestApproveAsksFirst holds that a record which the caller does not take leaves the
// file as it was.
func TestApproveAsksFirst(t *testing.T) {
	text, err := os.ReadFile("testdata/designed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := put(t, text)
	id := gateway.ItemID{Upstream: "incident", Name: "create_incident_ticket"}
	refused := errors.New("refused")
	err = Approve(path, id, digest, RecordInput{ExternalID: "/other"}, func(r *registry.Record) error {
		if r.Facts.ExternalID != "/other" || r.Definition != digest || r.Facts.Contract != "2.1" {
			t.Errorf("asked about %+v", r)
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("err = %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
		t.Errorf("the file became %s, %v", got, err)
	}
}

// golden compares got with the n-th file of the archive, or writes it there
// with UPDATE_GOLDEN set.
func golden(t *testing.T, file string, a *txtar.Archive, n int, name string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		a.Files = append(a.Files[:n:n], txtar.File{Name: name, Data: got})
		if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(a.Files) <= n || !bytes.Equal(a.Files[n].Data, got) {
		t.Errorf("got:\n%s", got)
	}
}

// TestApproveKeepsOtherLines approves every tool of a file in turn and holds
// that no line outside its record changed.
func TestApproveKeepsOtherLines(t *testing.T) {
	text, err := os.ReadFile("testdata/designed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string][2]int{"get_service_status": {4, 12}, "create_incident_ticket": {13, 37}} {
		path := put(t, text)
		id := gateway.ItemID{Upstream: "incident", Name: name}
		if err := Approve(path, id, digest, RecordInput{Owner: "others", ApprovedBy: "b", ApprovedAt: time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC)}, nil); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		was, is := strings.SplitAfter(string(text), "\n"), strings.SplitAfter(string(got), "\n")
		if len(was) != len(is) {
			t.Fatalf("%s: %d lines became %d", name, len(was), len(is))
		}
		changed := 0
		for i := range was {
			if was[i] == is[i] {
				continue
			}
			changed++
			if i+1 < lines[0] || i+1 > lines[1] {
				t.Errorf("%s: line %d changed: %q", name, i+1, is[i])
			}
		}
		if changed != 4 {
			t.Errorf("%s: %d lines changed, want definition, owner, approved_by, approved_at", name, changed)
		}
	}
}

func TestApproveMakesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "exposure.yaml")
	id := gateway.ItemID{Upstream: "a", Name: "b"}
	in := RecordInput{SideEffect: gateway.Read, Scopes: []string{"x:y"}, Owner: "o", Why: "w", ApprovedBy: "a", ApprovedAt: time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC)}
	if err := Approve(path, id, digest, in, nil); err != nil {
		t.Fatal(err)
	}
	x, err := Load(path)
	if err != nil || x.Items[id] == nil || x.Items[id].Definition != digest {
		t.Errorf("x = %+v, err = %v", x, err)
	}
}

// TestRefusedEditsChangeNothing holds that an edit whose result would be wrong
// leaves the file, and nothing beside it.
func TestRefusedEditsChangeNothing(t *testing.T) {
	id := gateway.ItemID{Upstream: "a", Name: "b"}
	for name, tt := range map[string]struct {
		text string
		in   RecordInput
		want error
	}{
		"incomplete":   {text: "version: 1\n", in: RecordInput{Owner: "o"}},
		"no evidence":  {text: "version: 1\n", in: RecordInput{SideEffect: gateway.Write, Scopes: []string{"x:y"}, Owner: "o", Why: "w", ApprovedBy: "a", ApprovedAt: time.Now()}},
		"file is bad":  {text: "version: 1\ntols: {}\n"},
		"not a map":    {text: "version: 1\ntools: [a]\n"},
		"flow in path": {text: "version: 1\ntools: {a: {c: {quarantine: x}}}\n"},
		"bad scope":    {text: "version: 1\n", in: RecordInput{SideEffect: gateway.Read, Scopes: []string{"x y"}, Owner: "o", Why: "w", ApprovedBy: "a", ApprovedAt: time.Now()}},
	} {
		path := put(t, []byte(tt.text))
		if err := Approve(path, id, digest, tt.in, nil); err == nil {
			t.Errorf("%s: approved", name)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != tt.text {
			t.Errorf("%s: the file became %q, %v", name, got, err)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("%s: files left behind: %v, %v", name, entries, err)
		}
	}
}

// TestApproveTogether holds that edits at the same time lose none.
func TestApproveTogether(t *testing.T) {
	path := put(t, []byte("version: 1\n"))
	link := filepath.Join(t.TempDir(), "link.yaml")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	const n = 12
	for i := range n {
		wg.Go(func() {
			if err := Quarantine(link, gateway.ItemID{Upstream: "a", Name: fmt.Sprintf("t%d", i)}, "held", "", time.Unix(0, 0)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	x, err := Load(path)
	if err != nil || len(x.Items) != n {
		t.Fatalf("%d records, %v", len(x.Items), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
}

// FuzzQuarantine holds that an edit of any readable file changes that record
// alone, and that what was said reads back.
func FuzzQuarantine(f *testing.F) {
	for _, seed := range []string{"version: 1\n", "version: 1\ntools:\n", "version: 1\ntools: {}\n# end", "version: 1\ntools:\n a:\n  b: {quarantine: x}\n  c:\n   quarantine: |\n    x\n    # y\n", "tools:\n  a: # c\nversion: 1"} {
		f.Add(seed, "why: not # really")
	}
	f.Fuzz(func(t *testing.T, text, why string) {
		if !utf8.ValidString(why) {
			return
		}
		path := put(t, []byte(text))
		before, err := Load(path)
		if err != nil {
			return
		}
		id := gateway.ItemID{Upstream: "a", Name: "b"}
		if err := Quarantine(path, id, why, "", time.Unix(0, 0)); err != nil {
			return
		}
		after, err := Load(path)
		if err != nil {
			t.Fatalf("the edited file cannot be read: %v", err)
		}
		if !sameBut(before, after, id) || after.Items[id].Quarantine != why {
			t.Errorf("quarantine %q, record %+v", why, after.Items[id])
		}
	})
}

func BenchmarkLoad3000(b *testing.B) {
	var text bytes.Buffer
	text.WriteString("version: 1\ntools:\n  many:\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "    tool_%d:\n      definition: %q\n      side_effect: read\n      scopes: [\"a:b\"]\n      owner: me\n      why: needed\n      approved_by: me\n      approved_at: 2026-09-01\n", i, digest)
	}
	path := put(b, text.Bytes())
	b.ReportAllocs()
	b.SetBytes(int64(text.Len()))
	var x *registry.Exposure
	for b.Loop() {
		var err error
		if x, err = Load(path); err != nil {
			b.Fatal(err)
		}
	}
	if len(x.Items) != 3000 {
		b.Fatal(len(x.Items))
	}
}

// A record holds what it says and nothing of the one before it, whichever keys that has.
func TestRecordsApart(t *testing.T) {
	const full = `
    full:
      definition: "sha256-jcs1:0000000000000000000000000000000000000000000000000000000000000001"
      side_effect: write
      idempotent: key
      idempotency: {argument: /key}
      evidence: {external_id: /id}
      status: {tool: plain, found: /found}
      reversible: yes
      tenants: [a, b]
      scopes: [x, y]
      bounds: {/text: {max_length: 9}}
      waive: {directive: it is meant}
      timeout: 3s
      owner: o
      why: w
      approved_by: p
      approved_at: 2026-01-02
`
	const plain = `
    plain:
      definition: "sha256-jcs1:0000000000000000000000000000000000000000000000000000000000000002"
      side_effect: read
      idempotent: yes
      scopes: [z]
      owner: q
      why: v
      approved_by: r
      approved_at: 2026-01-03
`
	item := gateway.ItemID{Upstream: "up", Kind: gateway.KindTool, Name: "plain"}
	load := func(text string) *registry.Record {
		t.Helper()
		x, err := Load(put(t, []byte("version: 1\ntools:\n  up:"+text)))
		if err != nil {
			t.Fatal(err)
		}
		rec := *x.Of(item)
		rec.Pos = gateway.Pos{}
		return &rec
	}
	alone := load(plain)
	for name, text := range map[string]string{"after": full + plain, "before": plain + full} {
		if got := load(text); !reflect.DeepEqual(got, alone) {
			t.Errorf("%s another: %+v, alone %+v", name, got, alone)
		}
	}
}

// What an edit leaves in force is told whole, and what it says anew is not among it.
func TestKept(t *testing.T) {
	x, err := Load("testdata/designed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	was := *x.Items[gateway.ItemID{Upstream: "incident", Name: "create_incident_ticket"}]
	was.Facts.Data = map[string]string{"/title": "internal", "/body": "secret"}
	was.Facts.Handles = gateway.Handles{Gives: []string{"/cursor"}, Life: time.Hour}
	was.Facts.Bounds = map[string]gateway.Bound{"/title": {MaxLength: 80, NonEmpty: true}}
	lines := func(in RecordInput) string {
		var out strings.Builder
		for _, k := range Kept(&was, &in) {
			fmt.Fprintf(&out, "%s: %s\n", k[0], k[1])
		}
		return out.String()
	}
	const all = `side_effect: write
outbound: yes
open_world: no
reads_private: no
untrusted_content: no
idempotent: key
idempotency: {argument: /request_id}
scopes: ["incident:create:{severity}"]
evidence: {external_id: /ticket_id}
outcome: {pointer: /status, committed: ["open"], accepted: ["queued"], failed: ["rejected", "full"]}
status: {tool: get_incident_ticket, arguments: {request_id: "{key}"}, found: /ticket_id, verify: yes}
data: {/body: secret, /title: internal}
timeout: 10s
deprecated: {sunset: 2027-03-01, use: open_ticket}
step_up: yes
tenants: ["platform", "payments"]
contract: "2.1"
audit: disk
owner: payments-oncall
why: P1 incidents must reach the on-call queue
handles: {gives: ["/cursor"], life: 1h0m0s}
bounds: {/title: {max_length: 80, non_empty: yes}}
`
	if got := lines(RecordInput{ApprovedBy: "me"}); got != all {
		t.Errorf("nothing said:\n%s", got)
	}
	no := false
	got := lines(RecordInput{
		SideEffect: gateway.Read, Idempotent: gateway.IdempotentNo, Outbound: &no, Data: map[string]string{"/title": "public"},
		Unset: []string{"deprecated", "handles", "status"}, Why: "another", Owner: "me", Scopes: []string{"a"}, Timeout: time.Second,
	})
	const rest = `open_world: no
reads_private: no
untrusted_content: no
evidence: {external_id: /ticket_id}
outcome: {pointer: /status, committed: ["open"], accepted: ["queued"], failed: ["rejected", "full"]}
data: {/body: secret}
step_up: yes
tenants: ["platform", "payments"]
contract: "2.1"
audit: disk
bounds: {/title: {max_length: 80, non_empty: yes}}
`
	if got != rest {
		t.Errorf("said in part:\n%s", got)
	}
}
