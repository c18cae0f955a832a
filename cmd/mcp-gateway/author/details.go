package author

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"mcp-gateway/audit"
	"mcp-gateway/audit/detail"
	"mcp-gateway/cmd/mcp-gateway/auditor/look"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/config"
	"mcp-gateway/rego/workbench"
	"mcp-gateway/store/details"
)

// waiting is a decision that can be taken once its arguments were looked at.
type waiting struct {
	event audit.Event
	input []byte
}

// openKept opens what is kept of arguments.
func openKept(ctx context.Context, c *config.Config) (*details.DB, error) {
	path := filepath.Join(c.State.Dir, details.Name)
	if _, err := os.Stat(path); err != nil {
		return nil, &cli.Error{Code: cli.Failed, Text: "error: no arguments are kept here: audit.detail says for how long"}
	}
	return details.Open(ctx, path)
}

// wait takes note of a decision of which the arguments are kept.
func (r *rerun) wait(ctx context.Context, e *audit.Event, input []byte) (bool, error) {
	kept, err := r.details.Get(ctx, e.Action)
	if errors.Is(err, detail.ErrNone) {
		return false, nil
	}
	if err == nil {
		r.kept = append(r.kept, kept)
		r.waits = append(r.waits, waiting{*e, input})
	}
	return true, err
}

// withDetails takes the decisions that wait, each when it is on record that its
// arguments are looked at.
func (r *rerun) withDetails(ctx context.Context, c *config.Config, build string) error {
	if len(r.waits) == 0 {
		return nil
	}
	return look.Many(ctx, c, build, detail.Replayed, r.kept, func(i int, arguments []byte, err error) error {
		w := &r.waits[i]
		r.looked++
		if errors.Is(err, detail.ErrNone) {
			r.undecidable++
			return nil
		}
		if err != nil {
			return err
		}
		now, err := workbench.Replay(ctx, r.policy, w.input, arguments, w.event.Time)
		r.count(&w.event, w.input, &now, err)
		return nil
	})
}
