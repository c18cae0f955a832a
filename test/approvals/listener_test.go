package approvals

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"mcp-gateway/admin/client"
	gateways "mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/test/stage"
)

// take has the address of the operators' listener.
func take(t *testing.T, s *stage.Stage) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", strings.TrimPrefix(s.Admin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// An address that another process has is asked for until it is free; meanwhile readiness
// says so, and the gateway is ready.
func TestTheListenerWaitsForItsAddress(t *testing.T) {
	const waiting = "operators not_listening reason=address_in_use"
	status := make(chan net.Addr, 1)
	var taken net.Listener
	_, s := open(t, stage.Options{
		Listen: "status: 127.0.0.1:0", OnStatus: func(a net.Addr) { status <- a },
		Before: func(s *stage.Stage) { taken = take(t, s) },
	})
	told := "http://" + (<-status).String() + "/readyz?verbose"
	says := func() string {
		r, err := http.Get(told)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%d %v", r.StatusCode, err)
		}
		return string(body)
	}
	stage.Await(t, "word of the address that is in use", func() bool { return strings.Contains(says(), waiting) })
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	stage.Await(t, "the listener", func() bool { return !strings.Contains(says(), waiting) })
	if r := s.AskAdmin(t, "vera", "GET", "/v1/status", ""); r.Status != http.StatusOK {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}

// A gateway that serves the one host which started it has its socket, and leaves the
// listener's address to who serves for good.
func TestStdioLeavesTheListenerAlone(t *testing.T) {
	_, s := open(t, stage.Options{Auth: "stdio: {subject: local, scopes: [use]}"})
	asked(t, s, "")
	s.Stop()
	stage.Await(t, "the end of the socket", func() bool { return client.Find(s.Path("var"), "") == nil })
	g, err := gateways.Open(t.Context(), gateways.Options{ConfigPath: s.Path("upstreams.yaml"), Version: stage.Version})
	if err != nil {
		t.Fatal(err)
	}
	in, host := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- g.ServeStdio(t.Context(), in, io.Discard, "") }()
	asked(t, s, "")
	take(t, s)
	_ = host.Close() // the host has gone
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := g.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}
