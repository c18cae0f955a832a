package reviewer

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/config"
	"mcp-gateway/config/imports"
	"mcp-gateway/redact"
	"mcp-gateway/registry/diff"
)

func (d *Desk) imports() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import --from FILE",
		Short: "Add the servers of a host's own file to upstreams.yaml",
		Long: "Add the servers of a host's own file ({\"mcpServers\": …} or {\"servers\": …}) to upstreams.yaml.\n" +
			"Their secrets are not taken over: each becomes a reference to a variable of the gateway's environment.\n" +
			"Nothing of them is served before it is approved. All are added, or none.",
		Args: cobra.NoArgs,
	}
	from := cmd.Flags().String("from", "", "the host's `file`")
	_ = cmd.MarkFlagRequired("from") // the flag exists
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.Load(*d.Config)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(*from)
		if err != nil {
			return err
		}
		cleaner := redact.New(redact.Options{})
		servers, err := imports.Parse(text, func(s string) bool { return cleaner.Text(s) != s })
		if err != nil {
			return err
		}
		if err := imports.Add(*d.Config, servers, func(id string) bool { return c.Upstreams[id] != nil }); err != nil {
			return err
		}
		for _, s := range servers {
			advise(cmd, &s)
		}
		return nil
	}
	return cmd
}

// advise says what became of one server and what is still to be done.
func advise(cmd *cobra.Command, s *imports.Server) {
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s: added as %s; nothing of it is served yet\n", diff.Visible(s.Named), s.ID)
	needed := slices.Sorted(maps.Values(s.Env))
	if s.Bearer != "" {
		needed = append(needed, s.Bearer)
	}
	if len(needed) > 0 {
		fmt.Fprintf(out, "  set in the gateway's environment: %s\n", strings.Join(needed, " "))
	}
	for _, what := range s.Dropped {
		fmt.Fprintf(out, "  not taken over: %s\n", diff.Visible(what))
	}
	fmt.Fprintf(out, "  next: mcp-gateway upstreams test %s\n", s.ID)
}
