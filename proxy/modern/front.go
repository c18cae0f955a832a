package modern

import (
	"context"
	"errors"
	"net/http"

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
	Door    *door.Policy // nil: no browsers, loopback names only
}

// Front serves hosts of revision 2026-07-28. It is safe for concurrent use.
type Front struct {
	gateway  *proxy.Gateway
	pipeline *proxy.Pipeline
	door     *door.Policy
}

// New returns a Front whose corridor is proved.
func New(o Options) (*Front, error) {
	f := &Front{gateway: o.Gateway, door: o.Door}
	if f.door == nil {
		f.door = door.NewPolicy(nil, nil)
	}
	pipeline, err := o.Gateway.Corridor(proxy.Door{Accept: f.accept, Agree: agree})
	if err != nil {
		return nil, err
	}
	f.pipeline = pipeline
	return f, nil
}

// ServeHTTP takes one request through the corridor.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := door.Arrival(w, r, audit.Modern)
	writer := sse.NewWriter(w, r)
	if door.Takes(r.Header["Accept"], "text/event-stream") {
		a.Stream = stream{writer}
	}
	c := f.gateway.Arrive(a)
	f.pipeline.Do(r.Context(), c)
	if c.Err != nil && c.Err.Code == gateway.CodeMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	writer.Answer(c, f.gateway.Answer(c))
}

// stream is what belongs to an open request besides its answer. This revision
// lets a server notify there and ask nothing: what it needs, it asks for in a
// result (2026-07-28, Multi Round-Trip Requests).
type stream struct{ writer *sse.Writer }

func (s stream) Notify(_ context.Context, method string, params []byte) error {
	return s.writer.Event(protocol.AppendMessage(nil, nil, method, params))
}

func (s stream) Ask(context.Context, string, []byte) ([]byte, error) { return nil, errNoRequests }

func (s stream) CanAsk(string) bool { return false }

var errNoRequests = errors.New("hosts of this revision take no requests")

// expect prepares for a stream where the host asked for what only a stream can
// carry.
func expect(c *proxy.Call) {
	s, ok := c.Stream.(stream)
	if m := c.Request.Meta; ok && (m.ProgressToken != nil || m.LogLevel != "" || c.Request.Method == protocol.MethodSubscriptionsListen) {
		s.writer.KeepAlive()
	}
}
