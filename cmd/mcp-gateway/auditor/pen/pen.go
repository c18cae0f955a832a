package pen

import (
	"context"
	"errors"
	"os/user"
	"path/filepath"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/home"
	"mcp-gateway/cmd/mcp-gateway/run/keep"
	"mcp-gateway/config"
	"mcp-gateway/keyring"
)

// suffix tells the writer of commands from the gateway whose state they use, so that
// the gateway's boots stay one chain.
const suffix = "-cli"

// Write appends events to the journal of a configuration's state, each durable before
// the next, until do returns; put is what appends.
func Write(ctx context.Context, c *config.Config, build string, do func(put func(*audit.Event) error) error) error {
	replica, err := home.Enter(c.State.Dir, c.Replica)
	if err != nil {
		return err
	}
	ring, err := keyring.Open(filepath.Join(c.State.Dir, run.KeysDir))
	if err != nil {
		return err
	}
	var unsealed error
	j, err := journal.Open(filepath.Join(c.State.Dir, run.JournalDir), journal.Options{
		Replica: audit.Ident(replica + suffix), Build: audit.Version(build), Label: "cli",
		Seal: keep.Seal(ring, c.Audit.Export, func(err error) { unsealed = err }),
	})
	if err != nil {
		return err
	}
	err = do(func(e *audit.Event) error {
		_, err := j.Append(ctx, e, audit.Disk)
		return err
	})
	err = errors.Join(err, j.Close(context.WithoutCancel(ctx)))
	return errors.Join(err, unsealed) // the sealer has ended with the journal
}

// Me returns how events name who runs the command.
func Me(names *audit.Keys) (audit.Keyed, error) {
	me, err := user.Current()
	if err != nil {
		return "", err
	}
	return names.Principal(me.Username), nil
}
