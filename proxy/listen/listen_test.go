package listen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/lifecycle"
)

func expect(t *testing.T, h *host, want ...string) {
	t.Helper()
	synctest.Wait()
	if got := h.heard(); !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

const (
	toolsChanged     = "tools/list_changed"
	resourcesChanged = "resources/list_changed"
	stopping         = `cancelled "requestId":"id","reason":"gateway_stopping"`
)

// Storms are told as their last state, and what came to nothing is not told.
func TestStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.publish(map[string]string{"a": "0"}, "desk://a")
		h := b.listen(t.Context(), `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":false}`)
		expect(t, h, `subscriptions/acknowledged "notifications":{"toolsListChanged":true,"promptsListChanged":true`)
		b.publish(map[string]string{"a": "1"}, "desk://a")
		wait(pause)
		expect(t, h, toolsChanged)
		wait(time.Hour + time.Second)
		b.publish(map[string]string{"a": "2"}, "desk://a") // at rest: told at once
		expect(t, h, toolsChanged)
		for i := range 20 {
			wait(10 * time.Millisecond)
			b.publish(map[string]string{"a": fmt.Sprint("storm", i)}, "desk://a")
		}
		expect(t, h)
		wait(pause)
		expect(t, h, toolsChanged)
		b.publish(map[string]string{"a": "other"}, "desk://a")
		wait(time.Millisecond)
		b.publish(map[string]string{"a": "storm19"}, "desk://a")
		wait(time.Hour)
		expect(t, h) // it changed and changed back
		b.publish(map[string]string{"a": "storm19", "secret": "x"}, "desk://a")
		b.publish(map[string]string{"a": "storm19", "secret": "y"}, "desk://a", "desk://b")
		wait(time.Hour)
		expect(t, h) // hidden, and not asked for
		b.Stop()
		<-h.done
		expect(t, h, stopping)
		if e := b.journal.events; len(e) != 2 || e[0].Type != audit.SubscriptionOpened || e[0].Offered != 2 || e[1].Type != audit.SubscriptionClosed ||
			e[1].Action != e[0].Action || e[1].Count != 3 || !slices.Equal(e[1].Reasons, []gateway.Reason{gateway.ReasonStopping}) {
			t.Errorf("on record: %+v", e)
		}
	})
}

// Rules over how often a caller called hold for what it listens to as for what it reads.
func TestHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.publish(nil, "desk://plain")
		for calls, want := range map[int]string{0: `["desk://plain"]`, 3: `[]`} {
			b.called(calls)
			h := b.listen(t.Context(), `{"resourceSubscriptions":["desk://plain"]}`)
			expect(t, h, `subscriptions/acknowledged "notifications":{"resourceSubscriptions":`+want)
			wait(3 * time.Hour) // none of it counts any more
			h.heard()
		}
	})
}

// What an upstream tells of a resource reaches who asked for it and may read it,
// under the spelling that each of them used.
func TestResourceUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "secret plain", "plain locked")
		b.publish(nil, "desk://plain", "Desk://Up/%41", "desk://secret", "desk://locked")
		const filter = `{"resourceSubscriptions":["DESK://plain","desk://Up/A","desk://secret","desk://locked","desk://none","desk://a/../plain","no uri"]}`
		h := b.listen(t.Context(), filter)
		expect(t, h, `subscriptions/acknowledged "notifications":{"resourceSubscriptions":["DESK://plain","desk://Up/A"]`)
		if e := b.journal.events[0]; e.Offered != 2 || e.Withheld != 5 {
			t.Errorf("on record: %+v", e)
		}
		for uri, want := range map[string]int{"desk://plain": 1, "Desk://Up/%41": 1, "desk://up/A": 0, "desk://secret": 0, "desk://locked": 0, "DESK://plain": 0} {
			if n := b.server.tell(uri); n != want {
				t.Errorf("%s is watched %d times, want %d", uri, n, want)
			}
		}
		wait(2 * pause)
		if got := h.heard(); len(got) != 2 {
			t.Errorf("heard %q", got)
		}
		for range 50 {
			b.server.tell("desk://plain")
		}
		wait(time.Hour)
		synctest.Wait()
		if got := h.heard(); len(got) < 1 || len(got) > 2 { // the first at once, if it came to that, and the rest
			t.Errorf("of a storm was heard %q", got)
		}

		// The upstream is replaced, with what it has: the new one is watched, the old one let go.
		old := b.server
		b.server = newServer()
		b.enter("secret locked", b.server)
		wait(pause)
		synctest.Wait()
		if n, m := old.tell("desk://plain"), b.server.tell("desk://plain"); n != 0 || m != 1 {
			t.Errorf("the old upstream is watched %d times, the new one %d times", n, m)
		}
		wait(pause)
		expect(t, h, `resources/updated "uri":"DESK://plain"`)

		b.enter("secret plain", b.server) // it may be seen and not be read
		wait(pause)
		synctest.Wait()
		b.server.tell("desk://plain")
		wait(time.Hour)
		expect(t, h)
		b.enter("plain locked", b.server) // nor seen
		wait(pause)
		synctest.Wait()
		if n := b.server.tell("desk://plain"); n != 0 {
			t.Errorf("what is hidden is watched %d times", n)
		}
		wait(time.Hour)
		expect(t, h)
		b.Stop()
		<-h.done
	})
}

// Many who want one resource ask for it once; an upstream that can't tell is
// asked less and less often, and nobody else is touched.
func TestFeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.publish(nil, "desk://a", "Desk://b/%41")
		one, two := b.listen(t.Context(), `{"resourceSubscriptions":["desk://a"]}`), b.listen(t.Context(), `{"resourceSubscriptions":["desk://a","desk://b/A"]}`)
		synctest.Wait()
		one.heard()
		two.heard()
		if len(b.server.asked) != 2 || b.server.tell("Desk://b/%41") != 1 {
			t.Errorf("the upstream was asked %d times, by other spellings than its own", len(b.server.asked))
		}
		b.server.tell("desk://a")
		wait(pause)
		expect(t, one, `resources/updated "uri":"desk://a"`)
		if got := two.heard(); len(got) != 2 {
			t.Errorf("heard %q", got)
		}
		broken := newServer()
		broken.fault = errNo
		b.enter("secret locked", broken)
		wait(10 * time.Minute)
		broken.mu.Lock()
		asked := slices.Clone(broken.asked)
		broken.fault = nil
		broken.mu.Unlock()
		if n := len(asked); n < 2*10 || n > 2*18 {
			t.Errorf("an upstream that can't tell was asked %d times in ten minutes", n)
		}
		expect(t, one)
		wait(2 * lastRetry)
		broken.tell("desk://a")
		wait(pause)
		expect(t, one, `resources/updated "uri":"desk://a"`)
		b.Stop()
		<-one.done
		<-two.done
		synctest.Wait()
		if n := broken.tell("desk://a"); n != 0 || len(b.feeds.open) != 0 {
			t.Errorf("%d feeds are left, watched %d times", len(b.feeds.open), n)
		}
	})
}

// How subscriptions end, and that their places are free again.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ctx, leave := context.WithCancel(t.Context())
		gone, stays := b.listen(ctx, `{}`), b.listen(t.Context(), `{}`)
		synctest.Wait()
		third := b.listen(t.Context(), `{}`)
		<-third.done
		if third.call.Err == nil || third.call.Err.Code != gateway.CodeSubscriptionLimit || third.call.Err.RetryAfter == 0 || len(third.heard()) > 0 {
			t.Errorf("a third one is answered %v", third.call.Err)
		}
		gone.mu.Lock()
		gone.gone, gone.said = true, nil
		gone.mu.Unlock()
		leave()
		<-gone.done
		if gone.call.Heard.Ended != gateway.ReasonHostLeft || gone.call.Err != nil || len(gone.heard()) > 0 {
			t.Errorf("who left: %q, %v", gone.call.Heard.Ended, gone.call.Err)
		}
		fourth := b.listen(t.Context(), `{}`)
		synctest.Wait()
		stays.heard()
		fourth.heard()

		// A credential that expires is noticed without any change of settings.
		b.doorman.mu.Lock()
		b.doorman.gone = true
		b.doorman.mu.Unlock()
		wait(recheck + time.Second)
		for _, h := range []*host{stays, fourth} {
			<-h.done
			expect(t, h, `cancelled "requestId":"id","reason":"principal_gone"`)
			if string(h.call.Result) != `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"id","io.modelcontextprotocol/serverInfo":{"name":"mcp-gateway","version":"test"}}}` {
				t.Errorf("the result is %s", h.call.Result)
			}
		}
		b.doorman.gone = false
		own := b.call(audit.Modern, protocol.MethodSubscriptionsListen, `{"notifications":{}}`)
		own.Scope = "up"
		h := &host{call: own, done: make(chan struct{})}
		own.Stream = h
		go func() { defer close(h.done); b.pipeline(b.Stages()).Do(t.Context(), own) }()
		synctest.Wait()
		b.enter("secret locked", nil)
		<-h.done
		if own.Heard.Ended != gateway.ReasonEndpointGone {
			t.Errorf("its upstream is gone: %q", own.Heard.Ended)
		}
	})
}

// Nobody is told what can't be put on record.
func TestNoRecordNoSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.publish(nil, "desk://a")
		b.journal.broken = true
		h := b.listen(t.Context(), `{"toolsListChanged":true}`)
		<-h.done
		if h.call.Err == nil || h.call.Err.Code != gateway.CodeAuditUnavailable || len(h.heard()) > 0 {
			t.Errorf("answered %v", h.call.Err)
		}
		s := &lifecycle.Session{}
		if code := b.session(s, b.Subscribe(), protocol.MethodResourcesSubscribe, `{"uri":"desk://a"}`); code != gateway.CodeAuditUnavailable {
			t.Errorf("subscribe: %q", code)
		}
		if all, _ := s.Wanted.All(); len(all) > 0 {
			t.Errorf("subscribed all the same: %v", all)
		}
		c := b.call(audit.Legacy, "", "")
		c.Session = s
		var e *gateway.Error
		if err := b.Follow(t.Context(), c, &Memory{}).Run(t.Context(), nil); !errors.As(err, &e) || e.Code != gateway.CodeAuditUnavailable {
			t.Errorf("follow: %v", err)
		}
	})
}

// A legacy session is told on its stream what it subscribed to, for as long as it
// may read it; what changed between two streams is told on the second.
func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.publish(map[string]string{"a": "0"}, "desk://a", "desk://b", "desk://secret", "desk://locked")
		s, memory := &lifecycle.Session{}, &Memory{}
		subscribe := func(params string) gateway.Code {
			return b.session(s, b.Subscribe(), protocol.MethodResourcesSubscribe, params)
		}
		for params, want := range map[string]gateway.Code{
			`{"uri":"DESK://a"}`: "", `{"uri":"desk://b"}`: "",
			`{"uri":"desk://secret"}`: gateway.CodeUnknownResource, `{"uri":"desk://none"}`: gateway.CodeUnknownResource,
			`{"uri":"desk://x/../a"}`: gateway.CodeUnknownResource, `{"uri":"desk://locked"}`: gateway.CodeForbidden,
			`{"uri":1}`: gateway.CodeInvalidParams, `{}`: gateway.CodeInvalidParams,
		} {
			if code := subscribe(params); code != want {
				t.Errorf("subscribe %s: %q, want %q", params, code, want)
			}
		}
		stream := func() (*host, context.CancelFunc) {
			c := b.call(audit.Legacy, "", "")
			c.Session, c.Request = s, nil
			h := &host{call: c, done: make(chan struct{})}
			ctx, leave := context.WithCancel(t.Context())
			f := b.Follow(ctx, c, memory)
			go func() {
				defer close(h.done)
				if err := f.Run(ctx, func(m string, p []byte) error { return h.Notify(ctx, m, p) }); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
			return h, leave
		}
		h, leave := stream()
		b.server.tell("desk://a")
		b.server.tell("desk://b")
		wait(pause)
		synctest.Wait()
		got := h.heard()
		slices.Sort(got)
		if want := []string{`resources/updated "uri":"DESK://a"`, `resources/updated "uri":"desk://b"`}; !slices.Equal(got, want) {
			t.Errorf("heard %q", got)
		}
		if code := b.session(s, b.Unsubscribe(), protocol.MethodResourcesUnsubscribe, `{"uri":"desk://c"}`); code != "" {
			t.Errorf("unsubscribe from what is not subscribed to: %q", code)
		}
		if code := b.session(s, b.Unsubscribe(), protocol.MethodResourcesUnsubscribe, `{"uri":"desk://b"}`); code != "" {
			t.Errorf("unsubscribe: %q", code)
		}
		synctest.Wait()
		if n, m := b.server.tell("desk://a"), b.server.tell("desk://b"); n != 1 || m != 0 {
			t.Errorf("watched %d and %d times", n, m)
		}
		wait(pause)
		expect(t, h, `resources/updated "uri":"DESK://a"`)
		leave()
		<-h.done
		b.publish(map[string]string{"a": "1"}, "desk://a")
		h, leave = stream()
		expect(t, h, toolsChanged, resourcesChanged)
		leave()
		<-h.done
		h, leave = stream()
		expect(t, h)
		leave()
		<-h.done
	})
}

func TestManyResources(t *testing.T) {
	b := newBench(t)
	var uris []string
	for i := range MaxResources + 3 {
		uris = append(uris, fmt.Sprint("desk://", i))
	}
	b.publish(nil, uris...)
	s := &lifecycle.Session{}
	for i, uri := range uris {
		want := gateway.Code("")
		if i >= MaxResources {
			want = gateway.CodeSubscriptionLimit
		}
		if code := b.session(s, b.Subscribe(), protocol.MethodResourcesSubscribe, `{"uri":"`+uri+`"}`); code != want {
			t.Errorf("%s: %q", uri, code)
		}
	}
}

// Whatever is asked for, what is agreed to is a part of it.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		`{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["desk://a","DESK://a","desk://%61",1]}}`,
		`{"notifications":{"resourceSubscriptions":["\u0064esk://a"],"x":{}}}`, `{"notifications":[]}`, `{}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	b := newBench(f)
	b.publish(nil, "desk://a", "desk://secret", "desk://locked")
	now, _, err := b.stand(f.Context(), b.call(audit.Modern, protocol.MethodSubscriptionsListen, ""))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		if protocol.Check(params, protocol.DefaultLimits()) != nil {
			return
		}
		sub, err := agree(t.Context(), now, params)
		if err != nil {
			return
		}
		agreed := appendAgreed(nil, &sub, params)
		if err := protocol.Check(agreed, protocol.DefaultLimits()); err != nil {
			t.Fatalf("%s is no filter: %v", agreed, err)
		}
		asked, _ := protocol.Member(params, notificationsMember)
		for name, value := range protocol.Members(agreed) {
			wanted, _ := protocol.Member(asked, string(name))
			if string(name) != resourcesMember {
				if string(wanted) != "true" || string(value) != "true" {
					t.Errorf("%s is agreed to as %s", wanted, value)
				}
				continue
			}
			for uri := range protocol.Elements(value) {
				if normal, _, err := readURI(uri); err != nil || normal != "desk://a" || !bytes.Contains(wanted, uri) {
					t.Errorf("%s is agreed to", uri)
				}
			}
		}
	})
}
