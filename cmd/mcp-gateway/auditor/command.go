package auditor

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcp-gateway/audit/index"
	"mcp-gateway/cmd/mcp-gateway/auditor/gather"
	"mcp-gateway/cmd/mcp-gateway/auditor/look"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/auditor/reports"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/ground"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
)

// desk is what the commands share.
type desk struct {
	config *string // path of the configuration
	store  string  // of collected journals, instead of the configuration's state
	state  string  // the directory, whatever the configuration says
}

// Command returns "audit" with all below it. config is where the path of the
// configuration will stand once flags are parsed.
func Command(config *string) *cobra.Command {
	d := &desk{config: config}
	audit := cli.Group("audit", "Ask what happened", d.query(), d.show(), d.tail(), d.sql(), d.export(), d.verify(), d.contains(), gather.Command(&d.store), d.key(), d.rebuild())
	audit.AddCommand(look.Command(d.own))
	audit.AddCommand(reports.Commands(reports.Desk{Open: d.open, Config: d.own})...)
	audit.PersistentFlags().StringVar(&d.store, "store", "", "ask the `directory` that audit collect fills, instead of this gateway's state")
	audit.PersistentFlags().StringVar(&d.state, "state-dir", "", "ask this state `directory`, whatever the configuration says")
	return audit
}

// open opens the index over the journal that is asked. How far the index has come is
// told on a terminal.
func (d *desk) open(cmd *cobra.Command) (*records.Records, error) {
	a, err := d.records(cmd)
	if err == nil {
		a.Tell(cli.NewBar(cmd.ErrOrStderr(), "bytes of the journal"))
	}
	return a, err
}

func (d *desk) records(cmd *cobra.Command) (*records.Records, error) {
	if err := d.there(); err != nil {
		return nil, err
	}
	if d.store != "" {
		c, err := ground.Read(*d.config, "", io.Discard)
		if err != nil {
			c = nil // a store is asked without a configuration too, by pseudonyms
		}
		return records.OpenStore(d.store, c, cmd.ErrOrStderr())
	}
	c, err := d.read(cmd)
	if err != nil {
		return nil, err
	}
	return records.Open(c)
}

// there refuses a directory that was named and holds no journal: nothing found in it would
// read as "nothing happened".
func (d *desk) there() error {
	for _, named := range []struct{ flag, dir string }{{"--store", d.store}, {"--state-dir", d.state}} {
		if named.dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(named.dir, run.JournalDir)); errors.Is(err, fs.ErrNotExist) {
			return cli.Misused("%s: there is no journal in %s", named.flag, named.dir)
		}
	}
	return nil
}

// read reads the configuration, faults and all: the commands only read state.
func (d *desk) read(cmd *cobra.Command) (*config.Config, error) {
	if err := d.there(); err != nil {
		return nil, err
	}
	return ground.Read(*d.config, d.state, cmd.ErrOrStderr())
}

// own is read for what needs a gateway's own state.
func (d *desk) own(cmd *cobra.Command) (*config.Config, error) {
	if d.store != "" {
		return nil, cli.Misused("collected journals are not a gateway's state: ask the gateway that wrote them")
	}
	return d.read(cmd)
}

func (d *desk) rebuild() *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild",
		Short: "Build the index anew from the journal; a gateway that runs on it must be stopped first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := d.open(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // what it built is committed
			err = a.Rebuild(cmd.Context())
			if errors.Is(err, index.ErrBusy) {
				return &cli.Error{Code: cli.Failed, Text: "error: a running gateway builds the index; stop it first"}
			}
			return err
		},
	}
}
