package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/upstream"
	"mcp-gateway/upstream/child"
)

func call(name, arguments string) protocol.Outgoing {
	return protocol.Outgoing{
		Method: protocol.MethodToolsCall, Name: name, Arguments: []byte(arguments),
		Params: []byte(`{"name":` + string(protocol.AppendString(nil, name)) + ",\n \"arguments\":" + arguments + "\r\n}"),
	}
}

// refusedWith fails the test unless err is a gateway error of that code whose
// first reason is that.
func refusedWith(t *testing.T, err error, code gateway.Code, reason gateway.Reason) {
	t.Helper()
	var e *gateway.Error
	if !errors.As(err, &e) || e.Code != code || child.ReasonOf(err) != reason {
		t.Errorf("error %v, want %s %s", err, code, reason)
	}
}

func member(t *testing.T, raw []byte, pointer string) string {
	t.Helper()
	v, ok := protocol.Lookup(raw, pointer)
	if !ok {
		t.Errorf("%s not in %s", pointer, raw)
	}
	return string(v)
}

func TestModernProcess(t *testing.T) {
	facts := make(chan registry.UpstreamFact, 8)
	cfg := playing("modern")
	cfg.OnFact = func(f registry.UpstreamFact) { facts <- f }
	c := open(t, cfg)
	out := call("t", `{"n":9007199254740993,"x":1.0}`)
	out.TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	in, err := c.Call(t.Context(), out)
	if err != nil || !in.Sent || in.Error != nil {
		t.Fatalf("%+v %v", in, err)
	}
	for pointer, want := range map[string]string{
		"/seen/arguments": `{"n":9007199254740993,"x":1.0}`,
		"/seen/_meta/io.modelcontextprotocol~1protocolVersion":    `"2026-07-28"`,
		"/seen/_meta/io.modelcontextprotocol~1clientInfo":         `{"name":"mcp-gateway","version":"1.2.3"}`,
		"/seen/_meta/io.modelcontextprotocol~1clientCapabilities": `{}`,
		"/seen/_meta/traceparent":                                 `"` + out.TraceParent + `"`,
	} {
		if got := member(t, in.Result, pointer); got != want {
			t.Errorf("%s = %s, want %s", pointer, got, want)
		}
	}
	st := c.Status()
	if !st.Up || st.Era != "modern" || st.Revision != "2026-07-28" || st.ClaimedName != "played" || st.Reason != "" || st.Child.PID == 0 {
		t.Errorf("%+v", st)
	}
	if f := <-facts; !f.Up || f.ID != "up" || f.Era != "modern" || f.Revision != "2026-07-28" || f.ClaimedVersion != "7" ||
		f.Capabilities != `{"tools":{"listChanged":true}}` || f.Instructions != `"be kind"` {
		t.Errorf("%+v", f)
	}
}

func TestLegacyProcess(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		c := open(t, playing("legacy:"+revision))
		in, err := c.Call(t.Context(), call("t", `{}`))
		if err != nil || string(in.Result) != `{"seen":{"name":"t",  "arguments":{}}}` {
			t.Fatalf("%s: %s %v", revision, in.Result, err)
		}
		if st := c.Status(); st.Era != "legacy" || st.Revision != revision || st.ClaimedName != "old" || st.Child.Starts != 1 {
			t.Errorf("%+v", st)
		}
		list, err := c.List(t.Context())
		if err != nil || len(list.Tools) != 1 || list.Era != "legacy" || string(list.Instructions) != `"old ways"` {
			t.Errorf("%+v %v", list, err)
		}
	}
}

func TestSDKProcess(t *testing.T) {
	c := open(t, playing("sdk"))
	list, err := c.List(t.Context())
	if err != nil || len(list.Tools) != 1 || member(t, list.Tools[0], "/name") != `"echo"` {
		t.Fatalf("%s %v", list.Tools, err)
	}
	in, err := c.Call(t.Context(), call("echo", `{"text":"hello"}`))
	if err != nil || in.Error != nil || member(t, in.Result, "/structuredContent/echo") != `"hello"` {
		t.Fatalf("%s %+v %v", in.Result, in.Error, err)
	}
	if st := c.Status(); !st.Up || st.ClaimedName != "sdk" || st.Child.Starts != 1 {
		t.Errorf("%+v", st)
	}
	t.Logf("the SDK server over stdio is met as %s", c.Status().Revision)
}

func TestProbeSilentThenLegacy(t *testing.T) {
	cfg := playing("quiet probe")
	cfg.ProbeTimeout = 20 * time.Millisecond
	c := open(t, cfg)
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Fatal(err)
	}
	if st := c.Status(); st.Era != "legacy" || st.Revision != "2024-11-05" || st.Child.Starts != 1 {
		t.Errorf("%+v", st)
	}
}

func TestProbeExitGetsAFreshProcessAtOnce(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	cfg := playing("exits on probe:" + log)
	cfg.Stdio.Backoff = child.Backoff{Min: time.Hour, Max: time.Hour}
	c := open(t, cfg)
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Fatal(err)
	}
	heard, _ := os.ReadFile(log)
	if want := "start\nserver/discover\nstart\ninitialize\nnotifications/initialized\ntools/call\n"; string(heard) != want {
		t.Errorf("the server heard %q, want %q", heard, want)
	}
}

func TestSlowModernServerIsNotTakenForLegacy(t *testing.T) {
	cfg := playing("slow start:" + filepath.Join(t.TempDir(), "log"))
	cfg.ProbeTimeout = 20 * time.Millisecond
	cfg.Stdio.Backoff = child.Backoff{Min: time.Hour, Max: time.Hour}
	c := open(t, cfg)
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Fatal(err)
	}
	if st := c.Status(); st.Era != "modern" || st.Child.Starts != 2 {
		t.Errorf("%+v", st)
	}
}

func TestUnsupportedVersionOverStdio(t *testing.T) {
	c := open(t, playing(`offers:"2025-11-25","2025-06-18"`))
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil || c.Status().Era != "legacy" {
		t.Errorf("%v %+v", err, c.Status())
	}
	c = open(t, playing(`offers:"2026-07-28"`)) // lists what it refuses: no loop
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil || c.Status().Era != "legacy" {
		t.Errorf("%v %+v", err, c.Status())
	}
}

func TestDowngradeIsRefused(t *testing.T) {
	remembered := registry.UpstreamFact{Era: "modern", Revision: "2026-07-28"}
	facts := make(chan registry.UpstreamFact, 100)
	cfg := playing("legacy:2025-11-25")
	cfg.Remembered, cfg.OnFact = remembered, func(f registry.UpstreamFact) {
		select {
		case facts <- f:
		default:
		}
	}
	c := open(t, cfg)
	in, err := c.Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "downgrade")
	if in.Sent {
		t.Error("sent")
	}
	if f := <-facts; f.Up || f.Reason != "downgrade" || f.Era != "modern" {
		t.Errorf("the memory of a modern server was lost: %+v", f)
	}
	cfg.Downgrade = upstream.AllowDowngrade
	c = open(t, cfg)
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Error(err)
	}
}

func TestDowngradeIsRefusedWithinOneLife(t *testing.T) {
	c := open(t, playing("turncoat:"+filepath.Join(t.TempDir(), "log")))
	_, err := c.Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeExecutionError, "exited")
	settled(t, "the downgrade is seen", func() bool { return c.Status().Child.Starts > 1 && c.Status().Reason != "exited" })
	_, err = c.Call(t.Context(), call("t", `{}`))
	var e *gateway.Error
	if st := c.Status(); !errors.As(err, &e) || e.Code != gateway.CodeUnavailable || st.Reason != "downgrade" && st.Reason != "crash_loop" {
		t.Errorf("%v %+v", err, st)
	}
}

func TestMinimumRevision(t *testing.T) {
	for minimum, reason := range map[string]gateway.Reason{
		"2024-11-05": "", "2025-06-18": "", "2025-11-25": "revision_too_old", "2026-07-28": "revision_too_old",
	} {
		cfg := playing("legacy:2025-06-18")
		cfg.MinimumRevision = minimum
		_, err := open(t, cfg).Call(t.Context(), call("t", `{}`))
		if reason == "" && err != nil {
			t.Errorf("%s: %v", minimum, err)
		} else if reason != "" {
			refusedWith(t, err, gateway.CodeUnavailable, reason)
		}
	}
}

func TestProcessesThatNeverComeUp(t *testing.T) {
	for role, reason := range map[string]gateway.Reason{
		"exits": "exited", "silent": "silent", "babble": "stdout_noise", "legacy:1999-01-01": "unsupported_revision",
		"legacy:2026-07-28": "unsupported_revision",
	} {
		t.Run(role, func(t *testing.T) {
			cfg := playing(role)
			cfg.Stdio.Backoff = child.Backoff{Min: time.Hour, Max: time.Hour}
			if role == "silent" {
				cfg.ProbeTimeout, cfg.StartTimeout = 10*time.Millisecond, 10*time.Millisecond
			}
			c := open(t, cfg)
			in, err := c.Call(t.Context(), call("t", `{}`))
			refusedWith(t, err, gateway.CodeUnavailable, reason)
			if in.Sent {
				t.Error("sent")
			}
			var e *gateway.Error
			if errors.As(err, &e) && e.RetryAfter < time.Minute {
				t.Errorf("retry after %v", e.RetryAfter)
			}
			if st := c.Status(); st.Up || st.Reason != reason || st.RetryAt.IsZero() {
				t.Errorf("%+v", st)
			}
			if told := c.Fact().Reason; role == "exits" && told != "exit_7" || role != "exits" && told != string(reason) {
				t.Errorf("operators are told %q", told)
			}
			if _, err := c.List(t.Context()); child.ReasonOf(err) != reason {
				t.Errorf("list: %v", err)
			}
		})
	}
	cfg := playing("x")
	cfg.Stdio.Command = []string{"/nonexistent/server"}
	_, err := open(t, cfg).Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "start_failed")
}

func TestCrashLoopIsVisible(t *testing.T) {
	c := open(t, playing("exits"))
	settled(t, "crash loop", func() bool { return c.Status().Reason == "crash_loop" })
}

func TestConnectingCallerIsNotSent(t *testing.T) {
	c := open(t, playing("silent"))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	in, err := c.Call(ctx, call("t", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "connecting")
	if in.Sent {
		t.Error("sent")
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = c.Call(ctx, call("t", `{}`))
	refusedWith(t, err, gateway.CodeCancelled, "")
}

func TestBannerNoiseAndFloodAreSurvived(t *testing.T) {
	c := open(t, playing("banner"))
	for range 3 {
		if in, err := c.Call(t.Context(), call("t", `{}`)); err != nil || len(in.Result) == 0 {
			t.Fatal(err)
		}
	}
	if st := c.Status(); st.Child.NoiseLines != 3+3*4 || st.Child.Starts != 1 {
		t.Errorf("%+v", st.Child)
	}
	c = open(t, playing("flood"))
	for range 20 {
		if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.Stderr()); n > 200 {
		t.Errorf("%d lines of stderr kept", n)
	}
}

func TestOnlyTheRightIDIsAnAnswer(t *testing.T) {
	c := open(t, playing("wrongid"))
	for i := range 3 {
		in, err := c.Call(t.Context(), call("t", `{}`))
		if err != nil || string(in.Result) != `{"whose":"mine","n":9007199254740993}` {
			t.Fatalf("%d: %s %v", i, in.Result, err)
		}
	}
	settled(t, "the repeated answers are counted", func() bool { return c.Status().Stray == 3*4 })
}

func TestUnreadableAnswersFailTheirCallOnly(t *testing.T) {
	cfg := playing("strict")
	cfg.Stdio.LineLimit = 200_000
	c := open(t, cfg)
	for name, code := range map[string]gateway.Code{
		"duplicate": gateway.CodeExecutionError, "array": gateway.CodeExecutionError, "number bomb": gateway.CodeExecutionError,
		"both": gateway.CodeExecutionError, "utf-8": gateway.CodeExecutionError, "long": gateway.CodeTooLarge, "big": gateway.CodeTooLarge,
	} {
		out := call(name, `{}`)
		out.Limit = 40_000
		in, err := c.Call(t.Context(), out)
		var e *gateway.Error
		if !errors.As(err, &e) || e.Code != code || !in.Sent || in.Result != nil {
			t.Errorf("%s: %+v %v", name, in, err)
		}
	}
	if _, err := c.Call(t.Context(), call("fine", `{}`)); err != nil {
		t.Error(err)
	}
	if st := c.Status(); st.Child.Starts != 1 || st.Unreadable != 6 {
		t.Errorf("starts %d unreadable %d", st.Child.Starts, st.Unreadable)
	}
}

func TestRequestsOfTheUpstream(t *testing.T) {
	c := open(t, playing("asks"))
	in, err := c.Call(t.Context(), call("t", `{}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"answers":[{"id":"s-1","code":-32601},{"id":2,"code":-32601},{"id":3,"code":-32601},{"id":4,"code":0}]}`
	if string(in.Result) != want {
		t.Errorf("%s", in.Result)
	}
	if st := c.Status(); st.Refused != 3 || st.Notifications != 1 {
		t.Errorf("%+v", st)
	}
}

func TestListChangedIsOneSignal(t *testing.T) {
	c := open(t, playing("changed"))
	if _, err := c.Call(t.Context(), call("t", `{}`)); err != nil {
		t.Fatal(err)
	}
	<-c.Changed()
	select {
	case <-c.Changed():
		t.Error("signalled twice")
	default:
	}
}

func TestErrorOfTheUpstreamIsAnAnswer(t *testing.T) {
	in, err := open(t, playing("error")).Call(t.Context(), call("t", `{}`))
	if err != nil || in.Error == nil || in.Error.Code != -32602 || string(in.Error.Data) != `{"tool":"t"}` || !in.Sent || in.Result != nil {
		t.Errorf("%+v %v", in, err)
	}
}

func TestDeathDuringACall(t *testing.T) {
	c := open(t, playing("dies"))
	in, err := c.Call(t.Context(), call("t", `{}`))
	refusedWith(t, err, gateway.CodeExecutionError, "exited")
	if !in.Sent {
		t.Error("not sent, says it")
	}
	<-c.Changed() // up again: its list is to be fetched anew
	if _, err := c.List(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCancelReachesTheUpstreamWithOurID(t *testing.T) {
	c := open(t, playing("hangs"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, call("hang", `{}`))
		done <- err
	}()
	settled(t, "the call arrived", func() bool { return len(heard(t, c)) == 2 })
	cancel()
	refusedWith(t, <-done, gateway.CodeCancelled, "")
	settled(t, "the cancel arrived", func() bool { return len(heard(t, c)) == 3 })
	h := heard(t, c)
	hung := h[0] // beside the listen, in whichever order
	if hung.Method != "tools/call" {
		hung = h[1]
	}
	if h[2].Method != "notifications/cancelled" || h[2].ID != nil || h[2].RequestID != *hung.ID {
		t.Errorf("%+v", h)
	}
	if c.Status().InFlight != 0 {
		t.Error("the slot is not free")
	}
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	in, err := c.Call(ctx, call("hang", `{}`))
	refusedWith(t, err, gateway.CodeTimeout, "")
	if !in.Sent {
		t.Error("not sent, says it")
	}
}

type event struct {
	Method    string
	ID        *int64
	RequestID int64
}

// heard asks a hanging server what came to it; the first is the subscription.
func heard(t *testing.T, c *upstream.Client) []event {
	t.Helper()
	in, err := c.Call(t.Context(), call("status", `{}`))
	var r struct{ Heard []event }
	if err != nil || json.Unmarshal(in.Result, &r) != nil {
		t.Fatal(err)
	}
	return r.Heard
}

func TestBoundsOfConcurrency(t *testing.T) {
	cfg := playing("hangs")
	cfg.InFlight, cfg.Queue = 2, 1
	c := open(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { _, _ = c.Call(ctx, call("hang", `{}`)) })
	}
	settled(t, "two in flight, one waits", func() bool { st := c.Status(); return st.InFlight == 2 && st.Waiting == 1 })
	in, err := c.Call(t.Context(), call("hang", `{}`))
	refusedWith(t, err, gateway.CodeUnavailable, "busy")
	var e *gateway.Error
	if errors.As(err, &e); e.RetryAfter != time.Second || in.Sent {
		t.Errorf("%v %v", e.RetryAfter, in.Sent)
	}
	cancel()
	all.Wait()
	if st := c.Status(); st.InFlight != 0 || st.Waiting != 0 {
		t.Errorf("%+v", st)
	}
}

func TestConcurrentCallsKeepTheirAnswers(t *testing.T) {
	c := open(t, playing("modern"))
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			in, err := c.Call(t.Context(), call("t", fmt.Sprintf(`{"n":%d}`, i)))
			if child.ReasonOf(err) == "busy" {
				return
			}
			if err != nil || member(t, in.Result, "/seen/arguments/n") != fmt.Sprint(i) {
				t.Errorf("%d: %s %v", i, in.Result, err)
			}
		})
	}
	all.Wait()
}

func TestPages(t *testing.T) {
	for how, tc := range map[string]struct {
		tools   int
		partial bool
		ttl     time.Duration
		code    gateway.Code
	}{
		"good":    {tools: 3, ttl: time.Minute},
		"loop":    {tools: 2, partial: true, ttl: 5 * time.Minute},
		"endless": {tools: 100, partial: true, ttl: 5 * time.Minute},
		"many":    {tools: 10_000, partial: true, ttl: 5 * time.Minute},
		"big":     {tools: 2, ttl: 5 * time.Minute},
		"fails":   {code: gateway.CodeExecutionError},
		"error":   {code: gateway.CodeExecutionError},
		"task":    {code: gateway.CodeExecutionError},
	} {
		list, err := open(t, playing("pages:"+how)).List(t.Context())
		var e *gateway.Error
		switch {
		case tc.code != "":
			if !errors.As(err, &e) || e.Code != tc.code || list.Tools != nil {
				t.Errorf("%s: %v", how, err)
			}
		case err != nil || len(list.Tools) != tc.tools || list.Partial != tc.partial || list.TTL != tc.ttl || list.Revision != "2026-07-28":
			t.Errorf("%s: %d tools, partial %v, ttl %v, %v", how, len(list.Tools), list.Partial, list.TTL, err)
		}
	}
	cfg := playing("pages:big")
	cfg.ListLimit = 1 << 20
	_, err := open(t, cfg).List(t.Context())
	refusedWith(t, err, gateway.CodeTooLarge, "")
}

func TestTTLIsClamped(t *testing.T) {
	cfg := playing("modern") // it names 24 h
	cfg.TTLCap = time.Hour
	list, err := open(t, cfg).List(t.Context())
	if err != nil || list.TTL != time.Hour || string(list.Tools[0]) != `{"name":"t","inputSchema":{"type":"object"},"x":1.0}` || string(list.Instructions) != `"be kind"` {
		t.Errorf("%v %s %v", list.TTL, list.Tools, err)
	}
}

func TestNothingPilesUp(t *testing.T) {
	for _, role := range []string{"legacy:2025-11-25", "legacy:1999-01-01", "modern"} {
		before := runtime.NumGoroutine()
		for range 17 {
			c, err := upstream.New(playing(role))
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Call(t.Context(), call("t", `{}`))
			if (err != nil) != strings.Contains(role, "1999") {
				t.Fatal(err)
			}
			pid := c.Status().Child.PID
			c.Close()
			if _, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid)); pid != 0 && err == nil {
				t.Errorf("process %d is left", pid)
			}
			if _, err := c.Call(t.Context(), call("t", `{}`)); child.ReasonOf(err) != "closed" {
				t.Errorf("after close: %v", err)
			}
		}
		settled(t, role+": goroutines flat", func() bool { return runtime.NumGoroutine() <= before+1 })
	}
}

func TestUnusableConfigurations(t *testing.T) {
	for name, cfg := range map[string]upstream.Config{
		"nothing": {}, "neither": {ID: "a"}, "both": {ID: "a", Stdio: &child.Options{Command: []string{"x"}}, HTTP: &upstream.HTTP{}},
		"no command": {ID: "a", Stdio: &child.Options{}}, "no client": {ID: "a", HTTP: &upstream.HTTP{URL: "http://x/"}},
		"minimum": {ID: "a", Stdio: &child.Options{Command: []string{"x"}}, MinimumRevision: "2020-01-01"},
	} {
		if _, err := upstream.New(cfg); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
