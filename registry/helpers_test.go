package registry

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// tool returns a definition as an upstream would list it.
func tool(name, description string) []byte {
	return fmt.Appendf(nil, `{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, description)
}

// review returns the exposure that approves these definitions.
func reviewed(upstream string, raws ...[]byte) *Exposure {
	x := &Exposure{Items: map[gateway.ItemID]*Record{}}
	for _, raw := range raws {
		name, _ := protocol.Member(raw, "name")
		text, _ := protocol.Text(name)
		x.Items[gateway.ItemID{Upstream: upstream, Name: text}] = &Record{
			Definition: protocol.DigestOf(raw), Facts: gateway.ExposureFacts{SideEffect: gateway.Read},
		}
	}
	return x
}

func publish(t testing.TB, r *Registry, upstream string, raws ...[]byte) Changes {
	t.Helper()
	c, err := r.Publish(upstream, Listing{Tools: raws})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// names lists what a scope serves.
func names(s *Snapshot, scope string) []string {
	var all []string
	for _, t := range s.Items(gateway.KindTool, scope) {
		if scope == "" {
			all = append(all, t.Exposed)
		} else {
			all = append(all, t.ID.Name)
		}
	}
	return all
}

// states maps "upstream/tool" to "state reason" of everything observed.
func states(r *Registry) map[string]string {
	all := map[string]string{}
	for _, o := range r.Observations() {
		text := string(o.State)
		for _, reason := range o.Reasons {
			text += " " + string(reason)
		}
		all[o.ID.String()] = text
	}
	return all
}

// corpus reads the tool lists of real servers, by server; nil when they are not
// at hand.
func corpus(t testing.TB) map[string][][]byte {
	t.Helper()
	files, err := filepath.Glob("../../shared/corpus/*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][][]byte{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(f, err)
		}
		name := filepath.Base(f[:len(f)-len(".json")])
		for _, tool := range list.Tools {
			all[name] = append(all[name], tool)
		}
	}
	return all
}
