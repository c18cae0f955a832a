package signs

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"mcp-gateway/telemetry"
)

// Bounds of the listener: what is asked here is short.
const (
	headerTimeout = 5 * time.Second
	answerTimeout = 10 * time.Second
	headerBytes   = 8 << 10
)

// Serve serves health, metrics and status on the address until ctx ends. ready
// is told the address; nil for nobody.
func Serve(ctx context.Context, address string, h *telemetry.Health, ready func(net.Addr)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: h.Handler(), ReadHeaderTimeout: headerTimeout, WriteTimeout: answerTimeout, MaxHeaderBytes: headerBytes,
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // nothing here must be finished
	defer stop()
	if ready != nil {
		ready(listener.Addr())
	}
	if err = server.Serve(listener); errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
