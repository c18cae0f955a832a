package telemetry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"mcp-gateway/gateway"
)

// receiver is one of OTLP/HTTP.
type receiver struct {
	mu     sync.Mutex
	bodies map[string][][]byte
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{bodies: map[string][][]byte{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies[req.URL.Path] = append(r.bodies[req.URL.Path], body)
	}))
	t.Cleanup(s.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	return r
}

func anyClient(Receiver) *http.Client { return http.DefaultClient }

func call() *Call {
	return &Call{
		Method: "tools/call", Known: true, Tool: "incident__create_ticket", Named: true, HTTP: true, Revision: "2026-07-28",
		Upstream: "incident", Began: time.Unix(100, 0), Took: 30 * time.Millisecond, Sent: time.Unix(100, 5_000_000),
		Waited: 20 * time.Millisecond, Decided: time.Millisecond, Effect: gateway.Allow, Reason: "scopes_held",
		Redactions:  map[string]int{"aws_access_key": 2},
		TraceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	}
}

// A receiver of OTLP gets two spans of a call, beneath the host's, and the
// metrics of the conventions.
func TestOTLP(t *testing.T) {
	r := newReceiver(t)
	if !FromEnvironment() {
		t.Fatal("the receiver is not seen")
	}
	tel, err := New(t.Context(), Options{Build: "v1", Replica: "r1", Export: true, Client: anyClient})
	if err != nil {
		t.Fatal(err)
	}
	tel.Settled(t.Context(), call())
	if err := tel.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	var traces tracepb.ExportTraceServiceRequest
	if err := proto.Unmarshal(r.bodies["/v1/traces"][0], &traces); err != nil {
		t.Fatal(err)
	}
	spans := traces.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	for _, s := range spans {
		if s.Name != "tools/call incident__create_ticket" || strings.ToLower(hexOf(s.TraceId)) != "4bf92f3577b34da6a3ce929d0e0e4736" {
			t.Errorf("span %v", s)
		}
	}
	var metrics metricspb.ExportMetricsServiceRequest
	if err := proto.Unmarshal(r.bodies["/v1/metrics"][0], &metrics); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range metrics.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		names[m.Name] = true
	}
	for _, want := range []string{"mcp.server.operation.duration", "mcp.client.operation.duration", "mcp_gateway.policy.decisions", "mcp_gateway.redactions"} {
		if !names[want] {
			t.Errorf("%s is missing in %v", want, names)
		}
	}
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var out strings.Builder
	for _, c := range b {
		out.WriteByte(digits[c>>4])
		out.WriteByte(digits[c&15])
	}
	return out.String()
}

// Names that no reviewer approved and methods that are not known are one label.
func TestLabels(t *testing.T) {
	tel, err := New(t.Context(), Options{Scrape: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tel.Close(context.Background())
	tel.Settled(t.Context(), call())
	tel.Settled(t.Context(), &Call{Method: "tools/call", Known: true, Named: true, Code: gateway.CodeUnknownTool})
	tel.Settled(t.Context(), &Call{Method: "evil/one", Code: gateway.CodeUnknownMethod})
	tel.Settled(t.Context(), &Call{Method: "prompts/get", Known: true, Prompt: "incident__triage", Code: gateway.CodeBusinessError})
	tel.Reloaded(t.Context(), false)
	tel.Upstream(t.Context(), "incident", true)
	tel.Drift(t.Context(), "incident", 2)
	tel.SealFailed(t.Context())
	text := scrape(t, &Health{Telemetry: tel}, "/metrics")
	for _, want := range []string{
		`mcp_server_operation_duration_seconds_count{`, `gen_ai_tool_name="incident__create_ticket"`, `gen_ai_tool_name="_OTHER"`,
		`mcp_method_name="_OTHER"`, `gen_ai_prompt_name="incident__triage"`, `error_type="tool_error"`,
		`mcp_gateway_policy_decisions_total{effect="allow",reason="scopes_held"} 1`, `mcp_gateway_redactions_total{rule="aws_access_key"} 2`,
		`mcp_gateway_config_last_reload_successful 0`, `mcp_gateway_upstream_up{upstream="incident"} 1`,
		`mcp_gateway_schema_drift_total{upstream="incident"} 2`, `mcp_gateway_audit_checkpoint_failures_total 1`,
		`le="0.01"`, `le="300"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, "evil") {
		t.Error("a method that is not known is a label")
	}
}

func scrape(t *testing.T, h *Health, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodGet, path, nil)
	req.Host = "127.0.0.1:9464"
	h.Handler().ServeHTTP(w, req)
	return w.Body.String()
}

func TestNoneIsForNothing(t *testing.T) {
	tel, err := New(t.Context(), Options{})
	if tel != nil || err != nil {
		t.Fatal(tel, err)
	}
	tel.Settled(t.Context(), call())
	tel.Reloaded(t.Context(), true)
	if err := tel.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestHealth(t *testing.T) {
	var broken error
	h := &Health{
		Checks: []Check{{"config", func(context.Context) error { return nil }}, {"journal", func(context.Context) error { return broken }}},
		Status: func() any { return map[string]string{"version": "v1"} },
	}
	for _, c := range []struct {
		name, host, path string
		err              error
		status           int
		body             string
	}{
		{"alive", "localhost:1", "/livez", nil, 200, "ok"},
		{"ready", "127.0.0.1:1", "/readyz", nil, 200, "ok"},
		{"verbose", "127.0.0.1:1", "/readyz?verbose", nil, 200, "journal ok"},
		{"not ready", "[::1]:1", "/readyz", errors.New("secret cause"), 503, "journal failed"},
		{"status", "127.0.0.1", "/status", nil, 200, `"version":"v1"`},
		{"another name", "evil.example", "/status", nil, 403, "loopback"},
		{"no metrics", "127.0.0.1", "/metrics", nil, 404, ""},
		{"nothing else", "127.0.0.1", "/", nil, 404, ""},
	} {
		broken = c.err
		w := httptest.NewRecorder()
		req := httptest.NewRequest(http.MethodGet, c.path, nil)
		req.Host = c.host
		h.Handler().ServeHTTP(w, req)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.body) || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
	}
}

// What the environment says of a receiver is taken, for one signal before all; what names
// nobody fails at once.
func TestReceiver(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		host string
		wait time.Duration
		ok   bool
	}{
		"for all":        {map[string]string{"ENDPOINT": "https://collector.example:4318"}, "collector.example", 10 * time.Second, true},
		"for one":        {map[string]string{"ENDPOINT": "https://collector.example", "TRACES_ENDPOINT": "http://[::1]:4318/v1/traces", "TRACES_TIMEOUT": "1500"}, "::1", 1500 * time.Millisecond, true},
		"no host":        {map[string]string{"ENDPOINT": "collector:4318"}, "", 10 * time.Second, false},
		"no URL":         {map[string]string{"ENDPOINT": "http://[::1"}, "", 10 * time.Second, false},
		"no certificate": {map[string]string{"ENDPOINT": "https://collector.example", "CERTIFICATE": "/dev/null"}, "collector.example", 10 * time.Second, false},
		"no key":         {map[string]string{"ENDPOINT": "https://collector.example", "CLIENT_CERTIFICATE": "/dev/null", "CLIENT_KEY": "/dev/null"}, "collector.example", 10 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv("OTEL_EXPORTER_OTLP_"+k, v)
			}
			r, err := receiverOf("TRACES")
			if r.Host != c.host || r.Timeout != c.wait || (err == nil) != c.ok {
				t.Errorf("%+v, %v", r, err)
			}
			tel, err := New(t.Context(), Options{Export: true, Client: anyClient})
			if (err == nil) != c.ok {
				t.Errorf("opened: %v", err)
			}
			tel.Close(context.Background())
			if tel, err := New(t.Context(), Options{Export: true}); err == nil || tel != nil {
				t.Errorf("opened without a client")
			}
		})
	}
}
