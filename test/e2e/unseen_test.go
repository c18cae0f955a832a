package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/rego"
	"mcp-gateway/test/stage"
)

// work is what a refused call took: how often policy was evaluated, how often its clock
// was read meanwhile, which is once in sixteen of its steps, and what was put on record
// how durably.
type work struct {
	evaluations, looks int64
	events             string
}

// unseen is a bench with a destructive tool that nobody there may know of, whose
// decisions nothing remembers, and what counts its work.
func unseen(t *testing.T) (b *bench, count func(call func()) work) {
	var evaluations, looks atomic.Int64
	policy, err := rego.Load(t.Context(), rego.Options{
		Timeout: time.Minute, Uncached: true,
		Evaluated: func() { evaluations.Add(1) },
		Now: func() time.Time {
			looks.Add(1)
			return time.Now()
		},
	})
	fatal(t, err)
	tools := []string{`{"name":"hidden","inputSchema":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}}`, stage.Tool("shown")}
	b = newBench(t, played{}, tools, func(w *proxy.World) {
		w.Policy = policy
		w.Durability[gateway.Destructive] = audit.Disk
	})
	return b, func(call func()) work {
		evaluations.Store(0)
		looks.Store(0)
		b.kept.take()
		call()
		var events strings.Builder
		for _, n := range b.kept.take() {
			e := n.event
			named := e.Tool != "" || e.ToolRef != ""
			fmt.Fprintf(&events, "%s %s named %t, args %d %q, definition %q, class %q, upstream %q, %d faults, durability %v\n",
				e.Type, e.Code, named, e.ArgsBytes, e.Args, e.Definition, e.Class, e.Upstream, len(e.Faults), n.durability)
		}
		return work{evaluations.Load(), looks.Load(), events.String()}
	}
}

// arguments that a tool which takes them may be asked with: the work of a refusal must
// not grow with them, nor depend on whether they fit.
func unseenArguments() map[string]string {
	return map[string]string{
		"none": `{}`, "fitting": `{"x":"y"}`, "not fitting": `{"x":7,"y":[1,2,{"z":null}]}`,
		"long": `{"x":"` + strings.Repeat("long ", 2000) + `"}`,
	}
}

// TestUnseenCosts holds that a call of a tool that is hidden from its caller is the same
// work as one of a tool that is not there, for a caller whose view is not known yet and
// for one whose view is: evaluations of policy, their steps, events and how durable they
// are made. Nothing is looked at but the name.
func TestUnseenCosts(t *testing.T) {
	t.Parallel()
	for name, args := range unseenArguments() {
		t.Run(name, func(t *testing.T) {
			b, count := unseen(t)
			call := func(host, tool string) func() {
				return func() {
					if r := b.host(host).Call(t, tool, args); r.Code() != string(gateway.CodeUnknownTool) {
						t.Errorf("%s is answered %d %s", tool, r.Status, r.Body)
					}
				}
			}
			cold, coldAbsent := count(call("alice", "up__hidden")), count(call("bob", "up__absent"))
			warm, warmAbsent := count(call("alice", "up__hidden")), count(call("alice", "up__absent"))
			if cold != coldAbsent || cold.evaluations != 1 || cold.looks == 0 {
				t.Errorf("a hidden tool costs %+v, an absent one %+v", cold, coldAbsent)
			}
			if warm != warmAbsent || warm.evaluations != 0 || strings.Count(warm.events, "\n") != 1 {
				t.Errorf("once the view is known, a hidden tool costs %+v, an absent one %+v", warm, warmAbsent)
			}
		})
	}
}

// handle serves one call by the front itself, with nothing of the network between.
func (b *bench) handle(t testing.TB, tool, args string) func() {
	r := b.host("alice").Calling(tool, args)
	body := r.Text()
	return func() {
		req := httptest.NewRequest(http.MethodPost, r.URL, strings.NewReader(body))
		req.Header = r.Header.Clone()
		w := httptest.NewRecorder()
		b.front.ServeHTTP(w, req)
		if !strings.Contains(w.Body.String(), string(gateway.CodeUnknownTool)) {
			t.Errorf("%s is answered %d %s", tool, w.Code, w.Body)
		}
	}
}
