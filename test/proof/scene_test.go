package proof

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
)

// The upstreams, and the tools that hosts call.
const (
	deskID   = "desk"   // the example server, over stdio
	ledgerID = "ledger" // ours, over HTTP
)

// reviewed says of each tool what a reviewer would. Opening a ticket is taken
// for a write that stays inside and can be taken back, so that nobody is asked.
var reviewed = map[gateway.ItemID]string{
	{Upstream: deskID, Name: "get_service_status"}:     "side_effect: read",
	{Upstream: deskID, Name: "get_incident_ticket"}:    "side_effect: read",
	{Upstream: deskID, Name: "create_incident_ticket"}: "side_effect: write, reversible: yes, outbound: no, evidence: {external_id: /ticket_id}",
	{Upstream: ledgerID, Name: "read_entry"}:           "side_effect: read",
	{Upstream: ledgerID, Name: "write_entry"}:          "side_effect: write, reversible: yes, outbound: no, evidence: {external_id: /entry}",
}

// scene is the state directory that outlives all gateways, the upstream over
// HTTP, and the hosts.
type scene struct {
	t       *testing.T
	dir     string
	journal string
	seed    uint64
	callers []*caller
	ledger  *ledger
	book    *book

	mu     sync.Mutex
	starts int           // of gateways so far
	url    string        // of the one that serves; "" while none does
	turned chan struct{} // closed and replaced when url changes
	calls  []*call       // all that hosts sent
	flying atomic.Int64  // calls without an answer
}

// caller is a principal with an API key.
type caller struct {
	name, key string
	id        string // gateway.Principal.ID
}

func newScene(t *testing.T, seed uint64) *scene {
	t.Helper()
	s := &scene{t: t, dir: t.TempDir(), seed: seed, turned: make(chan struct{})}
	s.journal = filepath.Join(s.dir, "var", run.JournalDir)
	s.book = newBook(s.journal)
	s.ledger = &ledger{executed: map[string]int{}, onRecord: s.onRecord}
	server := httptest.NewServer(s.ledger)
	t.Cleanup(server.Close)
	s.ledger.url = server.URL
	for _, name := range []string{"alice", "bob"} {
		s.callers = append(s.callers, &caller{name: name})
	}
	s.configure()
	s.letGo(true)
	s.review()
	return s
}

// configure writes upstreams.yaml, with fresh keys.
func (s *scene) configure() {
	s.t.Helper()
	var keys strings.Builder
	for _, c := range s.callers {
		key, sum := auth.NewKey()
		c.key = key
		fmt.Fprintf(&keys, "    - {id: %s, sha256: %q, subject: %s, tenant: proof, scopes: [proof]}\n", c.name, sum, c.name)
	}
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("upstreams.yaml", fmt.Sprintf(`version: 1
listen: {mcp: "127.0.0.1:0"}
state: {dir: ./var}
exposure: ./exposure.yaml
auth:
  api_keys:
%supstreams:
  %s: {stdio: {command: [%q, %q, %q], env: {%s: %s}}, timeout: 20s}
  %s: {http: {url: %q}, timeout: 20s}
`, keys.String(), deskID, self, s.record(), s.tether(), roleVar, roleDesk, ledgerID, s.ledger.url+"/mcp"))
	s.write("exposure.yaml", "version: 1\n")
	c, err := config.Load(filepath.Join(s.dir, "upstreams.yaml"))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range c.Auth.Keys {
		s.callers[i].id = c.Auth.Keys[i].Principal.ID()
	}
}

// record is what the example server is told to append to: a link, which leads to
// another file for each gateway.
func (s *scene) record() string { return filepath.Join(s.dir, "executed") }

// recordOf is the file that the record of the n-th gateway's child lies in.
func (s *scene) recordOf(n int) string { return fmt.Sprintf("%s-%06d", s.record(), n) }

// tether is the file without which the example server outlives its gateway,
// unless it is ended.
func (s *scene) tether() string { return filepath.Join(s.dir, "let-go") }

// letGo says whether the example server may end by itself. Elsewhere than on
// Linux it must: there the kernel ends no child for its parent.
func (s *scene) letGo(may bool) {
	s.t.Helper()
	if may || runtime.GOOS != "linux" {
		s.write(filepath.Base(s.tether()), "")
		return
	}
	if err := os.Remove(s.tether()); err != nil {
		s.t.Fatal(err)
	}
}

// review approves the tools as the upstreams list them.
func (s *scene) review() {
	s.t.Helper()
	missing, records := s.listed()
	for tries := 1; len(missing) > 0 && tries < 5; tries++ { // a machine with much to do
		missing, records = s.listed()
	}
	if len(missing) > 0 {
		s.t.Fatalf("not listed: %v", missing)
	}
	s.write("exposure.yaml", fmt.Sprintf("version: 1\ntools:\n  %s:\n%s  %s:\n%s", deskID, records[deskID], ledgerID, records[ledgerID]))
}

// listed asks the upstreams for their lists: what is missing of what is reviewed, and the
// records of the rest by upstream.
func (s *scene) listed() (missing map[gateway.ItemID]string, records map[string]string) {
	s.t.Helper()
	in, err := run.Inspect(s.t.Context(), run.Options{ConfigPath: filepath.Join(s.dir, "upstreams.yaml")}, true)
	if err != nil {
		s.t.Fatal(err)
	}
	missing, records = maps.Clone(reviewed), map[string]string{}
	for _, o := range in.Registry.Observations() {
		if facts, ok := reviewed[o.ID]; ok {
			delete(missing, o.ID)
			records[o.ID.Upstream] += fmt.Sprintf("    %s: {definition: %q, %s, scopes: [proof], owner: tests, why: proof, approved_by: tests, approved_at: 2026-09-01}\n",
				o.ID.Name, o.Digest, facts)
		}
	}
	return missing, records
}

func (s *scene) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// open lets hosts call the gateway, once it is up and its journal verifies.
func (s *scene) open(p *process) {
	s.t.Helper()
	url := "http://" + p.await() + "/mcp"
	s.verify()
	s.book.follow(s.t)
	s.turn(url)
}

// close makes hosts wait for the next gateway.
func (s *scene) close() { s.turn("") }

func (s *scene) turn(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.url = url
	close(s.turned)
	s.turned = make(chan struct{})
}

// serving waits for a gateway that serves.
func (s *scene) serving(ctx context.Context) (url string, ok bool) {
	for {
		s.mu.Lock()
		url, turned := s.url, s.turned
		s.mu.Unlock()
		if url != "" {
			return url, ctx.Err() == nil
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return "", false
		}
	}
}
