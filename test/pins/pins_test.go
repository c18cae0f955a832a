package pins

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/registry/identity"
)

// leastChanges and leastOrders are how much is asked for of a whole run.
const (
	leastChanges = 5000
	leastOrders  = 1000
)

// whole asks for every change; without it each run tries every tenth.
var whole = flag.Bool("pins", false, "try every change and reordering")

// pinned is one definition that was reviewed.
type pinned struct {
	kind gateway.Kind
	raw  []byte
}

// own are definitions that stand for every kind, with what real ones rarely have.
func own() []pinned {
	all := []pinned{
		{gateway.KindPrompt, []byte(`{"name":"triage","title":"T","description":"d","arguments":[{"name":"a","description":"x","required":true},{"name":"b"}],"_meta":{"k":[1,2.50,null]}}`)},
		{gateway.KindResource, []byte(`{"uri":"runbook://payments/current","name":"n","title":"t","description":"d","mimeType":"text/markdown","size":9007199254740993,"annotations":{"priority":0.50}}`)},
		{gateway.KindTemplate, []byte(`{"uriTemplate":"runbook://{team}/current","name":"n","description":"d","mimeType":"text/plain"}`)},
	}
	for i := range 40 {
		all = append(all, pinned{gateway.KindTool, fmt.Appendf(nil,
			`{"name":%q,"title":"T","description":"Does %d things.","inputSchema":{"type":"object","properties":{"a":{"type":"string","enum":["x","y"],"default":"x"},`+
				`"n":{"type":"number","minimum":1.50,"maximum":9007199254740993},"list":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"null"}]},"maxItems":%d}},`+
				`"required":["a","n"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"id":{"type":"string","minLength":1}},"required":["id"]},`+
				`"annotations":{"readOnlyHint":true,"title":"t"},"execution":{"taskSupport":"optional"},"icons":[{"src":"https://x.example/i.png"}],"agentHint":"h","_meta":{"v":%d}}`,
			numbered(i), i, i, i)})
	}
	return all
}

// published are the tools of real servers, where they are.
func published(t *testing.T) []pinned {
	files, err := filepath.Glob("../../../shared/corpus/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Log("not run: no corpus beside the module; with own definitions only")
	}
	var all []pinned
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		for i, raw := range list.Tools {
			if i < 3 && len(raw) < 6000 { // of every server a few
				all = append(all, pinned{gateway.KindTool, raw})
			}
		}
	}
	return all
}

// review is a registry that serves one definition as reviewed.
func review(t *testing.T, p pinned) (*registry.Registry, gateway.ItemID) {
	r := registry.New(registry.Options{})
	publish(t, r, p.kind, p.raw)
	o := r.Observations()[0]
	x := &registry.Exposure{Items: map[gateway.ItemID]*registry.Record{
		o.ID: {Definition: o.Digest, Facts: gateway.ExposureFacts{SideEffect: gateway.Read}},
	}}
	r.SetExposure(x)
	return r, o.ID
}

func publish(t *testing.T, r *registry.Registry, kind gateway.Kind, raw []byte) {
	t.Helper()
	var l registry.Listing
	switch kind {
	case gateway.KindPrompt:
		l.Prompts = [][]byte{raw}
	case gateway.KindResource:
		l.Resources = [][]byte{raw}
	case gateway.KindTemplate:
		l.Templates = [][]byte{raw}
	default:
		l.Tools = [][]byte{raw}
	}
	if _, err := r.Publish("up", l); err != nil {
		t.Fatal(err)
	}
}

// TestPins holds that every single change of a reviewed definition takes it away,
// and that no order and no white space does.
func TestPins(t *testing.T) {
	changes, unseen, orders, taken := 0, 0, 0, 0
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range append(own(), published(t)...) {
		served, id := review(t, p)
		if served.Observations()[0].State != gateway.StateApproved {
			continue // what can't be served at all pins nothing
		}
		v, err := parse(p.raw)
		if err != nil {
			t.Fatal(err)
		}
		v.mutations(func() {
			if changes++; !*whole && changes%10 != 0 {
				return
			}
			publish(t, served, p.kind, v.text())
			if _, reason := served.Snapshot().Resolve(id.Kind, "up", id.Name); reason == "" {
				unseen++
				t.Errorf("served although changed: %s", v.text())
			}
		})
		for range 12 {
			if orders++; !*whole && orders%10 != 0 {
				continue
			}
			v.shuffle(r)
			var b strings.Builder
			v.write(&b, spaces(r))
			publish(t, served, p.kind, []byte(b.String()))
			if _, reason := served.Snapshot().Resolve(id.Kind, "up", id.Name); reason != "" {
				taken++
				t.Errorf("not served in another order: %s: %s", reason, b.String())
			}
		}
	}
	c, u := others(t, r)
	changes, unseen = changes+c, unseen+u
	if changes < leastChanges || orders < leastOrders {
		t.Errorf("only %d changes and %d reorderings were tried", changes, orders)
	}
	if !*whole {
		t.Log("a tenth of them was tried; make pins tries all")
		return
	}
	fmt.Printf("pins: changes %d, not seen %d; reorderings %d, taken for a change %d\n", changes, unseen, orders, taken)
}

// others changes what has a digest but no list: instructions, and what an upstream
// declares.
func others(t *testing.T, r *rand.Rand) (changes, unseen int) {
	instructions := []byte(`"Read the runbook first. Number 1.50 of 9007199254740993."`)
	was := protocol.DigestOf(instructions)
	for i := 1; i < len(instructions)-1; i++ {
		changed := append([]byte{}, instructions...)
		changed[i] ^= 1
		if protocol.Check(changed, protocol.DefaultLimits()) != nil {
			continue
		}
		changes++
		if protocol.DigestOf(changed) == was {
			unseen++
			t.Errorf("instructions changed unseen: %s", changed)
		}
	}
	facts := func(capabilities []byte) gateway.Digest {
		f := identity.Facts{Argv: []string{"x"}, Revision: "2026-07-28", Capabilities: capabilities}
		return f.Digest()
	}
	raw := []byte(`{"tools":{"listChanged":true},"resources":{"subscribe":false},"experimental":{"a":{"b":[1,2.50,null]}}}`)
	v, err := parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	v.mutations(func() {
		changes++
		if facts(v.text()) == facts(raw) {
			unseen++
			t.Errorf("capabilities changed unseen: %s", v.text())
		}
	})
	for range 20 {
		v.shuffle(r)
		var b strings.Builder
		v.write(&b, spaces(r))
		if facts([]byte(b.String())) != facts(raw) {
			t.Errorf("another order of capabilities counts: %s", b.String())
		}
	}
	return changes, unseen
}
