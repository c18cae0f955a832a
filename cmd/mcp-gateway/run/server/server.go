package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"mcp-gateway/config/listen"
	"mcp-gateway/proxy/door"
)

// Bounds of the HTTP server. Fronts bound the reading of bodies, calls bound
// answers.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	headerBytes   = 64 << 10
	drainTime     = 20 * time.Second
)

// soon is how long before its end a certificate is spoken of.
const soon = 14 * 24 * time.Hour

// Options are what a Server needs besides a certificate.
type Options struct {
	Handler http.Handler
	Log     *zap.Logger
	Clock   func() time.Time
	Ending  []func() // called when serving begins to end, such as closing long streams
}

// Server serves hosts. Its certificate can be replaced while it does.
type Server struct {
	pair  atomic.Pointer[tls.Certificate]
	bound net.Listener // nil: not yet, or served
}

// Bind takes the port, where it is not taken yet; until it is served, hosts wait.
func (s *Server) Bind(ctx context.Context, addr string) (err error) {
	if s.bound == nil {
		s.bound, err = (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	}
	return err
}

// Addr is what was bound.
func (s *Server) Addr() net.Addr { return s.bound.Addr() }

// Release gives up a port that was not served.
func (s *Server) Release() error {
	if s.bound == nil {
		return nil
	}
	return s.bound.Close()
}

// Set takes up the certificate of a configuration: hosts that connect from now on see
// it. That it ends soon is said once, and is no reason to refuse the rest of the
// configuration.
func (s *Server) Set(l *listen.Listen, o Options) {
	if l.TLS == nil {
		return
	}
	before := s.pair.Swap(&l.TLS.Pair)
	until := l.TLS.Until()
	if same := before != nil && before.Leaf.Equal(l.TLS.Pair.Leaf); !same && until.Sub(o.Clock()) < soon {
		o.Log.Warn("the certificate of listen.tls ends soon, or has ended", zap.String("until", until.UTC().Format(time.RFC3339)))
	}
}

// Serve serves hosts on what was bound until ctx ends, then lets calls under way finish.
// It returns when all have, and calls ended before it waits for them.
func (s *Server) Serve(ctx context.Context, o Options) error {
	on := s.bound
	s.bound = nil
	hosts := &http.Server{
		Handler: o.Handler, ReadHeaderTimeout: headerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: headerBytes, ErrorLog: zap.NewStdLog(o.Log),
	}
	for _, ending := range o.Ending {
		hosts.RegisterOnShutdown(ending)
	}
	var drained sync.WaitGroup
	work, stop := context.WithCancel(ctx)
	drained.Go(func() {
		<-work.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		if err := hosts.Shutdown(drain); err != nil {
			_ = hosts.Close() // what did not finish in time is cut; the journal says so
		}
	})
	err := door.Serve(hosts, s.secure(on))
	stop()
	drained.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// secure speaks TLS on the listener where there is a certificate; over it HTTP/1.1, as
// without.
func (s *Server) secure(on net.Listener) net.Listener {
	if s.pair.Load() == nil {
		return on
	}
	return secured{tls.NewListener(on, &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.pair.Load(), nil },
	})}
}
