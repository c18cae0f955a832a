package telemetry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

// Receiver is whom the environment names for one signal: what a client must know to
// reach that one and no other.
type Receiver struct {
	Host    string        // of its URL, without port
	TLS     *tls.Config   // as OTEL_EXPORTER_OTLP_[…_]CERTIFICATE, …CLIENT_CERTIFICATE and …CLIENT_KEY say; nil = the system's
	Timeout time.Duration // of one exchange
}

// timeout is that of the specification of the exporters, where none is said.
const timeout = 10 * time.Second

var (
	errNoClient = errors.New("nothing to reach a receiver of OTLP by")
	errNoHost   = errors.New("the receiver of OTLP has no host")
	errNoRoots  = errors.New("no certificate in the file")
)

// client returns the one by which a signal leaves.
func (o Options) client(signal string) (*http.Client, error) {
	r, err := receiverOf(signal)
	if err == nil && o.Client == nil {
		err = errNoClient
	}
	if err != nil {
		return nil, fmt.Errorf("telemetry: %s: %w", signal, err)
	}
	return o.Client(r), nil
}

// said returns the value of a variable of the exporters, by its name for a signal or else for all.
func said(signal, name string) string {
	if v := os.Getenv("OTEL_EXPORTER_OTLP_" + signal + "_" + name); v != "" {
		return v
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_" + name)
}

// receiverOf reads the environment as the exporters do. They take only what a client
// of their own would not know: path, headers, compression.
func receiverOf(signal string) (Receiver, error) {
	r := Receiver{Timeout: timeout}
	to, err := url.Parse(said(signal, "ENDPOINT"))
	if err != nil {
		return r, errNoHost // the error would hold the whole of it, credentials too
	}
	if r.Host = to.Hostname(); r.Host == "" {
		return r, errNoHost
	}
	if ms, err := strconv.Atoi(said(signal, "TIMEOUT")); err == nil && ms > 0 {
		r.Timeout = time.Duration(ms) * time.Millisecond
	}
	roots, own, key := said(signal, "CERTIFICATE"), said(signal, "CLIENT_CERTIFICATE"), said(signal, "CLIENT_KEY")
	if roots == "" && (own == "" || key == "") {
		return r, nil
	}
	r.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	if roots != "" {
		pem, err := os.ReadFile(roots)
		if err != nil {
			return r, err
		}
		r.TLS.RootCAs = x509.NewCertPool()
		if !r.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return r, fmt.Errorf("%s: %w", roots, errNoRoots)
		}
	}
	if own != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(own, key)
		if err != nil {
			return r, err
		}
		r.TLS.Certificates = []tls.Certificate{pair}
	}
	return r, nil
}
