package operator

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/ground"
	"mcp-gateway/cmd/mcp-gateway/operator/approvals"
	"mcp-gateway/config"
	"mcp-gateway/keyring"
	"mcp-gateway/store"
)

// Commands returns "approvals", "receipts" and "ledger". path is where that of the
// configuration will stand once flags are parsed.
func Commands(path *string, version string) []*cobra.Command {
	d := &desk{config: path, version: version}
	groups := []*cobra.Command{
		cli.Group("receipts", "What became of side effects, signed", d.listReceipts(), d.showReceipt(), d.verify(), d.keys()),
		cli.Group("ledger", "Actions: calls with side effects", d.listActions(), d.showAction(), d.reconcile()),
	}
	for _, g := range groups {
		g.PersistentFlags().StringVar(&d.state, "state-dir", "", "work on this state `directory`, whatever the configuration says")
	}
	return append(groups, approvals.Command(path))
}

// desk is what the commands share.
type desk struct {
	config  *string
	version string // of this build, for what is put on record
	state   string // the directory, instead of the configuration's
}

// state is the part of a state directory that the commands use.
type state struct {
	config *config.Config
	dir    string
	store  *store.Store
	ring   *keyring.Ring
}

// with opens the state for one command.
func (d *desk) with(ctx context.Context, do func(s *state) error) error {
	if d.state != "" {
		c := &config.Config{}
		c.State.Dir = d.state
		return enter(ctx, c, do)
	}
	c, err := config.Load(*d.config)
	if err != nil {
		return err
	}
	return enter(ctx, c, do)
}

// reading opens the state for a command that only reads, whatever faults the
// configuration has.
func (d *desk) reading(cmd *cobra.Command, do func(s *state) error) error {
	c, err := ground.Read(*d.config, d.state, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	return enter(cmd.Context(), c, do)
}

func enter(ctx context.Context, c *config.Config, do func(s *state) error) error {
	var err error
	s := &state{config: c, dir: c.State.Dir}
	if s.ring, err = keyring.Open(filepath.Join(s.dir, "keys")); err != nil {
		return err
	}
	if s.store, err = store.Open(ctx, filepath.Join(s.dir, store.Name)); err != nil {
		return err
	}
	return errors.Join(do(s), s.store.Close())
}
