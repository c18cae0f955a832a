package delivery

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/deliver"
	"mcp-gateway/telemetry"
)

// Options are whom a Desk tells, and what it says of the gateway.
type Options struct {
	Log       *zap.Logger
	Telemetry *telemetry.Telemetry // nil: nobody hears it
	Replica   string
	Version   string
	// Note puts an event on record.
	Note func(context.Context, audit.Event) error
	// Adopt puts a policy in force if may says that it still may be, and calls took
	// once it is. What else puts a policy in force does not come in between.
	Adopt func(ctx context.Context, p *check.Policy, may func() error, took func()) error
}

func (d *Desk) follower(ctx context.Context, s *deliver.Set) deliver.Follower {
	return deliver.Follower{
		Adopt: func(ctx context.Context, j *deliver.Joined) error {
			return d.Adopt(ctx, j.Policy, func() error {
				switch {
				case ctx.Err() != nil || !d.follows(s):
					return context.Canceled
				case !s.Fits(j):
					return deliver.ErrStale
				}
				return nil
			}, func() { d.took(s, j) })
		},
		Refused: func(name string, err error) {
			if !errors.Is(err, context.Canceled) {
				d.refused(ctx, name, err)
			}
		},
		Away: func(name string, err error) {
			d.Telemetry.Bundle(ctx, deliver.CodeService)
			d.Log.Warn("the bundle service gives no policy; what is in force stays", zap.String("bundle", name), zap.Error(err))
		},
		Asked: func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.current != nil && d.current.set == s {
				d.report(s)
			}
		},
	}
}

// took tells of a policy that is in force.
func (d *Desk) took(s *deliver.Set, j *deliver.Joined) {
	unkept := s.Take(j)
	d.Telemetry.Bundle(context.Background(), "")
	for name, b := range j.Members {
		d.Log.Info("policy delivered", zap.String("bundle", name), zap.String("revision", b.Revision), zap.String("label", b.Label), zap.Int64("sequence", b.Sequence))
	}
	if unkept != nil {
		d.Log.Error("a policy is in force that could not be kept for the next start", zap.Error(unkept))
	}
}

// refused tells of a bundle that is not taken, by its name; "" where several that were
// kept do not fit each other any more.
func (d *Desk) refused(ctx context.Context, name string, err error) {
	if ctx.Err() != nil {
		return // it is followed no more
	}
	e := audit.Event{Type: audit.PolicyRefused, Bundle: audit.Ident(name)}
	for _, code := range deliver.Codes(err) {
		d.Telemetry.Bundle(ctx, code)
		e.Reasons = append(e.Reasons, gateway.Reason(code))
	}
	d.Log.Error("a delivered policy is refused; what is in force stays", zap.String("bundle", name), zap.Error(err))
	d.failed(d.Note(ctx, e))
}

// report tells who is to hear it how the bundles stand.
func (d *Desk) report(s *deliver.Set) { d.reporter.Tell(s.Status()) }

func (d *Desk) unreported(err error) {
	d.Log.Warn("how the bundles stand could not be reported", zap.Error(err))
}

func (d *Desk) failed(err error) {
	if err != nil {
		d.Log.Error("the delivery of policy", zap.Error(err))
	}
}
