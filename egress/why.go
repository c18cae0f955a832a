package egress

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"

	"mcp-gateway/gateway"
)

// Why names why a connection failed; "connection_broken" where nothing more is known.
func Why(err error) gateway.Reason {
	var (
		dns     *net.DNSError
		op      *net.OpError
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		alert   tls.AlertError
		timeout net.Error
	)
	switch {
	case errors.Is(err, ErrAddress):
		return "dial_blocked"
	case errors.As(err, &dns):
		return "dns_failed"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "dial_refused"
	case errors.As(err, &cert), errors.As(err, &record), errors.As(err, &alert), errors.Is(err, http.ErrSchemeMismatch):
		return "tls_failed"
	case errors.As(err, &op) && op.Op == "dial":
		if op.Timeout() {
			return "dial_timeout"
		}
		return "dial_failed"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "dial_timeout"
	default:
		return "connection_broken"
	}
}
