package upstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/wire"
)

const (
	listenEvent = 1 << 20     // bytes of one event of a listening stream
	steady      = time.Minute // a stream this long clears the count of breaks
)

// subscription is what the upstream was asked to tell.
type subscription struct {
	meeting int // of which it was asked; see state
	uris    []string
	stop    context.CancelFunc // of a modern listening stream; nil if there is none
	done    chan struct{}      // closed when that has ended
}

// end stops the listening stream, if there is one.
func (s *subscription) end() {
	if s.stop != nil {
		s.stop()
		<-s.done
	}
}

// subscribe keeps what the upstream is asked to tell in step with what is
// watched, for as long as the client is open.
func (c *Client) subscribe() {
	var now subscription
	defer func() { now.end() }()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-c.watches.kick:
			c.reconcile(&now)
		}
	}
}

// reconcile makes a subscription what it should be.
func (c *Client) reconcile(now *subscription) {
	peer, meeting := c.peer()
	uris := c.watches.uris()
	before, anew := now.uris, meeting != now.meeting
	switch {
	case meeting == 0 || !anew && slices.Equal(uris, now.uris):
		return
	case peer.Era == wire.Modern:
		c.relisten(now, &peer, uris)
	default:
		now.end()
		if anew {
			now.uris = nil
		}
		uris = c.resubscribe(now.uris, uris)
		now.stop, now.done = nil, nil
	}
	if anew {
		c.missed(before)
	}
	now.meeting, now.uris = meeting, uris
}

// resubscribe takes a legacy session from one set of subscriptions to another
// and returns which it then has.
func (c *Client) resubscribe(before, wanted []string) []string {
	for _, uri := range before {
		if !slices.Contains(wanted, uri) {
			_, _ = c.own(wire.OfURI(protocol.MethodResourcesUnsubscribe, uri))
		}
	}
	var has []string
	for _, uri := range wanted {
		if slices.Contains(before, uri) {
			has = append(has, uri)
			continue
		}
		in, err := c.own(wire.OfURI(protocol.MethodResourcesSubscribe, uri))
		switch {
		case err == nil && in.Error == nil:
			has = append(has, uri)
		case err == nil:
			err = unsubscribed(in.Error)
			fallthrough
		default:
			c.watches.fail(uri, err)
		}
	}
	return has
}

// own makes an exchange for no caller.
func (c *Client) own(out *protocol.Outgoing) (protocol.Incoming, error) {
	ctx, cancel := context.WithTimeout(c.ctx, c.cfg.Timeout)
	defer cancel()
	return c.link.Exchange(ctx, out, c.cfg.ResultLimit)
}

func unsubscribed(e *protocol.RPCError) error {
	return gateway.Because(gateway.CodeUnavailable, fmt.Errorf("subscribing was answered with error %d", e.Code), wire.ReasonUnsupported)
}

// relisten replaces a modern listening stream by one for other resources. Over
// HTTP the new one is there before the old one goes, so that nothing is missed;
// on a process, where servers mix up two at a time, it comes after, and what was
// watched is told to look again.
func (c *Client) relisten(now *subscription, peer *wire.Peer, uris []string) {
	old := *now
	now.stop, now.done = nil, nil
	if c.stdio != nil {
		old.end()
	}
	if wire.Listen(peer, uris) != nil {
		ctx, stop := context.WithCancel(c.ctx)
		l := &listener{client: c, peer: *peer, uris: uris, heard: make(chan struct{})}
		now.stop, now.done = stop, make(chan struct{})
		go func(done chan struct{}) {
			defer close(done)
			l.run(ctx)
		}(now.done)
		l.await(c.cfg.ProbeTimeout)
	}
	if c.stdio == nil {
		old.end()
	} else {
		c.missed(old.uris)
	}
}

// listener is one listening stream, through its breaks.
type listener struct {
	client *Client
	peer   wire.Peer
	uris   []string
	heard  chan struct{} // closed when the server first agreed, or never will
	begun  bool          // only the goroutine in which the stream is read uses it
}

// await waits until the server agreed, but no longer than that.
func (l *listener) await(patience time.Duration) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-l.heard:
	case <-timer.C:
	}
}

func (l *listener) first() {
	if !l.begun {
		l.begun = true
		close(l.heard)
	}
}

// run listens until ctx ends. A server that refuses is left in peace: its lists
// are fetched by age, and its resources can't be watched.
func (l *listener) run(ctx context.Context) {
	defer l.first()
	c := l.client
	for broken := 1; ; broken++ {
		began := time.Now()
		err := l.listen(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			for _, uri := range l.uris {
				c.watches.fail(uri, err)
			}
			return
		}
		if time.Since(began) > steady {
			broken = 1
		}
		timer := time.NewTimer(c.backoff().After(broken))
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// listen holds one stream to its end; an error means that another one is not
// worth the try.
func (l *listener) listen(ctx context.Context) error {
	out := wire.Listen(&l.peer, l.uris)
	out.Notify = l.agreed
	in, err := l.client.link.Exchange(ctx, out, listenEvent)
	var e *gateway.Error
	switch {
	case err == nil && in.Error != nil:
		return unsubscribed(in.Error)
	case errors.As(err, &e) && e.Code == gateway.CodeExecutionError && !passes(child.ReasonOf(e)):
		return err
	}
	return nil
}

// passes reports whether a stream that ended for that reason may be had again.
func passes(reason gateway.Reason) bool {
	switch reason {
	case wire.ReasonNoAnswer, wire.ReasonBroken, wire.ReasonClosed, child.ReasonExited, child.ReasonStopped,
		child.ReasonNoise, child.ReasonEndless, child.ReasonStuck, child.ReasonQueueFull:
		return true
	}
	return false
}

// agreed takes the server's word on what it will tell. It runs within the
// exchange, one call at a time.
func (l *listener) agreed(_ string, params []byte) {
	granted, _ := protocol.Lookup(params, "/notifications/resourceSubscriptions")
	told := make(map[string]bool)
	for value := range protocol.Elements(granted) {
		uri, _ := protocol.Text(value)
		told[uri] = true
	}
	for _, uri := range l.uris {
		if !told[uri] {
			l.client.watches.fail(uri, gateway.Fail(gateway.CodeUnavailable, wire.ReasonUnsupported))
		}
	}
	if l.begun { // what was said since the last stream ended is lost
		l.client.signal()
		l.client.missed(l.uris)
	}
	l.first()
}

// backoff is that of the upstream as a whole.
func (c *Client) backoff() child.Backoff {
	if c.cfg.HTTP != nil {
		return c.cfg.HTTP.Backoff
	}
	return c.cfg.Stdio.Backoff
}
