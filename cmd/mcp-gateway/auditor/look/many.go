package look

import (
	"context"
	"path/filepath"

	"mcp-gateway/audit"
	"mcp-gateway/audit/detail"
	"mcp-gateway/cmd/mcp-gateway/auditor/pen"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

// Many opens the kept arguments of several calls, each once it is durable that whoever
// runs the command looks at them and why. opened is told of each by its number, with
// detail.ErrNone where its time is over.
func Many(ctx context.Context, c *config.Config, build string, why gateway.Reason, all []detail.Kept, opened func(i int, arguments []byte, err error) error) error {
	ring, err := keyring.Open(filepath.Join(c.State.Dir, run.KeysDir))
	if err != nil {
		return err
	}
	me, err := pen.Me(audit.NewKeys(ring))
	if err != nil {
		return err
	}
	return pen.Write(ctx, c, build, func(put func(*audit.Event) error) error {
		for i := range all {
			e := &audit.Event{Type: audit.DetailRead, Action: all[i].Action, Approver: me, Reasons: []gateway.Reason{why}}
			if err := put(e); err != nil {
				return err
			}
			arguments, err := detail.Open(ring, all[i], e.Time)
			if err := opened(i, arguments, err); err != nil {
				return err
			}
		}
		return nil
	})
}
