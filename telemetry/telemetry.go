package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name under which instruments and spans stand.
const scope = "mcp-gateway"

// Options say where telemetry goes.
type Options struct {
	Build   string
	Replica string
	Scrape  bool // keep metrics for Prometheus
	Export  bool // send metrics, traces and the log by OTLP/HTTP, as the OTEL_ variables say

	// Client returns what reaches a receiver and whatever else it may; needed to export.
	Client func(Receiver) *http.Client
}

// FromEnvironment says whether the environment names a receiver of OTLP.
func FromEnvironment() bool {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return false
	}
	return sent("TRACES") || sent("METRICS") || sent("LOGS")
}

// sent says whether the environment names a receiver of a signal: of this one or of all,
// unless its exporter is "none".
func sent(signal string) bool {
	if os.Getenv("OTEL_"+signal+"_EXPORTER") == "none" {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}

// Telemetry takes what is told of calls. A nil *Telemetry takes nothing, for
// nothing. It is safe for concurrent use.
type Telemetry struct {
	measures
	tracer  trace.Tracer       // nil: no traces
	logs    log.LoggerProvider // nil: no records of the log
	scraped http.Handler       // nil: nothing to scrape
	stops   []func(context.Context) error
}

// New makes the instruments, nil where telemetry goes nowhere.
func New(ctx context.Context, o Options) (*Telemetry, error) {
	if !o.Scrape && !o.Export {
		return nil, nil
	}
	about := resource.NewSchemaless(
		attribute.String("service.name", scope), attribute.String("service.version", o.Build),
		attribute.String("service.instance.id", o.Replica),
	)
	t := &Telemetry{}
	readers := []metric.Option{metric.WithResource(about)}
	if o.Scrape {
		registry := prometheus.NewRegistry()
		exporter, err := otelprom.New(otelprom.WithRegisterer(registry), otelprom.WithoutScopeInfo())
		if err != nil {
			return nil, fmt.Errorf("telemetry: %w", err)
		}
		t.scraped = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
		readers = append(readers, metric.WithReader(exporter))
	}
	if o.Export && sent("METRICS") {
		client, err := o.client("METRICS")
		if err != nil {
			return nil, err
		}
		exporter, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithHTTPClient(client))
		if err != nil {
			return nil, fmt.Errorf("telemetry: %w", err)
		}
		readers = append(readers, metric.WithReader(metric.NewPeriodicReader(exporter)))
	}
	if o.Export && sent("TRACES") {
		if err := t.trace(ctx, o, about); err != nil {
			return nil, err
		}
	}
	if o.Export && sent("LOGS") {
		if err := t.log(ctx, o, about); err != nil {
			return nil, err
		}
	}
	provider := metric.NewMeterProvider(readers...)
	t.stops = append(t.stops, provider.Shutdown)
	var err error
	t.measures, err = newMeasures(provider.Meter(scope))
	return t, err
}

// trace begins to send spans.
func (t *Telemetry) trace(ctx context.Context, o Options, about *resource.Resource) error {
	client, err := o.client("TRACES")
	if err != nil {
		return err
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithHTTPClient(client))
	if err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	t.tracer = provider.Tracer(scope)
	t.stops = append(t.stops, provider.Shutdown)
	return nil
}

// stopTime is how long the last metrics and spans may take to leave.
const stopTime = 3 * time.Second

// Close sends what waits to be sent. What does not leave in time is lost.
func (t *Telemetry) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	var err error
	for _, stop := range t.stops {
		err = errors.Join(err, stop(ctx))
	}
	return err
}
