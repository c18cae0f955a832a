package main

import (
	"slices"
	"strconv"
	"time"

	"maps"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/tell"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

func upstreamsCommand(f *flags) *cobra.Command {
	list := &cobra.Command{
		Use:   "list",
		Short: "List upstreams: who is up, who is down, and why",
		Args:  cobra.NoArgs,
	}
	format := list.Flags().StringP("output", "o", "table", cli.Formats)
	fresh := freshFlag(list)
	list.RunE = func(cmd *cobra.Command, _ []string) error {
		in, err := inspect(cmd, f, *fresh)
		if err != nil {
			return err
		}
		tools := make(map[string]map[gateway.ExposureState]int)
		for _, o := range in.Registry.Observations() {
			if tools[o.ID.Upstream] == nil {
				tools[o.ID.Upstream] = make(map[gateway.ExposureState]int)
			}
			tools[o.ID.Upstream][o.State]++
		}
		t := &cli.Table{Columns: []string{"upstream", "up", "reason", "cause", "review", "era", "revision", "changed", "served", "held back", "calls itself", "confined", "as of"},
			Narrow: []string{"upstream", "up", "cause", "review", "era", "revision", "served", "held back", "calls itself"}}
		for _, id := range slices.Sorted(maps.Keys(in.Config.Upstreams)) {
			fact, n := in.Facts[id], tools[id]
			held := n[gateway.StateNew] + n[gateway.StateChanged] + n[gateway.StateQuarantined] + n[gateway.StateWithheld]
			up := "down"
			switch {
			case fact.Up && !in.Alive:
				up = "was up" // nobody asks it now
			case fact.Up:
				up = "up"
			}
			claimed := printable(fact.ClaimedName + " " + fact.ClaimedVersion)
			t.Add(id, up, fact.Reason, tell.Cause(fact), standing(in, id), fact.Era, fact.Revision, since(in.Profiles[id].At), strconv.Itoa(n[gateway.StateApproved]), strconv.Itoa(held),
				claimed, confined(in.Config.Upstreams[id], fact), fact.At.Local().Format(time.DateTime))
		}
		return t.Write(cmd.OutOrStdout(), *format)
	}
	return cli.Group("upstreams", "The servers behind the gateway", append(desk(f).Upstreams(), list)...)
}

// standing says where an upstream itself stands in review.
func standing(in *run.Inspection, id string) string {
	u := in.Registry.Upstream(id)
	if u.State != gateway.StateChanged {
		return string(u.State)
	}
	return string(u.State) + " " + cli.Joined(u.Reasons)
}

func since(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Local().Format(time.DateTime)
}

// confined says what the last process of an upstream was kept from.
func confined(u *config.Upstream, fact registry.UpstreamFact) string {
	switch {
	case u.Stdio == nil:
		return "no process"
	case fact.Confined == "":
		return "not known"
	default:
		return fact.Confined
	}
}
