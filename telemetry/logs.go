package telemetry

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
)

// Scope is the name under which instruments, spans and records of the log stand.
const Scope = scope

// log begins to send records of the operator's log.
func (t *Telemetry) log(ctx context.Context, o Options, about *resource.Resource) error {
	client, err := o.client("LOGS")
	if err != nil {
		return err
	}
	exporter, err := otlploghttp.New(ctx, otlploghttp.WithHTTPClient(client))
	if err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter)), sdklog.WithResource(about))
	t.logs = provider
	t.stops = append(t.stops, provider.Shutdown)
	return nil
}

// Logs takes records of the operator's log; nil where nobody is to get them.
func (t *Telemetry) Logs() log.LoggerProvider {
	if t == nil {
		return nil
	}
	return t.logs
}
