package gather

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
)

// tellKeys says by which keys the gateways of a store name principals, where that is not
// one: what one person did at all of them can't be asked then.
func (d desk) tellKeys(cmd *cobra.Command) error {
	a, err := records.OpenStore(*d.store, nil, nil)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what it built is committed
	a.Tell(cli.NewBar(cmd.ErrOrStderr(), "bytes of the journals"))
	by, err := a.NamedBy(cmd.Context())
	if err != nil || len(by) < 2 {
		return err
	}
	keys := slices.SortedFunc(maps.Keys(by), func(x, y string) int {
		return cmp.Or(-cmp.Compare(len(by[x]), len(by[y])), cmp.Compare(x, y))
	})
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "warning: principals are named by %d audit keys, so one person has another pseudonym under each:\n", len(keys))
	for _, key := range keys {
		fmt.Fprintf(w, "  %s: %s\n", key, strings.Join(words(by[key]), ", "))
	}
	fmt.Fprintln(w, "gateways that share one, by `mcp-gateway keys import`, name a person alike from then on")
	return nil
}

func words(all []audit.Ident) []string {
	var out []string
	for _, one := range all {
		out = append(out, string(one))
	}
	return out
}
