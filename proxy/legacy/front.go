package legacy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/door"
	"mcp-gateway/proxy/sse"
)

// Options configure a Front.
type Options struct {
	Gateway *proxy.Gateway
	Door    *door.Policy     // nil: no browsers, loopback names only
	Limits  Limits           // of sessions
	Clock   func() time.Time // of sessions; nil = time.Now
}

// Front serves hosts of the revisions from 2025-03-26 to 2025-11-25. It is safe
// for concurrent use.
type Front struct {
	gateway  *proxy.Gateway
	door     *door.Policy
	sessions *sessions
	messages *proxy.Pipeline // POST
	lobby    *proxy.Pipeline // GET and DELETE
}

// New returns a Front whose corridors are proved.
func New(o Options) (*Front, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Door == nil {
		o.Door = door.NewPolicy(nil, nil)
	}
	f := &Front{gateway: o.Gateway, door: o.Door, sessions: newSessions(o.Limits, o.Clock)}
	var err, lobbyErr error
	f.messages, err = o.Gateway.Corridor(proxy.Door{Accept: f.acceptPost, Agree: f.agree})
	f.lobby, lobbyErr = o.Gateway.Lobby(proxy.Door{Accept: f.accept, Agree: f.meet})
	return f, errors.Join(err, lobbyErr)
}

// Close ends all sessions and their streams, so that the server can stop.
func (f *Front) Close() { f.sessions.close() }

// ServeHTTP serves one request.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		f.post(w, r)
		return
	}
	f.visit(w, r)
}

func (f *Front) acceptPost(_ context.Context, c *proxy.Call) error { return f.door.AdmitPost(c) }

func (f *Front) accept(_ context.Context, c *proxy.Call) error {
	if err := f.door.Admit(c); err != nil {
		return err
	}
	switch {
	case c.Arrival.Method == http.MethodDelete:
	case c.Arrival.Method != http.MethodGet:
		return gateway.Fail(gateway.CodeMethodNotAllowed)
	case !door.Takes(c.Header["Accept"], "text/event-stream"):
		return gateway.Fail(gateway.CodeNotAcceptable)
	}
	return nil
}

// post takes one message through the corridor. Its call goes on when the
// connection breaks, since that cancels nothing in these revisions (2025-11-25,
// Streamable HTTP, Sending Messages to the Server): a call ends with its
// timeouts, with a cancellation, or with the session.
func (f *Front) post(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	x := &exchange{writer: sse.NewWriter(w, r), cancel: cancel}
	a := door.Arrival(w, r, audit.Legacy)
	a.Own = x
	if door.Takes(r.Header["Accept"], "text/event-stream") {
		a.Stream = x
	}
	c := f.gateway.Arrive(a)
	f.messages.Do(ctx, c)
	f.leave(x, c.Err != nil)
	if x.fresh && c.Err == nil {
		w.Header().Set(protocol.HeaderSession, x.session.id)
	}
	x.writer.Answer(c, f.gateway.Answer(c))
}

// visit serves GET and DELETE, which carry no message.
func (f *Front) visit(w http.ResponseWriter, r *http.Request) {
	x := &exchange{writer: sse.NewWriter(w, r)}
	a := door.Arrival(w, r, audit.Legacy)
	a.Own = x
	c := f.gateway.Arrive(a)
	f.lobby.Do(r.Context(), c)
	defer f.leave(x, false)
	switch {
	case c.Err != nil:
		if c.Err.Code == gateway.CodeMethodNotAllowed {
			w.Header().Set("Allow", "GET, POST, DELETE")
		}
		x.writer.Answer(c, f.gateway.Answer(c))
	case r.Method == http.MethodDelete:
		f.sessions.end(x.session)
		w.WriteHeader(http.StatusNoContent)
	default:
		f.listen(r.Context(), c, x)
	}
}

func (f *Front) meet(_ context.Context, c *proxy.Call) error { return f.enter(c, c.Own.(*exchange)) }

// listen serves the GET stream until the host leaves, opens another, the session
// ends, or its credential is good no more (2025-11-25, Listening for Messages from
// the Server).
func (f *Front) listen(ctx context.Context, c *proxy.Call, x *exchange) {
	messages := x.session.subscribe()
	defer x.session.unsubscribe(messages)
	defer x.writer.Close()
	follower := f.gateway.Follow(ctx, c, &x.session.memory)
	if x.writer.Open() != nil {
		return
	}
	following, stop := context.WithCancel(ctx)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		_ = follower.Run(following, func(method string, params []byte) error { // it ends the stream: a host opens another
			x.session.announce(protocol.AppendMessage(nil, nil, method, params))
			return nil
		})
	}()
	defer func() { stop(); <-followed }()
	for {
		select {
		case message, more := <-messages:
			if !more || x.writer.Event(message) != nil {
				return
			}
		case <-followed:
			return
		case <-x.session.ended:
			return
		case <-x.writer.Gone():
			return
		}
	}
}
