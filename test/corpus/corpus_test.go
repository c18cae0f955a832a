package corpus

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// Of the definitions of real servers, each is listed as it was sent but for
// named edits, or withheld with a reason.
func TestRealDefinitions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(moduleRoot(t), "..", "shared", "corpus", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Log("not run: no corpus beside the module")
		return
	}
	servers := map[string]string{}
	for _, file := range files {
		servers[strings.TrimSuffix(filepath.Base(file), ".json")] = file
	}
	o, _ := putThrough(t, servers)
	o.tell(t)
	if o.listed < o.sent*95/100 {
		t.Errorf("only %d of %d definitions of real servers are listed", o.listed, o.sent)
	}
}

// outcome is what became of the definitions that were sent.
type outcome struct {
	servers, sent, listed int
	withheld              map[gateway.Reason][]string
	edits                 edits
}

// putThrough sends every definition through one gateway and judges each. It
// returns also what is listed on each server's own endpoint, by name.
func putThrough(t *testing.T, servers map[string]string) (*outcome, map[string]map[string]object) {
	t.Helper()
	r := newRig(t, servers)
	if early := r.list(t, ""); len(early) > 0 {
		t.Errorf("%d tools are listed that nobody reviewed", len(early))
	}
	r.approve(t, r.gateway.Registry().Observations())

	o := &outcome{servers: len(servers), withheld: map[gateway.Reason][]string{}, edits: edits{}}
	shared, listed := byName(t, r.list(t, "")), map[string]map[string]object{}
	for _, id := range slices.Sorted(maps.Keys(servers)) {
		listed[id] = byName(t, r.list(t, "/"+id))
		own := maps.Clone(listed[id])
		o.judge(t, id, tools(t, servers[id]), r.observed(t, id), own, shared)
		for name := range own {
			t.Errorf("%s: %s is listed and was never sent", id, name)
		}
	}
	for name := range shared {
		t.Errorf("%s is listed and was never sent", name)
	}
	return o, listed
}

// observation is what the gateway says of one definition.
type observation struct {
	registry.Observation
	raw object
}

// observed returns the gateway's word on each definition that it was sent.
func (r *rig) observed(t *testing.T, id string) []observation {
	t.Helper()
	var all []observation
	for _, o := range r.gateway.Registry().Observations() {
		if o.ID.Upstream == id && o.Definition != nil {
			all = append(all, observation{o, decode(t, o.Definition.Raw)})
		}
	}
	return all
}

// judge holds one server's definitions against what is listed on its own
// endpoint and on that of all, and takes out of both what it accounts for.
func (o *outcome) judge(t *testing.T, id string, sent []object, seen []observation, own, shared map[string]object) {
	t.Helper()
	if len(seen) != len(sent) {
		t.Errorf("%s: %d definitions were sent, %d observed", id, len(sent), len(seen))
	}
	for _, tool := range sent {
		o.sent++
		at := slices.IndexFunc(seen, func(s observation) bool { return reflect.DeepEqual(s.raw, tool) })
		if at < 0 {
			t.Errorf("%s: %v was sent and not observed as it was sent", id, tool["name"])
			continue
		}
		s := seen[at]
		seen = slices.Delete(seen, at, at+1)
		switch s.State {
		case gateway.StateApproved:
			o.list(t, s, own, shared)
		case gateway.StateWithheld:
			o.withhold(t, s)
		default:
			t.Errorf("%s is %s, though it was approved as observed: %v", s.ID, s.State, s.Reasons)
		}
	}
}

// list holds what hosts are given against what was sent.
func (o *outcome) list(t *testing.T, s observation, own, shared map[string]object) {
	t.Helper()
	o.listed++
	name := exposed(s.ID.Upstream, s.ID.Name)
	if s.Exposed != name {
		t.Errorf("%s is exposed as %s", s.ID, s.Exposed)
	}
	take(t, own, o.edits.apply(s.raw, s.ID.Name))
	take(t, shared, edits{}.apply(s.raw, name))
	o.edits["name: the upstream's id before it, where all are listed"]++
}

// take compares the listed tool of that name and takes it out.
func take(t *testing.T, listed map[string]object, want object) {
	t.Helper()
	name, _ := want["name"].(string)
	got, ok := listed[name]
	if !ok {
		t.Errorf("%s is approved and not listed", name)
		return
	}
	delete(listed, name)
	if d := difference("", got, want); d != "" {
		t.Errorf("%s differs at %s", name, d)
	}
}

// withhold counts what is not listed. Its cause must have a code.
func (o *outcome) withhold(t *testing.T, s observation) {
	t.Helper()
	if len(s.Reasons) == 0 || s.Reasons[0] == "" {
		t.Errorf("%s is withheld without a reason", s.ID)
		return
	}
	name, _ := s.raw["name"].(string)
	o.withheld[s.Reasons[0]] = append(o.withheld[s.Reasons[0]], s.ID.Upstream+"/"+name)
}

// tell prints the counts.
func (o *outcome) tell(t *testing.T) {
	t.Helper()
	hidden := 0
	for _, names := range o.withheld {
		hidden += len(names)
	}
	t.Logf("%d definitions of %d servers: %d listed, %d withheld", o.sent, o.servers, o.listed, hidden)
	if o.listed+hidden != o.sent {
		t.Errorf("%d definitions are unaccounted for", o.sent-o.listed-hidden)
	}
	for _, reason := range slices.Sorted(maps.Keys(o.withheld)) {
		t.Logf("withheld  %4d  %s: %s", len(o.withheld[reason]), reason, strings.Join(o.withheld[reason], ", "))
	}
	if o.edits["text: cleaned"] == 0 {
		o.edits["text: cleaned"] = 0 // that there was none is worth a line
	}
	for _, kind := range slices.Sorted(maps.Keys(o.edits)) {
		t.Logf("edit      %4d  %s", o.edits[kind], kind)
	}
}

// byName indexes listed tools, of which no two may share a name.
func byName(t *testing.T, listed []object) map[string]object {
	t.Helper()
	index := make(map[string]object, len(listed))
	for _, tool := range listed {
		name, _ := tool["name"].(string)
		if index[name] != nil {
			t.Errorf("%q is listed twice", name)
		}
		index[name] = tool
	}
	return index
}

// tools reads the definitions in a file.
func tools(t *testing.T, path string) []object {
	t.Helper()
	text, err := os.ReadFile(path)
	var list struct{ Tools []json.RawMessage }
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []object
	for _, raw := range list.Tools {
		all = append(all, decode(t, raw))
	}
	return all
}

// moduleRoot returns the folder of go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	for ; err == nil && dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test")
	return ""
}
