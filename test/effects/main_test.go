package effects

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/receipt"
	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, nil)) }

// desk is an upstream that opens tickets and counts what it executed. How it
// answers a call, a test says.
type desk struct {
	*stage.Peer
	mu       sync.Mutex
	executed int
	keys     map[string]int // executions by request_id
	asked    int            // how often find was
	wrong    bool           // find names another ticket
	answer   func(n int, m stage.Message) stage.Answer
}

// openTool has the key that the reviewer named, and evidence in its result.
const openTool = `{"name":"open","inputSchema":{"type":"object","properties":{"title":{"type":"string"},"request_id":{"type":"string"}},"required":["title"],"additionalProperties":false},` + evidence + `}`

// evidence is what its results are sure to hold.
const evidence = `"outputSchema":{"type":"object","properties":{"ticket_id":{"type":["string","integer"]}},"required":["ticket_id"]}`

// worded is what results of queue are sure to hold.
const worded = `"outputSchema":{"type":"object","properties":{"ticket_id":{"type":"string"},"status":{"type":"string"}},"required":["ticket_id","status"]}`

// deepTool takes its key within an object, which may need more than that.
const deepTool = `{"name":%q,"inputSchema":{"type":"object","properties":{"title":{"type":"string"},"options":{"type":"object","properties":{"request_id":{"type":"string"},"mode":{"type":"string"}},"additionalProperties":false%s}},"additionalProperties":false},` + evidence + `}`

// findTool looks up what a key left behind.
const findTool = `{"name":"find","inputSchema":{"type":"object","properties":{"request_id":{"type":"string"}},"required":["request_id"],"additionalProperties":false},` + evidence + `}`

func newDesk() *desk {
	d := &desk{Peer: stage.NewPeer(), keys: map[string]int{}}
	for _, name := range []string{"open", "post", "wipe", "book", "proven", "silent", "erase"} {
		d.Add(strings.Replace(openTool, `"open"`, `"`+name+`"`, 1), d.execute)
	}
	d.Add(strings.NewReplacer(`"open"`, `"queue"`, evidence, worded).Replace(openTool), d.execute)
	for name, needs := range map[string]string{"deep": "", "strict": `,"required":["mode"]`} {
		d.Add(fmt.Sprintf(deepTool, name, needs), d.execute)
	}
	d.Add(findTool, d.find)
	return d
}

func (d *desk) execute(w http.ResponseWriter, r *http.Request, m stage.Message) {
	d.mu.Lock()
	d.executed++
	n := d.executed
	key, _ := protocol.Lookup([]byte(m.Arguments()), "/request_id")
	d.keys[string(key)]++
	answer := d.answer
	d.mu.Unlock()
	if answer != nil {
		answer(n, m)(w, r, m)
		return
	}
	opened(n)(w, r, m)
}

// find tells the ticket of a key.
func (d *desk) find(w http.ResponseWriter, r *http.Request, m stage.Message) {
	d.mu.Lock()
	d.asked++
	key, _ := protocol.Lookup([]byte(m.Arguments()), "/request_id")
	known, wrong := d.keys[string(key)] > 0, d.wrong
	d.mu.Unlock()
	if !known {
		stage.Result(`{"resultType":"complete","isError":true,"content":[{"type":"text","text":"no such request"}]}`)(w, r, m)
		return
	}
	opened(map[bool]int{false: 1, true: 99}[wrong])(w, r, m)
}

func (d *desk) questions() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}

// opened is a result with its evidence.
func opened(n int) stage.Answer {
	return stage.Result(fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":"opened"}],"structuredContent":{"ticket_id":"T-%d"}}`, n))
}

func (d *desk) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.executed
}

func (d *desk) answers(a func(n int, m stage.Message) stage.Answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answer = a
}

// review: open takes a key and shows evidence; post has neither; wipe destroys; book
// and proven have a status tool, silent has none; queue
// tells by a word what becomes of it.
func review(id gateway.ItemID) string {
	const signed = ", scopes: [use], owner: test, why: it is tested, approved_by: test, approved_at: 2026-09-01"
	const write = "side_effect: write, reversible: yes, outbound: no, idempotent: key, idempotency: {argument: /request_id}, evidence: {external_id: /ticket_id}"
	const status = `, status: {tool: find, arguments: {request_id: "{key}"}, found: /ticket_id`
	switch id.Name {
	case "open":
		return write + signed
	case "book": // whose upstream does not take a repeat for one
		return "side_effect: write, reversible: yes, outbound: no, idempotent: key, idempotency: {argument: /request_id}, evidence: {external_id: /ticket_id}" + status + "}" + signed
	case "proven":
		return write + status + ", verify: yes}" + signed
	case "silent":
		return write + signed
	case "queue":
		return write + ", outcome: {pointer: /status, committed: [done], accepted: [queued], partial: [partial], failed: [rejected]}" + signed
	case "deep", "strict":
		return strings.Replace(write, "/request_id", "/options/request_id", 1) + signed
	case "erase":
		return "side_effect: destructive, idempotent: yes, waive: {external_id: it is tested}" + signed
	case "find":
		return stage.Read("use")
	case "wipe":
		return "side_effect: destructive, waive: {external_id: it is tested}" + signed
	}
	return stage.Write("use")
}

func start(t *testing.T, o stage.Options) (*desk, *stage.Stage) {
	t.Helper()
	d := newDesk()
	o.Upstreams = append(o.Upstreams, stage.Served(t, "desk", d))
	if o.Review == nil {
		o.Review = review
	}
	return d, stage.Open(t, o)
}

// keyed is a request with an idempotency key in _meta.
func keyed(r *stage.Request, key string) *stage.Request {
	r.Meta = strings.Replace(r.Meta, "{", `{"`+call.MetaKey+`":"`+key+`",`, 1)
	return r
}

// receiptOf returns the receipt that a reply carries, unverified.
func receiptOf(t *testing.T, r *stage.Reply) []byte {
	t.Helper()
	return []byte(r.Get("/_meta/mcp-gateway~1receipt"))
}

// verified returns what a reply's receipt says after it was verified against the
// keys of the gateway and its journal.
func verified(t *testing.T, s *stage.Stage, r *stage.Reply) *receipt.Statement {
	t.Helper()
	st, err := receipt.Verify(receiptOf(t, r), s.Gateway.ReceiptKeys(), receipt.Claim{})
	if err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
	if err := st.Match(s.Gateway.Events(t.Context())); err != nil {
		t.Errorf("%v: %+v", err, st)
	}
	return st
}
