package telemetry

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/semconv/v1.41.0/mcpconv"
)

// measures are the instruments. Those of MCP have the names of the conventions;
// ours begin with mcp_gateway.
type measures struct {
	served      mcpconv.ServerOperationDuration
	sent        mcpconv.ClientOperationDuration
	decision    metric.Int64Counter
	notes       metric.Int64Counter
	policy      metric.Float64Histogram
	redacted    metric.Int64Counter
	unheard     metric.Int64Counter
	drift       metric.Int64Counter
	reloaded    metric.Int64Gauge
	delivered   metric.Float64Gauge
	undelivered metric.Int64Counter
	up          metric.Int64Gauge
	seals       metric.Int64Counter
	retries     metric.Int64Counter
}

// callBuckets are those that the conventions ask for, in seconds.
func callBuckets() metric.HistogramOption {
	return metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
}

func newMeasures(m metric.Meter) (measures, error) {
	var x measures
	var err [14]error
	x.served, err[0] = mcpconv.NewServerOperationDuration(m, callBuckets())
	x.sent, err[1] = mcpconv.NewClientOperationDuration(m, callBuckets())
	x.decision, err[2] = m.Int64Counter("mcp_gateway.policy.decisions", metric.WithDescription("Decisions of policy, by effect and first reason."))
	x.policy, err[3] = m.Float64Histogram("mcp_gateway.policy.eval.duration", metric.WithUnit("s"),
		metric.WithDescription("How long policy took to decide a call."), metric.WithExplicitBucketBoundaries(0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1))
	x.redacted, err[4] = m.Int64Counter("mcp_gateway.redactions", metric.WithDescription("Secrets taken out of answers, by rule."))
	x.unheard, err[5] = m.Int64Counter("mcp_gateway.audit.write.failures", metric.WithDescription("Calls refused because they could not be put on record."))
	x.drift, err[6] = m.Int64Counter("mcp_gateway.schema.drift", metric.WithDescription("Definitions that were found changed, by upstream."))
	x.reloaded, err[7] = m.Int64Gauge("mcp_gateway.config.last_reload_successful", metric.WithDescription("1 if the last reload was taken, 0 if the old configuration stayed."))
	x.up, err[8] = m.Int64Gauge("mcp_gateway.upstream.up", metric.WithDescription("1 if the upstream answered last, by upstream."))
	x.seals, err[9] = m.Int64Counter("mcp_gateway.audit.checkpoint.failures", metric.WithDescription("Checkpoints that were not made or not taken to their second place at the first try."))
	x.delivered, err[10] = m.Float64Gauge("mcp_gateway.policy.bundle.last_success", metric.WithUnit("s"), metric.WithDescription("When a delivered policy last came in force, in seconds since 1970."))
	x.undelivered, err[11] = m.Int64Counter("mcp_gateway.policy.bundle.failures", metric.WithDescription("Bundles that were refused, and times in which the service gave none, by code."))
	x.retries, err[12] = m.Int64Counter("mcp_gateway.upstream.retries", metric.WithDescription("Calls that were sent to their upstream again after it had not answered, by upstream."))
	x.notes, err[13] = m.Int64Counter("mcp_gateway.policy.noted", metric.WithDescription("What rules in mode warn or audit would have said, by mode and reason."))
	return x, errors.Join(err[:]...)
}

// Reloaded tells whether a reload was taken.
func (t *Telemetry) Reloaded(ctx context.Context, ok bool) {
	if t != nil {
		t.reloaded.Record(ctx, one(ok))
	}
}

// Bundle tells of a policy that was delivered: "" for one that is in force now, else
// the code of what is wrong.
func (t *Telemetry) Bundle(ctx context.Context, code string) {
	switch {
	case t == nil:
	case code == "":
		t.delivered.Record(ctx, float64(time.Now().UnixMilli())/1000)
	default:
		t.undelivered.Add(ctx, 1, metric.WithAttributes(attribute.String("code", code)))
	}
}

// Upstream tells whether an upstream of the configuration answers.
func (t *Telemetry) Upstream(ctx context.Context, id string, up bool) {
	if t != nil {
		t.up.Record(ctx, one(up), metric.WithAttributes(attribute.String("upstream", id)))
	}
}

// Drift tells how many definitions of an upstream were found changed.
func (t *Telemetry) Drift(ctx context.Context, id string, changed int) {
	if t != nil && changed > 0 {
		t.drift.Add(ctx, int64(changed), metric.WithAttributes(attribute.String("upstream", id)))
	}
}

// SealFailed tells that a checkpoint was not made or not exported.
func (t *Telemetry) SealFailed(ctx context.Context) {
	if t != nil {
		t.seals.Add(ctx, 1)
	}
}

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}
