package tell

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-gateway/egress"
	"mcp-gateway/telemetry"
)

func hits(n *atomic.Int32) http.HandlerFunc {
	return func(http.ResponseWriter, *http.Request) { n.Add(1) }
}

// A receiver is reached as it is named, in clear or by its own certificate, and not by way of
// a redirect or of a proxy.
func TestReceiverIsReachedThroughTheGuard(t *testing.T) {
	var came, strayed atomic.Int32
	stray := httptest.NewServer(hits(&strayed))
	defer stray.Close()
	open, secret := httptest.NewServer(hits(&came)), httptest.NewTLSServer(hits(&came))
	defer open.Close()
	defer secret.Close()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secret.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	astray := httptest.NewServer(http.RedirectHandler(stray.URL, http.StatusTemporaryRedirect))
	defer astray.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		t.Setenv(name, stray.URL)
	}
	for _, c := range []struct {
		name, url, roots string
		arrives          bool
	}{
		{"an address", open.URL, "", true},
		{"localhost", strings.Replace(open.URL, "127.0.0.1", "localhost", 1), "", true},
		{"its own certificate", secret.URL, roots, true},
		{"a certificate of nobody", secret.URL, "", false},
		{"a redirect", astray.URL, "", false},
		{"a name, with a proxy about", "http://collector.invalid", "", false},
		{"a way round by name", strings.Replace(open.URL, "127.0.0.1", "2130706433", 1), "", false},
	} {
		came.Store(0)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.url)
		t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", c.roots)
		t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2000")
		t.Setenv("OTEL_TRACES_EXPORTER", "none")
		t.Setenv("OTEL_LOGS_EXPORTER", "none")
		tel, err := telemetry.New(t.Context(), telemetry.Options{Build: "v1", Replica: "r1", Export: true, Client: Reach(nil)})
		if err != nil {
			t.Fatal(c.name, err)
		}
		tel.Reloaded(t.Context(), true)
		err = tel.Close(context.Background())
		if arrived := came.Load() > 0; arrived != c.arrives || (err == nil) != c.arrives || strayed.Load() != 0 {
			t.Errorf("%s: arrived %t, %v, strayed %d", c.name, arrived, err, strayed.Load())
		}
	}
}

// The client of one receiver reaches no other inner address, unless it is of a network that
// the configuration names.
func TestReceiverIsOneHost(t *testing.T) {
	var came atomic.Int32
	s := httptest.NewServer(hits(&came))
	defer s.Close()
	for name, c := range map[string]struct {
		host     string
		networks []netip.Prefix
		arrives  bool
	}{
		"another host": {"collector.example", nil, false},
		"a network":    {"collector.example", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, true},
		"itself":       {"127.0.0.1", nil, true},
	} {
		resp, err := Reach(c.networks)(telemetry.Receiver{Host: c.host}).Get(s.URL)
		if err == nil {
			resp.Body.Close()
		}
		if (err == nil) != c.arrives || err != nil && !errors.Is(err, egress.ErrAddress) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
