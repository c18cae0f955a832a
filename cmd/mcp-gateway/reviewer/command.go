package reviewer

import (
	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/reviewer/hostfile"
	"mcp-gateway/cmd/mcp-gateway/run"
)

// Desk is what the commands share.
type Desk struct {
	// Config is where the path of the configuration will stand once flags are parsed.
	Config *string
	// Inspect returns what is known of upstreams; only names one to be asked now.
	Inspect func(cmd *cobra.Command, only string, fresh bool) (*run.Inspection, error)
}

// Upstreams returns the commands below "upstreams" about first contact.
func (d *Desk) Upstreams() []*cobra.Command {
	return []*cobra.Command{hostfile.Import(d.Config), d.test(), d.show(), d.differ(), d.approve()}
}

// Hosts returns "hosts" with all below it.
func (d *Desk) Hosts() *cobra.Command {
	return cli.Group("hosts", "What hosts need to reach the gateway", hostfile.Snippet(d.Config))
}

// Report returns "tools report".
func (d *Desk) Report() *cobra.Command { return d.report() }
