package hostfile

import (
	"cmp"
	"encoding/json"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/config"
)

// remote and local are what hosts write of a server.
type remote struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
}

type local struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// Snippet returns "hosts snippet"; at is where the path of the configuration will
// stand once flags are parsed.
func Snippet(at *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "snippet",
		Short: "Print what goes into a host's file of servers",
		Long: "Print what goes into a host's file of servers: the URL and a place for the key, or the URL alone where only issuers\n" +
			"are configured: the host then finds the issuer by itself and gets a token from it.",
		Args: cobra.NoArgs,
	}
	upstream := cmd.Flags().String("upstream", "", "the endpoint of this upstream alone")
	stdio := cmd.Flags().Bool("stdio", false, "for a host that starts its servers itself")
	member := cmd.Flags().String("member", "mcpServers", "mcpServers or servers: what the host's file calls them")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.Load(*at)
		if err != nil {
			return err
		}
		if err := cli.OneOf("--member", *member, "mcpServers", "servers"); err != nil {
			return err
		}
		if *upstream != "" && c.Upstreams[*upstream] == nil {
			return cli.Misused("no upstream %q is configured", *upstream)
		}
		name, path := "mcp-gateway", "/mcp"
		if *upstream != "" {
			name, path = *upstream, "/mcp/"+*upstream
		}
		web := remote{Type: "http", URL: cmp.Or(c.Listen.URL, c.Listen.Scheme()+"://"+c.Listen.MCP) + path}
		if len(c.Auth.Keys) > 0 || len(c.Auth.Issuers) == 0 { // else the host finds the issuer, and gets a token itself
			web.Headers = map[string]string{"Authorization": "Bearer ${MCP_GATEWAY_KEY}"}
		}
		var server any = web
		if *stdio {
			path, err := filepath.Abs(*at)
			if err != nil {
				return err
			}
			server = local{Command: "mcp-gateway", Args: []string{"stdio", "--config", path}}
		}
		out := json.NewEncoder(cmd.OutOrStdout())
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		return out.Encode(map[string]any{*member: map[string]any{name: server}})
	}
	return cmd
}
