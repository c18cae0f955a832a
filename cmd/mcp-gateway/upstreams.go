package main

import (
	"slices"
	"strconv"
	"time"

	"maps"

	"github.com/spf13/cobra"

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
	format := list.Flags().StringP("output", "o", "table", outputFormats)
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
		t := &table{columns: []string{"upstream", "up", "reason", "era", "revision", "served", "held back", "calls itself", "confined", "as of"}}
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
			t.add(id, up, fact.Reason, fact.Era, fact.Revision, strconv.Itoa(n[gateway.StateApproved]), strconv.Itoa(held),
				claimed, confined(in.Config.Upstreams[id], fact), fact.At.Local().Format(time.DateTime))
		}
		return t.write(cmd.OutOrStdout(), *format)
	}
	return group("upstreams", "The servers behind the gateway", append(desk(f).Upstreams(), list)...)
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
