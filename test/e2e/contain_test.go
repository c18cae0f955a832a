package e2e

import (
	"context"
	"errors"
	"sync"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/auth"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/test/stage"
)

var clean = protocol.Incoming{Sent: true, Result: []byte(stage.Text(`"done"`))}

// brittle panics for those who ask for it.
type brittle struct{ proxy.Identifier }

func (b brittle) Identify(ctx context.Context, r auth.Request) (*gateway.Principal, error) {
	if r.Header.Get("X-Break") == "identify" {
		panic("identify: canary-of-a-panic")
	}
	return b.Identifier.Identify(ctx, r)
}

// TestPanics lets parts of the corridor panic: that one request fails, with a
// code that tells nothing, and one under way at the same time does not notice.
func TestPanics(t *testing.T) {
	t.Parallel()
	held := newGate()
	up := played{call: func(ctx context.Context, out protocol.Outgoing) (protocol.Incoming, error) {
		switch out.Name {
		case "break":
			panic(errors.New("call: canary-of-a-panic"))
		case "hold":
			held.wait(ctx)
		}
		return clean, nil
	}}
	b := newBench(t, up, []string{stage.Tool("break"), stage.Tool("hold"), stage.Tool("plain")},
		func(w *proxy.World) { w.Identifier = brittle{w.Identifier} })
	t.Cleanup(held.release)

	var background sync.WaitGroup
	background.Go(func() {
		r, err := b.host("alice").Calling("up__hold", `{}`).Do(t.Context())
		if err != nil || r.Status != 200 || r.Code() != "" {
			t.Errorf("the call beside the panics: %v %+v", err, r)
		}
	})
	<-held.arrived

	r := b.host("alice").Call(t, "up__break", `{}`)
	if r.Status != 200 || !r.IsError() || r.Code() != string(gateway.CodeInternal) {
		t.Errorf("a panic in a call: %d %s", r.Status, r.Body)
	}
	tellsNothing(t, r)
	rows := b.rows(t)
	if last := rows[len(rows)-1]; last.Type != audit.ToolDecided || last.Code != gateway.CodeInternal || last.Outcome != gateway.OutcomeUnknown {
		t.Errorf("on record: %+v", last)
	}
	r = b.host("alice").Calling("up__plain", `{}`).With("X-Break", "identify").Send(t)
	if r.Status != 500 || r.RPC() != -32603 || r.Code() != string(gateway.CodeInternal) {
		t.Errorf("a panic before anybody is known: %d %s", r.Status, r.Body)
	}
	tellsNothing(t, r)
	if r := b.host("alice").Call(t, "up__plain", `{}`); r.Status != 200 || r.Code() != "" {
		t.Errorf("after the panics: %d %s", r.Status, r.Body)
	}
	held.release()
	background.Wait()
}

func tellsNothing(t *testing.T, r *stage.Reply) {
	t.Helper()
	for _, word := range []string{"canary", "goroutine", ".go:", "panic"} {
		if contains(r.Body, word) {
			t.Errorf("the answer tells of %q: %s", word, r.Body)
		}
	}
}

// TestThrottle fills all slots of one principal: its next call is told when to
// come back and only counted, and another principal is served.
func TestThrottle(t *testing.T) {
	t.Parallel()
	held := newGate()
	up := played{call: func(ctx context.Context, out protocol.Outgoing) (protocol.Incoming, error) {
		if out.Name == "hold" {
			held.wait(ctx)
		}
		return clean, nil
	}}
	b := newBench(t, up, []string{stage.Tool("hold"), stage.Tool("plain")}, func(w *proxy.World) { w.Limits.InFlight = 2 })
	t.Cleanup(held.release)
	ctx, stop := context.WithCancel(t.Context())
	counting := make(chan struct{})
	go func() { b.gateway.Run(ctx); close(counting) }()

	var background sync.WaitGroup
	for range 2 {
		background.Go(func() {
			if r, err := b.host("alice").Calling("up__hold", `{}`).Do(t.Context()); err != nil || r.Code() != "" {
				t.Errorf("a call within the limit: %v %+v", err, r)
			}
		})
		<-held.arrived
	}
	const refused = 3
	for range refused {
		r := b.host("alice").Call(t, "up__plain", `{}`)
		if r.Status != 429 || r.Code() != string(gateway.CodeRateLimited) || r.Header.Get("Retry-After") != "1" {
			t.Errorf("beyond the limit: %d %v %s", r.Status, r.Header, r.Body)
		}
	}
	if r := b.host("bob").Call(t, "up__plain", `{}`); r.Status != 200 || r.Code() != "" {
		t.Errorf("another principal: %d %s", r.Status, r.Body)
	}
	held.release()
	background.Wait()
	if r := b.host("alice").Call(t, "up__plain", `{}`); r.Code() != "" {
		t.Errorf("once there is room again: %s", r.Body)
	}
	stop()
	<-counting // what was counted is on record now
	counted, calls := 0, 0
	for _, row := range b.rows(t) {
		switch row.Type {
		case audit.RefusedCounted:
			counted += int(row.Count)
			if row.Code != gateway.CodeRateLimited {
				t.Errorf("counted as %q", row.Code)
			}
		default:
			calls++
		}
	}
	if counted != refused || calls != 4 {
		t.Errorf("%d refusals counted, %d calls on record; want %d and 4", counted, calls, refused)
	}
}

// TestFullUpstream fills the slots of one upstream: its callers are refused as
// unavailable, each on record.
func TestFullUpstream(t *testing.T) {
	t.Parallel()
	held := newGate()
	up := played{call: func(ctx context.Context, _ protocol.Outgoing) (protocol.Incoming, error) {
		held.wait(ctx)
		return clean, nil
	}}
	b := newBench(t, up, []string{stage.Tool("hold")}, func(w *proxy.World) { w.Limits.PerUpstream = 1 })
	t.Cleanup(held.release)
	var background sync.WaitGroup
	background.Go(func() {
		if r, err := b.host("alice").Calling("up__hold", `{}`).Do(t.Context()); err != nil || r.Code() != "" {
			t.Errorf("the first call: %v %+v", err, r)
		}
	})
	<-held.arrived
	r := b.host("bob").Call(t, "up__hold", `{}`)
	if r.Status != 200 || r.Code() != string(gateway.CodeUnavailable) || r.Get("/_meta/mcp-gateway~1error/reasons") != `["busy"]` {
		t.Errorf("the second call: %d %s", r.Status, r.Body)
	}
	rows := b.rows(t)
	if last := rows[len(rows)-1]; last.Type != audit.ToolRefused || last.Code != gateway.CodeUnavailable {
		t.Errorf("on record: %+v", last)
	}
	held.release()
	background.Wait()
}
