package effect

import (
	"context"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
	"mcp-gateway/receipt"
)

// How often the ledger is looked at while a repeat waits: another process may be the
// one that settles the action.
const (
	firstLook = 10 * time.Millisecond
	mostLook  = 250 * time.Millisecond
)

// retryInProgress is what a repeat is told while the first call is still under way.
const retryInProgress = time.Second

// landed waits until the action that holds the call's key is not in flight any more,
// within the time that the call has, and returns how it stands then. An action whose
// writer died is settled at once by what is on record of it.
func (b *Book) landed(ctx context.Context, c *call.Call, holder *receipt.Entry) (*receipt.Entry, error) {
	end := time.NewTimer(min(c.World.Limits.RepeatWait, c.Remaining()))
	defer end.Stop()
	for pause := firstLook; holder.State == gateway.OutcomeInFlight; pause = min(2*pause, mostLook) {
		var err error
		if !b.Fates.Alive(holder.Writer) {
			if holder, err = b.recover(ctx, holder); err != nil {
				return nil, unavailable(err)
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil, gateway.Because(gateway.CodeCancelled, ctx.Err())
		case <-end.C:
			return nil, busy()
		case <-time.After(pause):
		}
		if holder, err = b.Ledger.Action(ctx, holder.Action); err != nil {
			return nil, unavailable(err)
		}
	}
	return holder, nil
}

func busy() error {
	e := gateway.Fail(gateway.CodeInProgress)
	e.RetryAfter = retryInProgress
	return e
}
