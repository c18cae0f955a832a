package cases

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
	"mcp-gateway/upstream/wire"
)

// lives are the bugs of sessions, processes and their ends.
func lives() map[string]proof {
	return map[string]proof{
		"BUG-09": lostSession,
		"BUG-11": busy,
		"BUG-12": children,
		"BUG-24": cancelled,
		"BUG-26": unsupported,
	}
}

// lostSession: a session that an upstream forgot is made anew once, for all who wait
// for it, and what was not executed is sent again. What may have been is not.
func lostSession(c *trial) {
	up := &old{}
	s := c.open(newPeer(), stage.Options{
		Upstreams: []stage.Upstream{stage.Served(c, "old", up)},
		Review: func(id gateway.ItemID) string {
			if id.Name == "write" {
				return stage.Write("use")
			}
			return stage.Read("use")
		},
	})
	for _, tool := range []string{"good", "write"} {
		up.mu.Lock()
		up.lose, up.ran = true, nil
		up.mu.Unlock()
		before := up.initial.Load()
		r := s.alice.Call(c, "old__"+tool, `{}`)
		s.passed(r)
		c.hold(outward, up.initial.Load() == before+1 && len(up.ran) == 1, "%s: initialized %d times anew, ran %v", tool, up.initial.Load()-before, up.ran)
		s.served("old__good")
	}
	// Many at a time wait for one new session.
	up.mu.Lock()
	up.lose, up.ran = true, nil
	up.mu.Unlock()
	before := up.initial.Load()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := s.alice.Calling("old__good", `{}`).Do(c.Context())
			if err != nil || r.Code() != "" {
				c.Errorf("one of many: %v %+v", err, r)
			}
		})
	}
	all.Wait()
	for _, row := range s.Events(c) {
		c.hold(event, row.Outcome == gateway.OutcomeCommitted, "on record as %+v", row)
	}
	c.hold(outward, up.initial.Load() == before+1, "initialized %d times anew", up.initial.Load()-before)
	s.served("old__good")
}

// busy: an upstream that has no room is called so, and its tools exist.
func busy(c *trial) {
	var under sync.WaitGroup
	var arrived atomic.Int32
	release := make(chan struct{})
	full := newPeer().Add(stage.Tool("hold"), func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		arrived.Add(1)
		<-release
		stage.Result(stage.Text(done))(w, r, m)
	})
	s := c.open(newPeer(), stage.Options{Upstreams: []stage.Upstream{stage.Served(c, "full", full)}})
	const room = 64 // of one upstream
	for range room {
		under.Go(func() {
			r, err := s.alice.Calling("full__hold", `{}`).Do(context.WithoutCancel(c.Context()))
			if err != nil || r.Code() != "" {
				c.Errorf("within its room: %v %+v", err, r)
			}
		})
	}
	stage.Await(c, "it is full", func() bool { return arrived.Load() == room })
	legacy := s.legacy(`{}`)
	s.Events(c)
	for _, r := range []*stage.Reply{s.alice.Call(c, "full__hold", `{}`), s.alice.Call(c, "full__good", `{}`), legacy(protocol.MethodToolsCall, `"name":"full__good"`).Send(c)} {
		c.hold(outward, r.IsError() && r.Code() == string(gateway.CodeUnavailable) && r.Get("/_meta/mcp-gateway~1error/retry") == `"later"`, "%s", r.Body)
	}
	for _, row := range s.Events(c) {
		if row.Type == audit.ToolRefused {
			c.hold(event, row.Code == gateway.CodeUnavailable && row.Reasons[0] == gateway.ReasonBusy, "on record as %+v", row)
		}
	}
	s.refused(s.alice.Call(c, "full__absent", `{}`), gateway.CodeUnknownTool, gateway.ReasonToolAbsent)
	s.served()
	close(release)
	under.Wait()
	s.served("full__good")
}

// children: hosts come and go, configurations too; of the processes those are left
// that are asked for.
func children(c *trial) {
	mark := "cases-" + strconv.Itoa(os.Getpid()) + "-" + filepath.Base(c.TempDir())
	s := c.open(newPeer(), stage.Options{Upstreams: []stage.Upstream{stage.Process("child", "plain", mark)}})
	c.hold(outward, processes(c, mark) == 1, "%d processes", processes(c, mark))
	for range 30 {
		legacy := s.legacy(`{}`)
		s.Events(c)
		s.passed(legacy(protocol.MethodToolsCall, `"name":"child__good"`).Send(c))
		r := legacy("", "")
		if got := (&stage.Request{Verb: http.MethodDelete, URL: r.URL, Header: r.Header}).Send(c); got.Status != 204 {
			c.Fatalf("DELETE: %d", got.Status)
		}
	}
	c.hold(outward, processes(c, mark) == 1, "%d processes after all that", processes(c, mark))
	text, err := os.ReadFile(s.Path("upstreams.yaml"))
	c.must(err)
	for i := range 5 { // started anew each time its settings change
		s.Write(c, "upstreams.yaml", strings.Replace(string(text), mark+`"]`, mark+`", "`+strconv.Itoa(i)+`"]`, 1))
		c.must(s.Gateway.Reload(c.Context()))
		c.must(s.Gateway.Refresh(c.Context(), "child"))
		stage.Await(c, "the one before is gone", func() bool { return processes(c, mark) == 1 })
	}
	c.hold(outward, zombies(c) == 0, "%d processes of ours are not waited for", zombies(c))
	s.served("child__good")
}

// processes counts those in whose command a word stands.
func processes(c *trial, word string) int {
	c.Helper()
	n := 0
	for _, text := range proc(c, "cmdline") {
		if strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// zombies counts our children that ended and were not waited for.
func zombies(c *trial) int {
	c.Helper()
	n := 0
	for _, text := range proc(c, "stat") {
		_, rest, _ := strings.Cut(text, ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[0] == "Z" && f[1] == strconv.Itoa(os.Getpid()) {
			n++
		}
	}
	return n
}

// proc reads one file of every process (proc(5)).
func proc(c *trial, file string) []string {
	c.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/" + file)
	c.must(err)
	var all []string
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil { // else it has ended
			all = append(all, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return all
}

// cancelled: that a host takes a call back reaches the one upstream that has it, under
// the id that it knows.
func cancelled(c *trial) {
	heard, other := filepath.Join(c.TempDir(), "heard"), filepath.Join(c.TempDir(), "other")
	arrived, ended := make(chan struct{}, 8), make(chan struct{}, 8)
	up := newPeer().Add(stage.Tool("wait"), func(_ http.ResponseWriter, r *http.Request, _ stage.Message) {
		arrived <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	})
	s := c.open(up, stage.Options{Upstreams: []stage.Upstream{stage.Process("child", "waits", heard), stage.Process("idle", "waits", other)}})
	id := c.raw("/call_id")
	legacy := s.legacy(`{}`)
	for _, tool := range []string{"up__wait", "child__wait"} {
		s.Events(c)
		call := legacy(protocol.MethodToolsCall, `"name":"`+tool+`"`)
		call.ID = id
		replies := make(chan *stage.Reply, 1)
		go func() { replies <- call.Send(c) }()
		if tool == "up__wait" {
			<-arrived
		} else {
			stage.Await(c, "the call arrives", func() bool { return len(noted(heard)) == 1 })
		}
		note := legacy(protocol.NotificationCancelled, `"requestId":`+id)
		note.ID = ""
		c.hold(outward, note.Send(c).Status == 202, "the cancellation was not taken")
		s.refused(<-replies, gateway.CodeCancelled)
		if tool == "up__wait" {
			<-ended
			continue
		}
		stage.Await(c, "the cancellation arrives", func() bool { return len(noted(heard)) == 2 })
		sent, withdrawn := strings.Fields(noted(heard)[0]), noted(heard)[1]
		c.hold(outward, strings.HasPrefix(withdrawn, "notifications/cancelled") && strings.Contains(withdrawn, `"requestId":`+sent[1]+",") && sent[1] != id, "it heard %q", noted(heard))
	}
	c.hold(outward, len(noted(other)) == 0, "another upstream heard %q", noted(other))
	// Over HTTP a modern host takes its call back by leaving.
	s.hangUp(s.alice.Calling("up__wait", `{}`), func() bool { return len(arrived) == 1 })
	<-ended
	stage.Await(c, "it is settled", func() bool {
		rows := s.Rows(c, audit.Filter{Tool: "up__wait", Code: gateway.CodeCancelled})
		return len(rows) == 2 && rows[1].Settled.Seq > 0
	})
	s.served("child__good", "idle__good")
}

// noted are the lines that a process noted down.
func noted(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// unsupported: an upstream with which no revision is shared is met in vain any number
// of times, and leaves nothing behind.
func unsupported(c *trial) {
	const tries = 50
	up := &old{version: c.text("/initialize_reply")}
	var connected atomic.Int32
	server := httptest.NewUnstartedServer(up)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			connected.Add(1)
		case http.StateClosed, http.StateHijacked:
			connected.Add(-1)
		}
	}
	server.Start()
	c.Cleanup(server.Close)
	s := c.open(newPeer(), stage.Options{Upstreams: []stage.Upstream{stage.At("old", server.URL+"/mcp").With("timeout: 1s").Unmet()}})
	text, err := os.ReadFile(s.Path("upstreams.yaml"))
	c.must(err)
	goroutines := 0
	for i := range tries { // each with other settings, since the same would wait between its tries
		s.Write(c, "upstreams.yaml", strings.Replace(string(text), "timeout: 1s", fmt.Sprintf("timeout: %dms", 1001+i), 1))
		c.must(s.Gateway.Reload(c.Context()))
		err := s.Gateway.Refresh(c.Context(), "old")
		c.hold(outward, hasReason(err, wire.ReasonRevision), "try %d: %v", i, err)
		if i == 5 {
			goroutines = runtime.NumGoroutine()
		}
	}
	c.hold(outward, int(up.initial.Load()) >= tries, "it was met %d times", up.initial.Load())
	stage.Await(c, "connections and goroutines are as before", func() bool {
		return connected.Load() <= 4 && runtime.NumGoroutine() <= goroutines+8
	})
	s.Events(c)
	s.refused(s.alice.Call(c, "old__good", `{}`), gateway.CodeUnknownTool, gateway.ReasonToolAbsent)
	s.served()
}

func hasReason(err error, reason gateway.Reason) bool {
	var e *gateway.Error
	return errors.As(err, &e) && slices.Contains(e.Reasons, reason)
}
