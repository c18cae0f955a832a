package reports

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/gateway"
	"mcp-gateway/registry/listed"
)

// unused names the reviewed tools that no call was let through to.
func (d Desk) unused(cmd *cobra.Command, a *records.Records, f audit.Filter) (*cli.Table, error) {
	c, err := d.Config(cmd)
	if err != nil {
		return nil, err
	}
	exposure, err := c.ReviewedExposure()
	if err != nil {
		return nil, err
	}
	f.Type = audit.ToolDecided
	found, err := a.Count(cmd.Context(), f, []string{"tool"})
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, g := range found {
		used[g.Values[0]] = true
	}
	idle := map[string][]string{}
	for id, record := range exposure.Items {
		if name := listed.ExposedName(id.Upstream, id.Name); id.Kind == gateway.KindTool && !used[name] {
			idle[name] = []string{name, id.Upstream, string(record.Facts.Class()), record.Facts.Owner, record.ApprovedAt.Format("2006-01-02")}
		}
	}
	t := &cli.Table{Columns: []string{"tool", "upstream", "side_effect", "owner", "reviewed"}}
	for _, name := range slices.Sorted(maps.Keys(idle)) {
		t.Add(idle[name]...)
	}
	return t, nil
}
