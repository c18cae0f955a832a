package operator

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/config"
	"mcp-gateway/keyring"
	"mcp-gateway/store"
)

// Commands returns "approvals", "receipts" and "ledger". path is where that of the
// configuration will stand once flags are parsed.
func Commands(path *string) []*cobra.Command {
	d := &desk{config: path}
	return []*cobra.Command{
		cli.Group("approvals", "Calls that wait for a person", d.listTickets(), d.showTicket(), d.approve(), d.deny(), d.revoke()),
		cli.Group("receipts", "What became of side effects, signed", d.listReceipts(), d.showReceipt(), d.verify(), d.keys()),
		cli.Group("ledger", "Actions: calls with side effects", d.listActions()),
	}
}

// desk is what the commands share.
type desk struct{ config *string }

// state is the part of a state directory that the commands use.
type state struct {
	dir   string
	store *store.Store
	ring  *keyring.Ring
}

// with opens the state for one command.
func (d *desk) with(ctx context.Context, do func(s *state) error) error {
	c, err := config.Load(*d.config)
	if err != nil {
		return err
	}
	s := &state{dir: c.State.Dir}
	if s.ring, err = keyring.Open(filepath.Join(s.dir, "keys")); err != nil {
		return err
	}
	if s.store, err = store.Open(ctx, filepath.Join(s.dir, store.Name)); err != nil {
		return err
	}
	return errors.Join(do(s), s.store.Close())
}
