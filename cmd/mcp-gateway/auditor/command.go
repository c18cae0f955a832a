package auditor

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
)

// desk is what the commands share.
type desk struct {
	config *string // path of the configuration
	store  string  // of collected journals, instead of the configuration's state
}

// Command returns "audit" with all below it. config is where the path of the
// configuration will stand once flags are parsed.
func Command(config *string) *cobra.Command {
	d := &desk{config: config}
	audit := cli.Group("audit", "Ask what happened", d.query(), d.show(), d.tail(), d.sql(), d.export(), d.verify(), d.contains(), d.collect(), d.key())
	audit.PersistentFlags().StringVar(&d.store, "store", "", "ask the `directory` that audit collect fills, instead of this gateway's state")
	return audit
}

// open opens the index over the journal that is asked.
func (d *desk) open() (*records.Records, error) {
	if d.store != "" {
		return records.OpenStore(d.store)
	}
	c, err := config.Load(*d.config)
	if err != nil {
		return nil, err
	}
	return records.Open(c)
}

// journal returns the folder of the journal that is asked.
func (d *desk) journal() (string, error) {
	if d.store != "" {
		return filepath.Join(d.store, run.JournalDir), nil
	}
	c, err := config.Load(*d.config)
	if err != nil {
		return "", err
	}
	return filepath.Join(c.State.Dir, run.JournalDir), nil
}
