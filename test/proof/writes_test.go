package proof

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/protocol"
	meta "mcp-gateway/proxy/call"
)

// desktop is a state directory, an upstream that may be killed, and gateways that may.
type desktop struct {
	t                 *testing.T
	dir, key, address string
	record            string

	mu       sync.Mutex
	gateways []*exec.Cmd
	urls     []string
	upstream *exec.Cmd
	said     []saying
}

// saying is one answer that a host got.
type saying struct {
	key   string
	trace audit.Trace
	sent  time.Time
	at    time.Time
	code  string // "" = the result; "lost" = none came
	id    string
}

func newDesktop(t *testing.T, gateways int) *desktop {
	t.Helper()
	d := &desktop{t: t, dir: t.TempDir(), gateways: make([]*exec.Cmd, gateways), urls: make([]string, gateways)}
	d.record = filepath.Join(d.dir, "booked")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.address = l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	key, sum := auth.NewKey()
	d.key = key
	d.write("upstreams.yaml", fmt.Sprintf(`version: 1
listen: {mcp: "127.0.0.1:0"}
state: {dir: ./var}
exposure: ./exposure.yaml
auth: {api_keys: [{id: alice, sha256: %q, subject: alice, tenant: proof, scopes: [proof]}]}
policy: {timeout: 10s}
upstreams:
  %s: {http: {url: "http://%s/mcp"}, timeout: 5s}
`, sum, bookerID, d.address))
	d.write("exposure.yaml", "version: 1\n")
	d.startUpstream()
	d.review()
	for i := range d.gateways {
		d.startGateway(i)
	}
	t.Cleanup(func() {
		for _, cmd := range append(slices.Clone(d.gateways), d.upstream) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return d
}

func (d *desktop) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desktop) review() {
	d.t.Helper()
	in, err := run.Inspect(d.t.Context(), run.Options{ConfigPath: filepath.Join(d.dir, "upstreams.yaml")}, true)
	if err != nil {
		d.t.Fatal(err)
	}
	text := "version: 1\ntools:\n  " + bookerID + ":\n"
	for _, o := range in.Registry.Observations() {
		const write = "side_effect: write, reversible: yes, outbound: no, evidence: {external_id: /id}"
		facts := map[string]string{
			"find": "side_effect: read", "jot": write,
			"open": write + `, idempotent: key, idempotency: {argument: /request_id}, status: {tool: find, arguments: {request_id: "{key}"}, found: /id}`,
		}[o.ID.Name]
		text += fmt.Sprintf("    %s: {definition: %q, %s, scopes: [proof], owner: tests, why: proof, approved_by: tests, approved_at: 2026-09-01}\n", o.ID.Name, o.Digest, facts)
	}
	d.write("exposure.yaml", text)
}

func (d *desktop) start(role string, args ...string) (*exec.Cmd, io.Reader) {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return cmd, out
}

// startUpstream starts it and waits until it listens.
func (d *desktop) startUpstream() {
	d.t.Helper()
	d.upstream, _ = d.start(roleBooker, d.address, d.record)
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		if c, err := net.Dial("tcp", d.address); err == nil {
			tick.Stop()
			_ = c.Close()
			return
		}
	}
}

// startGateway starts one and waits until it serves.
func (d *desktop) startGateway(i int) {
	d.t.Helper()
	cmd, out := d.start(roleGateway, filepath.Join(d.dir, "upstreams.yaml"), "proof")
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		d.t.Fatal("a gateway did not come up: ", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gateways[i], d.urls[i] = cmd, "http://"+strings.TrimSpace(line)+"/mcp"
}

// kill ends a process without a word and waits for its end.
func (d *desktop) kill(cmd *exec.Cmd) {
	d.t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		d.t.Error(err)
	}
	_ = cmd.Wait() // "signal: killed"
}

func (d *desktop) gateway(i int) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.urls[i]
}

// send makes one call under a key and notes what the host was told.
func (d *desktop) send(client *http.Client, url, key string, hold int, n uint64) saying {
	parent := fmt.Sprintf("00-%032x-%016x-01", n+1, n+1)
	s := saying{key: key, trace: audit.ParseTrace(parent), sent: time.Now(), code: "lost"}
	tool, note := bookerID+"__open", ""
	if jotted(key) {
		tool, note = bookerID+"__jot", fmt.Sprintf(`,"note":%q`, key)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"hold_ms":%d%s},"_meta":{%q:%q,%q:{"name":"proof","version":"1"},%q:{},%q:%q,%q:%q}}}`,
		tool, hold, note, protocol.MetaVersion, protocol.Revision20260728, protocol.MetaClientInfo, protocol.MetaClientCapabilities, protocol.MetaTraceParent, parent, meta.MetaKey, key)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		panic(err) // the URL is ours
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + d.key, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		protocol.HeaderVersion: protocol.Revision20260728, protocol.HeaderMethod: protocol.MethodToolsCall, protocol.HeaderName: tool,
	} {
		req.Header.Set(name, value)
	}
	if resp, err := client.Do(req); err == nil {
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err == nil {
			s.read(text)
		}
	}
	s.at = time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said = append(d.said, s)
	return s
}

func (s *saying) read(text []byte) {
	var m struct {
		Result struct {
			Meta              map[string]struct{ Code string } `json:"_meta"`
			IsError           bool
			StructuredContent struct{ ID string }
		}
		Error *struct{ Data struct{ Code string } }
	}
	if err := json.Unmarshal(text, &m); err != nil {
		s.code = "unreadable"
		return
	}
	s.code, s.id = m.Result.Meta["mcp-gateway/error"].Code, m.Result.StructuredContent.ID
	if m.Error != nil {
		s.code = m.Error.Data.Code
	} else if s.code == "" && m.Result.IsError {
		s.code = "business_error"
	}
}

// done says whether an answer tells a host that its call was executed: with its result,
// or without it, where a gateway was killed before it had that in its ledger.
func (s *saying) done() bool { return s.code == "" || s.code == "result_not_kept" }

// denies says whether an answer tells a host that its call was not executed.
func (s *saying) denies() bool {
	switch s.code {
	case "unavailable", "execution_error", "timeout", "cancelled", "business_error", "forbidden", "invalid_arguments":
		return true
	}
	return false
}

// writeOnce repeats a call under its key until its outcome is told; of one that nobody
// can find out about, until it is told so several times.
func (d *desktop) writeOnce(client *http.Client, random *rand.Rand, key string, next func() uint64) {
	hold, doubts := random.IntN(12), 0
	for range 8000 {
		s := d.send(client, d.gateway(random.IntN(len(d.urls))), key, hold, next())
		if s.code == "outcome_unknown" {
			doubts++
		}
		if s.done() || jotted(key) && doubts == 3 {
			return
		}
		pause := 5 + random.IntN(20)
		if s.code == "lost" { // nobody is there now, and who starts needs the processor more
			pause += 100
		}
		<-time.After(time.Duration(pause) * time.Millisecond)
	}
	d.t.Errorf("%s was never told its outcome", key)
}

// keyOf is the key of the n-th write: each fifth is for a tool whose upstream honours
// none.
func keyOf(n int) string {
	if n%5 == 4 {
		return fmt.Sprintf("jot-%d", n)
	}
	return fmt.Sprintf("key-%d", n)
}

// TestProofWrites writes with keys while gateway and upstream are killed at random.
func TestProofWrites(t *testing.T) {
	writes, kills := 60, 4
	if *long {
		writes, kills = 1000, 60
	}
	d := newDesktop(t, 1)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	var calls struct {
		sync.Mutex
		n uint64
	}
	next := func() uint64 {
		calls.Lock()
		defer calls.Unlock()
		calls.n++
		return calls.n
	}
	keys := make(chan string)
	var work sync.WaitGroup
	for i := range 8 {
		own := rand.New(rand.NewPCG(seed, uint64(i+2)))
		work.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}
			defer client.CloseIdleConnections()
			for key := range keys {
				d.writeOnce(client, own, key, next)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range writes {
			keys <- keyOf(i)
		}
		close(keys)
		work.Wait()
	}()
	killed := map[string]int{}
	for n := 0; n < kills; n++ {
		select {
		case <-done:
			n = kills
			continue
		case <-time.After(time.Duration(50+random.IntN(250)) * time.Millisecond):
		}
		if random.IntN(2) == 0 {
			d.kill(d.gateways[0])
			d.startGateway(0)
			killed["gateway"]++
			continue
		}
		d.kill(d.upstream)
		d.startUpstream()
		killed["upstream"]++
	}
	<-done
	d.judge(writes, killed)
}

// judge holds what hosts were told, and what is on record, against what the upstream
// says that it did.
func (d *desktop) judge(writes int, killed map[string]int) {
	d.t.Helper()
	did, repeats := map[string]booking{}, 0
	for _, b := range bookings(d.record) {
		if before, twice := did[b.key]; twice && !b.repeat {
			d.t.Errorf("%s was executed twice, as %s and %s", b.key, before.id, b.id)
		}
		if b.repeat {
			repeats++
			continue
		}
		did[b.key] = b
	}
	undone := 0
	for n := range writes {
		switch b := did[keyOf(n)]; {
		case b.key == "" && jotted(keyOf(n)):
			undone++ // sent, and lost before it arrived: nobody can say, and it is not sent again
		case b.key == "":
			d.t.Errorf("%s was never executed", keyOf(n))
		}
	}
	told, of := map[string]int{}, map[audit.Trace]string{}
	for _, s := range d.said {
		told[s.code]++
		of[s.trace] = s.key
		b := did[s.key]
		switch {
		case s.code == "" && s.id != "" && s.id != b.id:
			d.t.Errorf("%s is told to be %s, and is %s", s.key, s.id, b.id)
		case s.done() && b.key == "":
			d.t.Errorf("%s is told to be done, and was never executed", s.key)
		case s.denies() && b.key != "" && b.at.Before(s.at):
			d.t.Errorf("%s was executed, and its host was told %s", s.key, s.code)
		}
	}
	failed := 0
	record := newBook(filepath.Join(d.dir, "var", run.JournalDir))
	record.follow(d.t)
	for _, e := range record.actions {
		if e.finished == 0 || string(e.outcome.Outcome) != "failed" {
			continue
		}
		failed++
		if b := did[of[e.decided.Trace]]; b.at.Before(e.outcome.Time) && b.key != "" {
			d.t.Errorf("%s was executed, and is on record as failed", b.key)
		}
	}
	d.t.Logf("%d writes in %d calls, %d executed once, %d not at all, %d repeats at the upstream; killed %v; answers %v; %d on record as failed, none of them executed",
		writes, len(d.said), len(did), undone, repeats, killed, told, failed)
}

// TestTwoGatewaysOneKey has two gateways on one state directory asked for the same key
// at the same time: one of them sends it.
func TestTwoGatewaysOneKey(t *testing.T) {
	d := newDesktop(t, 2)
	keys := 20
	if *long {
		keys = 200
	}
	client := &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}
	defer client.CloseIdleConnections()
	for i := range keys {
		var both sync.WaitGroup
		for g := range d.urls {
			both.Go(func() { d.send(client, d.gateway(g), fmt.Sprintf("key-%d", i), 5, uint64(2*i+g)) })
		}
		both.Wait()
	}
	sent := map[string]int{}
	for _, b := range bookings(d.record) {
		sent[b.key]++
	}
	told := map[string]int{}
	for _, s := range d.said {
		told[s.code]++
	}
	for i := range keys {
		if n := sent[fmt.Sprintf("key-%d", i)]; n != 1 {
			t.Errorf("key-%d was sent %d times", i, n)
		}
	}
	if told[""]+told["in_progress"] != 2*keys {
		t.Errorf("answers %v", told)
	}
	t.Logf("%d keys asked of two gateways at once: each sent once; answers %v", keys, told)
}
