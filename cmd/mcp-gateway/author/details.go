package author

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"mcp-gateway/audit"
	"mcp-gateway/audit/detail"
	"mcp-gateway/cmd/mcp-gateway/auditor/pen"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/rego/workbench"
	"mcp-gateway/store/details"
)

// waiting is a decision that can be taken once its arguments were looked at.
type waiting struct {
	event audit.Event
	input []byte
	kept  detail.Kept
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
	kept, err := r.kept.Get(ctx, e.Action)
	if errors.Is(err, detail.ErrNone) {
		return false, nil
	}
	if err == nil {
		r.waits = append(r.waits, waiting{*e, input, kept})
	}
	return true, err
}

// withDetails takes the decisions that wait, each when it is on record that its
// arguments are looked at.
func (r *rerun) withDetails(ctx context.Context, c *config.Config, build string) error {
	if len(r.waits) == 0 {
		return nil
	}
	ring, err := keyring.Open(filepath.Join(c.State.Dir, run.KeysDir))
	if err != nil {
		return err
	}
	me, err := pen.Me(audit.NewKeys(ring))
	if err != nil {
		return err
	}
	return pen.Write(ctx, c, build, func(put func(*audit.Event) error) error {
		for i := range r.waits {
			look := &audit.Event{Type: audit.DetailRead, Action: r.waits[i].kept.Action, Approver: me, Reasons: []gateway.Reason{detail.Replayed}}
			if err := put(look); err != nil {
				return err
			}
			if err := r.decide(ctx, ring, &r.waits[i], look); err != nil {
				return err
			}
		}
		return nil
	})
}

// decide decides one again with its arguments, which were kept until they expired.
func (r *rerun) decide(ctx context.Context, ring detail.Ring, w *waiting, look *audit.Event) error {
	r.looked++
	arguments, err := detail.Open(ring, w.kept, look.Time)
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
}
