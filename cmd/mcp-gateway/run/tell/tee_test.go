package tell

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	logpb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/protobuf/proto"

	"mcp-gateway/telemetry"
)

// A receiver of OTLP gets what the log says at the level of the moment, with its
// fields; what processes say on standard error it does not get.
func TestTee(t *testing.T) {
	var mu sync.Mutex
	var bodies [][]byte
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if bodies = append(bodies, body); err != nil || r.URL.Path != "/v1/logs" {
			t.Errorf("%s: %v", r.URL, err)
		}
	}))
	t.Cleanup(s.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", s.URL+"/v1/logs")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	tel, err := telemetry.New(t.Context(), telemetry.Options{Build: "v1", Replica: "r1", Export: telemetry.FromEnvironment(),
		Client: func(telemetry.Receiver) *http.Client { return http.DefaultClient }})
	if err != nil {
		t.Fatal(err)
	}
	var own bytes.Buffer
	level := zap.NewAtomicLevelAt(zap.WarnLevel)
	log := Tee(zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(&own), level)), tel).With(zap.String("upstream", "incident"))
	log.Info("too quiet")
	log.Warn("said", zap.Int("n", 7))
	level.SetLevel(zap.DebugLevel)
	log.Debug("said later")
	Log{Zap: log}.Stderr("incident", "what a process says")
	if err := tel.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, body := range bodies {
		var req logpb.ExportLogsServiceRequest
		if err := proto.Unmarshal(body, &req); err != nil {
			t.Fatal(err)
		}
		for _, r := range req.ResourceLogs[0].ScopeLogs[0].LogRecords {
			text := r.SeverityText + " " + r.Body.GetStringValue()
			for _, a := range r.Attributes {
				text += " " + a.Key
			}
			got = append(got, text)
		}
	}
	if want := []string{"warn said upstream n", "debug said later upstream"}; len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%q, want %q", got, want)
	}
	if !bytes.Contains(own.Bytes(), []byte("what a process says")) || bytes.Contains(own.Bytes(), []byte("too quiet")) {
		t.Errorf("the log itself: %s", own.Bytes())
	}
}

// Where nobody is to get the log, it is what it was.
func TestTeeForNobody(t *testing.T) {
	if z := zap.NewNop(); Tee(z, nil) != z {
		t.Error("another log")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_LOGS_EXPORTER", "none")
	tel, err := telemetry.New(t.Context(), telemetry.Options{Scrape: true})
	if err != nil {
		t.Fatal(err)
	}
	if z := zap.NewNop(); Tee(z, tel) != z {
		t.Error("another log")
	}
}
