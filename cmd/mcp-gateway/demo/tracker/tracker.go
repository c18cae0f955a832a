package tracker

import (
	"fmt"
	"sync"

	"mcp-gateway/protocol"
)

// Fault is a way to misbehave.
type Fault string

// The faults.
const (
	FreeText Fault = "free_text" // it is done, and says so in words alone
	WrongID  Fault = "wrong_id"  // it answers another request than the one that came
	Away     Fault = "away"      // HTTP 503, and nothing is done
	Lost     Fault = "lost"      // it is done, and the connection breaks before the answer
	Held     Fault = "held"      // it is done, and the answer waits for Release
)

// The schemas of the tools.
const (
	named   = `"outputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`
	keyed   = `{"type":"object","properties":{"title":{"type":"string","maxLength":120},"request_id":{"type":"string","maxLength":64}},"required":["title"],"additionalProperties":false}`
	unkeyed = `{"type":"object","properties":{"title":{"type":"string","maxLength":120}},"required":["title"],"additionalProperties":false}`
	asking  = `{"type":"object","properties":{"request_id":{"type":"string","maxLength":64}},"required":["request_id"],"additionalProperties":false}`
)

// definitions are the tools as they are listed.
func definitions() map[string]string {
	all := map[string]string{}
	for name, input := range map[string]string{"open_ticket": keyed, "file_note": keyed, "page_on_call": unkeyed, "erase_board": unkeyed, "find_ticket": asking} {
		all[name] = fmt.Sprintf(`{"name":%q,"inputSchema":%s,%s}`, name, input, named)
	}
	return all
}

// Exposure is the review of the tools, as the member of exposure.yaml's tools.
func Exposure() string {
	const signed = "owner: platform, why: the demo calls it, approved_by: security-review, approved_at: 2026-09-01}\n"
	facts := map[string]string{
		"open_ticket": `side_effect: write, reversible: yes, outbound: no, open_world: no, idempotent: key, idempotency: {argument: /request_id}, ` +
			`evidence: {external_id: /id}, status: {tool: find_ticket, arguments: {request_id: "{key}"}, found: /id}`,
		"file_note":    "side_effect: write, reversible: yes, outbound: no, open_world: no, idempotent: key, idempotency: {argument: /request_id}, evidence: {external_id: /id}",
		"page_on_call": "side_effect: write, reversible: yes, outbound: no, open_world: no, idempotent: no, evidence: {external_id: /id}",
		"erase_board":  "side_effect: destructive, idempotent: no, evidence: {external_id: /id}",
		"find_ticket":  "side_effect: read, idempotent: yes",
	}
	text := "  tracker:\n"
	for _, name := range names() {
		digest := protocol.DigestOf([]byte(definitions()[name]))
		text += fmt.Sprintf("    %s: {definition: %q, %s, scopes: [\"tracker:use\"], %s", name, digest, facts[name], signed)
	}
	return text
}

func names() []string {
	return []string{"open_ticket", "file_note", "page_on_call", "erase_board", "find_ticket"}
}

// Tracker is the server. It is safe for concurrent use.
type Tracker struct {
	mu      sync.Mutex
	faults  []Fault           // of the next calls
	ids     map[string]string // by tool and key
	done    map[string]int    // what was done, by tool; a repeat does nothing
	calls   int               // that arrived
	arrived chan struct{}
	release chan struct{}
}

// New returns a server that has done nothing yet.
func New() *Tracker {
	return &Tracker{ids: map[string]string{}, done: map[string]int{}, arrived: make(chan struct{}, 1), release: make(chan struct{})}
}

// Misbehave makes the next calls misbehave, one each.
func (t *Tracker) Misbehave(faults ...Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = faults
}

// Done is how often something was done by a tool.
func (t *Tracker) Done(tool string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done[tool]
}

// Calls is how many calls arrived.
func (t *Tracker) Calls() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls
}

// Arrived receives when a call is held, and Release lets it go.
func (t *Tracker) Arrived() <-chan struct{} { return t.arrived }

// Release lets go of a held call.
func (t *Tracker) Release() { close(t.release) }

// perform does what a call asks for, unless its key did that before, and says how
// to misbehave.
func (t *Tracker) perform(tool string, arguments []byte) (id string, ok bool, f Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls++
	if len(t.faults) > 0 {
		f, t.faults = t.faults[0], t.faults[1:]
	}
	if f == Away {
		return "", false, f
	}
	raw, _ := protocol.Member(arguments, "request_id")
	key, keyed := protocol.Text(raw)
	if tool == "find_ticket" {
		id, ok = t.ids["open_ticket "+key]
		return id, ok, f
	}
	if id, ok = t.ids[tool+" "+key]; keyed && ok {
		return id, true, f
	}
	t.done[tool]++
	id = fmt.Sprintf("%s-%d", map[string]string{"open_ticket": "TIC", "file_note": "NOTE", "page_on_call": "PAGE", "erase_board": "ERASED"}[tool], t.done[tool])
	if keyed {
		t.ids[tool+" "+key] = id
	}
	return id, true, f
}
