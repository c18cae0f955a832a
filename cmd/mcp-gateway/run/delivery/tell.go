package delivery

import (
	"context"

	"go.uber.org/zap"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/rego/deliver"
	"mcp-gateway/rego/pack"
	"mcp-gateway/telemetry"
)

// Options are whom a Desk tells.
type Options struct {
	Log       *zap.Logger
	Telemetry *telemetry.Telemetry // nil: nobody hears it
	// Note puts an event on record.
	Note func(context.Context, audit.Event) error
	// Adopt puts a bundle that a source brought in force, whole or not at all.
	Adopt func(context.Context, *deliver.Source, *pack.Bundle) error
}

func (d *Desk) follower(ctx context.Context, s *deliver.Source) deliver.Follower {
	return deliver.Follower{
		Adopt: func(ctx context.Context, b *pack.Bundle) error {
			if err := d.Adopt(ctx, s, b); err != nil {
				return err
			}
			d.took(b, nil)
			return nil
		},
		Refused: func(err error) { d.refused(ctx, err) },
		Away: func(err error) {
			d.Telemetry.Bundle(ctx, deliver.CodeService)
			d.Log.Warn("the bundle service gives no policy; what is in force stays", zap.Error(err))
		},
		Unkept: func(err error) {
			d.Log.Error("a policy is in force that could not be kept for the next start", zap.Error(err))
		},
	}
}

// took tells of a bundle that is in force.
func (d *Desk) took(b *pack.Bundle, unkept error) {
	d.Telemetry.Bundle(context.Background(), "")
	d.Log.Info("policy delivered", zap.String("revision", b.Revision), zap.String("label", b.Label), zap.Int64("sequence", b.Sequence))
	if unkept != nil {
		d.Log.Error("a policy is in force that could not be kept for the next start", zap.Error(unkept))
	}
}

// refused tells of a bundle that is not taken.
func (d *Desk) refused(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // it is followed no more
	}
	e := audit.Event{Type: audit.PolicyRefused}
	for _, code := range deliver.Codes(err) {
		d.Telemetry.Bundle(ctx, code)
		e.Reasons = append(e.Reasons, gateway.Reason(code))
	}
	d.Log.Error("a delivered policy is refused; what is in force stays", zap.Error(err))
	d.failed(d.Note(ctx, e))
}

func (d *Desk) failed(err error) {
	if err != nil {
		d.Log.Error("the delivery of policy", zap.Error(err))
	}
}
