package findings_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/findings"
)

// TestCorpus holds that of the tools of real servers at most one in a hundred would
// be held back on a first approval, and prints which and why.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("../../../shared/corpus/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Log("not run: no corpus beside the module")
		return
	}
	var all []findings.Neighbour
	var found [][]gateway.Finding
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		upstream := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, raw := range list.Tools {
			var named struct{ Name string }
			if err := json.Unmarshal(raw, &named); err != nil {
				t.Fatal(err)
			}
			r := findings.Inspect(gateway.KindTool, named.Name, raw)
			all = append(all, findings.Neighbour{
				ID: gateway.ItemID{Upstream: upstream, Name: named.Name}, Exposed: upstream + "__" + named.Name, Mentions: r.Mentions,
			})
			found = append(found, r.Findings)
		}
	}
	held, byCode := 0, map[string]int{}
	for i, more := range findings.Around(all) {
		list := append(found[i], more...)
		for _, f := range list {
			byCode[f.Code]++
			if f.Severity != gateway.Info {
				t.Logf("%s %s at %s: %s: %q", all[i].ID, f.Code, f.Path, findings.Reason(f.Code), f.Excerpt)
			}
		}
		if slices.ContainsFunc(list, func(f gateway.Finding) bool { return f.Severity != gateway.Info }) {
			held++
		}
	}
	t.Logf("held back %d of %d definitions of %d servers (%.2f %%); findings by code: %v",
		held, len(all), len(files), 100*float64(held)/float64(len(all)), byCode)
	if held*100 > len(all) {
		t.Errorf("%d of %d would be held back, at most one in a hundred may be", held, len(all))
	}
}
