package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// TestTLS serves hosts over TLS, and takes a renewed certificate up without a restart:
// whole, since a certificate without its key changes nothing.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, text []byte) { fatal(t, os.WriteFile(filepath.Join(dir, name), text, 0o600)) }
	chain, key := stage.Certificate(t, 1)
	write("cert.pem", chain)
	write("key.pem", key)
	write("upstreams.yaml", []byte("version: 1\nlisten: {mcp: 127.0.0.1:0, tls: {certificate: cert.pem, key: file:key.pem}}\n"))
	g, err := run.Open(t.Context(), run.Options{ConfigPath: filepath.Join(dir, "upstreams.yaml"), Version: stage.Version})
	fatal(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() { done <- g.Serve(ctx, func(a net.Addr) { ready <- a }) }()
	t.Cleanup(func() {
		stop()
		fatal(t, errors.Join(<-done, g.Close(context.Background())))
	})
	addr := (<-ready).String()

	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(chain)
	if state := greet(t, addr, roots); state.Version < tls.VersionTLS12 || state.PeerCertificates[0].SerialNumber.Int64() != 1 || state.NegotiatedProtocol != "http/1.1" {
		t.Errorf("%d, serial %d, %q", state.Version, state.PeerCertificates[0].SerialNumber, state.NegotiatedProtocol)
	}
	if old, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is spoken")
		old.Close()
	}
	if plain, err := http.Get("http://" + addr + "/mcp"); err != nil || plain.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS: %v, %v", plain, err)
	} else if said, err := io.ReadAll(plain.Body); err != nil || !strings.Contains(string(said), "https://") {
		t.Errorf("without TLS it is told %q, %v", said, err)
	}

	renewed, its := stage.Certificate(t, 2)
	roots.AppendCertsFromPEM(renewed)
	write("cert.pem", renewed)
	var problems gateway.Problems
	if err := g.Reload(t.Context()); !errors.As(err, &problems) || problems[0].Code != "bad_certificate" {
		t.Errorf("a certificate without its key: %v", err)
	}
	if state := greet(t, addr, roots); state.PeerCertificates[0].SerialNumber.Int64() != 1 {
		t.Error("half a renewal was taken up")
	}
	write("key.pem", its)
	stage.Await(t, "the renewed certificate is shown", func() bool { return greet(t, addr, roots).PeerCertificates[0].SerialNumber.Int64() == 2 })
}

// greet connects as a host does that verifies whom it speaks to, and is refused by
// the gateway itself: it shows no key.
func greet(t *testing.T, addr string, roots *x509.CertPool) tls.ConnectionState {
	t.Helper()
	conn, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: roots, NextProtos: []string{"h2", "http/1.1"}})
	fatal(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("POST /mcp HTTP/1.1\r\nHost: " + addr + "\r\nContent-Length: 2\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n{}"))
	fatal(t, err)
	head := make([]byte, len("HTTP/1.1 401"))
	if _, err := conn.Read(head); err != nil || string(head) != "HTTP/1.1 401" {
		t.Fatalf("%s, %v", head, err)
	}
	return conn.ConnectionState()
}
