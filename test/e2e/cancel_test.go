package e2e

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// TestHostLeavesHTTP lets a host hang up in the middle of a call: the upstream's
// request ends, and the call is settled on record.
func TestHostLeavesHTTP(t *testing.T) {
	t.Parallel()
	arrived, ended := make(chan struct{}), make(chan struct{})
	wait := func(w http.ResponseWriter, r *http.Request, _ stage.Message) {
		arrived <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	}
	peer := stage.NewPeer().Add(stage.Tool("read"), wait).Add(stage.Tool("write"), wait).Add(stage.Tool("good"), stage.Result(`{}`))
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "up", peer)},
		Review: func(id toolID) string {
			if strings.HasSuffix(id.String(), "write") {
				return stage.Write("use")
			}
			return stage.Read("use")
		},
	})
	for tool, want := range map[string]struct {
		code    gateway.Code
		outcome gateway.Outcome
	}{
		"up__read":  {gateway.CodeCancelled, gateway.OutcomeFailed},
		"up__write": {gateway.CodeOutcomeUnknown, gateway.OutcomeUnknown}, // it may have run
	} {
		leave(t, s, tool, arrived)
		within(t, ended)
		settled(t, s, tool, want.code, want.outcome)
	}
	if r := s.Host("alice").Call(t, "up__good", `{}`); r.Code() != "" {
		t.Errorf("afterwards: %s", r.Body)
	}
}

// leave calls a tool and goes away once the call has arrived upstream.
func leave(t *testing.T, s *stage.Stage, tool string, arrived <-chan struct{}) {
	t.Helper()
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := s.Host("alice").Calling(tool, `{}`).Do(ctx)
		gone <- err
	}()
	within(t, arrived)
	hangUp()
	if err := <-gone; err == nil {
		t.Errorf("%s was answered", tool)
	}
}

// within waits for what must come soon.
func within(t *testing.T, c <-chan struct{}) {
	t.Helper()
	came := false
	stage.Await(t, "the upstream's side", func() bool {
		select {
		case <-c:
			came = true
		default:
		}
		return came
	})
}

// settled waits for the call's end to be on record.
func settled(t *testing.T, s *stage.Stage, tool string, code gateway.Code, outcome gateway.Outcome) {
	t.Helper()
	stage.Await(t, tool+" is settled on record", func() bool {
		rows := s.Rows(t, audit.Filter{Tool: audit.Ident(tool), Type: audit.ToolDecided})
		return len(rows) == 1 && rows[0].Settled.Seq > 0 && rows[0].Code == code && rows[0].Outcome == outcome
	})
}

// TestHostLeavesStdio is the same over stdio, where the upstream is told with the
// id of our own request.
func TestHostLeavesStdio(t *testing.T) {
	t.Parallel()
	heard := t.TempDir() + "/heard"
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Process("up", "waits", heard)}})
	lines := func() []string {
		text, err := os.ReadFile(heard)
		if err != nil {
			return nil
		}
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		r := s.Host("alice").Calling("up__wait", `{}`)
		r.ID = `"of the host"`
		_, err := r.Do(ctx)
		gone <- err
	}()
	stage.Await(t, "the call arrives", func() bool { return len(lines()) == 1 })
	hangUp()
	if err := <-gone; err == nil {
		t.Error("it was answered")
	}
	stage.Await(t, "the cancellation arrives", func() bool { return len(lines()) == 2 })
	call, cancel := strings.Fields(lines()[0]), lines()[1]
	if call[0] != "tools/call" || !strings.HasPrefix(cancel, "notifications/cancelled") || !strings.Contains(cancel, `"requestId":`+call[1]) {
		t.Errorf("the upstream heard %q", lines())
	}
	if strings.Contains(strings.Join(lines(), ""), "of the host") {
		t.Errorf("the host's id was passed on: %q", lines())
	}
	settled(t, s, "up__wait", gateway.CodeCancelled, gateway.OutcomeFailed)
}
