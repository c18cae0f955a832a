package stdio

import (
	"context"
	"errors"
	"io"
	"sync"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/ask"
	"mcp-gateway/proxy/lifecycle"
)

// Options say whom to serve. All but Scope and Ready are required.
type Options struct {
	Gateway *proxy.Gateway
	In      io.Reader
	Out     io.Writer // carries protocol and nothing else
	Scope   string    // the upstream that is served under its own names; "" = all, under exposed names
	// Ready is closed when the upstreams have listed what they have. What asks
	// for lists or calls waits for it; nil waits for nothing.
	Ready <-chan struct{}
}

// host is the one that is served.
type host struct {
	Options
	pipeline *proxy.Pipeline
	asks     ask.Asks
	leave    context.CancelFunc // once nothing can be written any more
	gone     chan struct{}      // closed when nothing more is read

	// Written by agree only, and messages agree one after another.
	era     audit.Era          // "" until a message decides
	session *lifecycle.Session // of a legacy host

	follow    context.Context // ends with the input
	following sync.Once

	work sync.WaitGroup

	mu    sync.Mutex
	calls map[string]*exchange // under way, by the id's bytes

	writing sync.Mutex
}

// Serve serves the host until its input ends or ctx does, and returns when all
// its calls are answered or cancelled.
func Serve(ctx context.Context, o Options) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	h := &host{Options: o, leave: leave, gone: make(chan struct{}), calls: make(map[string]*exchange)}
	var err error
	if h.pipeline, err = o.Gateway.Corridor(proxy.Door{Accept: accept, Agree: h.agree}); err != nil {
		return err
	}
	follow, unfollow := context.WithCancel(ctx)
	defer unfollow()
	h.follow = follow
	err = h.loop(ctx)
	close(h.gone)
	unfollow()
	if ctx.Err() == nil {
		h.hangUp()
	}
	h.work.Wait()
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// accept has nothing to judge: there are no headers, and the process that is
// our parent is whom configuration means.
func accept(context.Context, *proxy.Call) error { return nil }

// loop takes messages one after another as far as their place among others
// matters, and lets them go on side by side.
func (h *host) loop(ctx context.Context) error {
	read, failed := make(chan []byte), make(chan error, 1)
	go h.read(ctx, read, failed)
	for {
		select {
		case line := <-read:
			x := h.exchange(ctx)
			h.work.Go(func() { h.serve(x, line) })
			<-x.entered
		case err := <-failed:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read goes on until the input ends; nothing else can end a read that waits.
func (h *host) read(ctx context.Context, read chan<- []byte, failed chan<- error) {
	in := newLines(h.In)
	for {
		line, err := in.next(h.Gateway.World().Limits.Body)
		if err != nil {
			failed <- err
			return
		}
		select {
		case read <- line:
		case <-ctx.Done():
			return
		}
	}
}

// serve takes one message through the corridor and answers it. A request that
// the host cancelled, and what was no request, are not answered.
func (h *host) serve(x *exchange, line []byte) {
	defer x.cancel()
	defer x.enter()
	era := h.era
	if era == "" {
		era = audit.Modern
	}
	c := h.Gateway.Arrive(proxy.Arrival{
		Transport: string(audit.Stdio), Era: era, Source: "stdio", Length: int64(len(line)), Scope: h.Scope,
		Own: x, Stream: x,
		Body: func(limit int) ([]byte, error) {
			if len(line) > limit {
				return nil, gateway.Fail(gateway.CodeTooLarge)
			}
			return line, nil
		},
	})
	h.pipeline.Do(x.ctx, c)
	h.finish(x)
	if c.Request == nil && c.Reply == nil {
		c.Request = h.identify(line)
	}
	if notification := c.Request != nil && c.Request.Method != "" && c.Request.ID == nil; notification || x.cancelled.Load() {
		return
	}
	a := h.Gateway.Answer(c)
	defer a.Sent()
	if a.Body != nil {
		_ = h.write(a.Whole()) // a host that is gone ends the loop
	}
}

// identify reads of a message that was refused unread, because of who sent it or how
// often, which request it is: on a pipe an answer without an id is nobody's, and what
// waits for it would wait for ever. The line is here in any case; what else stands in
// it is not looked at.
func (h *host) identify(line []byte) *protocol.Request {
	limits := protocol.DefaultLimits()
	limits.Bytes, limits.Depth = h.Gateway.World().Limits.Body, h.Gateway.World().Limits.Depth
	r, err := protocol.ParseRequest(line, limits)
	if err != nil {
		return nil
	}
	return &protocol.Request{ID: r.ID, Method: r.Method}
}

// write sends one message as one line, whole.
func (h *host) write(message []byte) error {
	line := append(protocol.OneLine(message), '\n')
	h.writing.Lock()
	defer h.writing.Unlock()
	_, err := h.Out.Write(line)
	if err != nil {
		h.leave()
	}
	return err
}
