package telemetry

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/semconv/v1.41.0/mcpconv"
	"go.opentelemetry.io/otel/trace"

	"mcp-gateway/gateway"
)

// other stands for a name that nobody reviewed and a method that is not known.
const other = "_OTHER"

// Call is what is told of one settled call.
type Call struct {
	Method   string // of the protocol; one that is not Known becomes "_OTHER"
	Known    bool
	Tool     string // exposed name of a reviewed tool; "" = none
	Prompt   string // exposed name of a reviewed prompt; "" = none
	Named    bool   // a name was asked for that is none of the two: "_OTHER"
	HTTP     bool   // else stdio
	Revision string
	Upstream string // the id; "" = nothing was sent
	Code     gateway.Code

	Began   time.Time
	Took    time.Duration
	Sent    time.Time     // when the upstream was asked
	Waited  time.Duration // for the upstream; 0 = nothing was sent
	Retries uint64        // how often the upstream was asked again
	Decided time.Duration // how long policy took; 0 = not asked

	Effect      gateway.Effect
	Reason      gateway.Reason   // the first
	Warned      []gateway.Reason // of rules in mode warn, which bound nothing
	Watched     []gateway.Reason // of rules in mode audit, likewise
	Redactions  map[string]int
	TraceParent string // of the host, valid; "" = none
	TraceState  string
}

// Settled takes what is told of a call. Its cost is that of the instruments; a
// nil Telemetry costs nothing.
func (t *Telemetry) Settled(ctx context.Context, c *Call) {
	if t == nil {
		return
	}
	attrs := c.attributes()
	method := mcpconv.MethodNameAttr(c.method())
	t.served.Record(ctx, c.Took.Seconds(), method, attrs...)
	if c.Waited > 0 {
		t.sent.Record(ctx, c.Waited.Seconds(), method, append(attrs, attribute.String("mcp_gateway.upstream", c.Upstream))...)
	}
	if c.Retries > 0 {
		t.retries.Add(ctx, int64(c.Retries), metric.WithAttributes(attribute.String("upstream", c.Upstream)))
	}
	if c.Effect != "" {
		t.decision.Add(ctx, 1, metric.WithAttributes(attribute.String("effect", string(c.Effect)), attribute.String("reason", string(c.Reason))))
		t.policy.Record(ctx, c.Decided.Seconds())
	}
	t.noted(ctx, "warn", c.Warned)
	t.noted(ctx, "audit", c.Watched)
	if c.Code == gateway.CodeAuditUnavailable {
		t.unheard.Add(ctx, 1)
	}
	for rule, n := range c.Redactions {
		t.redacted.Add(ctx, int64(n), metric.WithAttributes(attribute.String("rule", rule)))
	}
	if t.tracer != nil {
		t.spans(ctx, c, attrs)
	}
}

func (t *Telemetry) noted(ctx context.Context, mode string, codes []gateway.Reason) {
	for _, code := range codes {
		t.notes.Add(ctx, 1, metric.WithAttributes(attribute.String("mode", mode), attribute.String("reason", string(code))))
	}
}

func (c *Call) method() string {
	if c.Known {
		return c.Method
	}
	return other
}

// name is what stands for the tool or prompt in labels and names of spans.
func (c *Call) name() string {
	switch {
	case c.Tool != "":
		return c.Tool
	case c.Prompt != "":
		return c.Prompt
	case c.Named:
		return other
	default:
		return ""
	}
}

// attributes are the labels of the conventions. All of them have few values.
func (c *Call) attributes() []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 8)
	transport := "pipe"
	if c.HTTP {
		transport = "tcp"
	}
	attrs = append(attrs, attribute.String("network.transport", transport))
	switch {
	case c.Prompt != "":
		attrs = append(attrs, attribute.String("gen_ai.prompt.name", c.Prompt))
	case c.name() != "":
		attrs = append(attrs, attribute.String("gen_ai.tool.name", c.name()), attribute.String("gen_ai.operation.name", "execute_tool"))
	}
	if c.Revision != "" {
		attrs = append(attrs, attribute.String("mcp.protocol.version", c.Revision))
	}
	if kind := c.errorType(); kind != "" {
		attrs = append(attrs, attribute.String("error.type", kind))
	}
	return attrs
}

// errorType is the class of a failure: that of a tool's own refusal is the
// convention's, the others are our codes.
func (c *Call) errorType() string {
	if c.Code == gateway.CodeBusinessError {
		return "tool_error"
	}
	return string(c.Code)
}

// spans tells a call as two spans: towards the host, and within it towards the
// upstream. The parent is the context that the host sent in _meta.
func (t *Telemetry) spans(ctx context.Context, c *Call, attrs []attribute.KeyValue) {
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": c.TraceParent, "tracestate": c.TraceState})
	attrs = append(slices.Clip(attrs), attribute.String("mcp.method.name", c.method()))
	title := c.method()
	if name := c.name(); name != "" {
		title += " " + name
	}
	ctx, server := t.tracer.Start(ctx, title, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(c.Began), trace.WithAttributes(attrs...))
	if c.Waited > 0 {
		_, client := t.tracer.Start(ctx, title, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(c.Sent),
			trace.WithAttributes(append(attrs, attribute.String("mcp_gateway.upstream", c.Upstream))...))
		client.End(trace.WithTimestamp(c.Sent.Add(c.Waited)))
	}
	if c.Code != "" {
		server.SetStatus(codes.Error, c.errorType())
	}
	server.End(trace.WithTimestamp(c.Began.Add(c.Took)))
}
