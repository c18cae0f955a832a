package exchange

import (
	"context"
	"strconv"
	"sync"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/wire"
)

// Exchange is one request that is under way.
type Exchange struct {
	ID  int64 // also the progress token
	Out *protocol.Outgoing

	ctx   context.Context // of whoever made it
	reply chan Reply      // on a Line: one, by whoever removed the exchange from its hub

	mu       sync.Mutex // held while Notify runs, so that nothing is told once it is over
	over     bool
	progress float64
	begun    bool                          // progress is set
	asks     map[string]context.CancelFunc // what ends the questions that are open
}

// Reply is what became of a request: a message, or why there will be none.
type Reply struct {
	Message protocol.Message
	Err     *gateway.Error
}

// Reply receives what became of the request, once.
func (x *Exchange) Reply() <-chan Reply { return x.reply }

// close ends what belongs to the exchange; when it returns Notify runs no more.
func (x *Exchange) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
	for _, end := range x.asks {
		end()
	}
}

// tell gives a notification to the caller, if it is still there and wants it.
func (x *Exchange) tell(method string, params []byte) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over || x.Out.Notify == nil {
		return false
	}
	x.Out.Notify(method, params)
	return true
}

// advance tells of progress that was made; what does not rise is not told
// (2026-07-28, progress: the value MUST increase).
func (x *Exchange) advance(params []byte) bool {
	value, _ := protocol.Member(params, "progress")
	progress, err := strconv.ParseFloat(string(value), 64)
	if err != nil || protocol.Kind(value) != '0' || !x.Out.Progress {
		return false
	}
	x.mu.Lock()
	rises := !x.begun || progress > x.progress
	x.progress, x.begun = max(progress, x.progress), true
	if !rises {
		x.mu.Unlock()
		return false
	}
	x.mu.Unlock()
	return x.tell(protocol.NotificationProgress, wire.Without(params, protocol.MetaProgressToken))
}

// runs reports whether the request makes the upstream do something for a
// caller, in the course of which it may log and ask.
func (x *Exchange) runs() bool {
	switch x.Out.Method {
	case protocol.MethodToolsCall, protocol.MethodPromptsGet, protocol.MethodResourcesRead, protocol.MethodComplete:
		return true
	}
	return false
}
