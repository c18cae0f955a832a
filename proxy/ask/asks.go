package ask

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"mcp-gateway/protocol"
)

// ErrGone ends an ask whose session, or the request that it belonged to, ended.
var ErrGone = errors.New("the host has left")

// Refusal is a host's JSON-RPC error in reply to what was asked of it.
type Refusal struct{ RPC protocol.RPCError }

// Error implements error. It names no text of the host.
func (r *Refusal) Error() string {
	return fmt.Sprintf("the host answered with JSON-RPC error %d", r.RPC.Code)
}

// Asks are requests to one host that wait for its reply. The zero value is
// ready; it is safe for concurrent use.
type Asks struct {
	mu      sync.Mutex
	last    int64
	waiting map[int64]chan protocol.Message // of one place each
}

// Do sends a request and waits for its reply, for ctx, or for gone. What is
// given up is cancelled at the host.
func (a *Asks) Do(ctx context.Context, gone <-chan struct{}, send func([]byte) error, method string, params []byte) ([]byte, error) {
	id, reply := a.open()
	defer a.forget(id)
	if err := send(protocol.AppendMessage(nil, strconv.AppendInt(nil, id, 10), method, params)); err != nil {
		return nil, err
	}
	select {
	case m := <-reply:
		return read(m)
	case <-gone:
		return nil, ErrGone
	case <-ctx.Done():
		cancel := []byte(`{"requestId":` + strconv.FormatInt(id, 10) + `}`)
		_ = send(protocol.AppendMessage(nil, nil, protocol.NotificationCancelled, cancel)) // it is given up either way
		return nil, ctx.Err()
	}
}

func read(m protocol.Message) ([]byte, error) {
	if m.Error == nil {
		return m.Result, nil
	}
	rpc, ok := protocol.ParseRPCError(m.Error)
	if !ok {
		rpc.Code = protocol.RPCInternalError
	}
	return nil, &Refusal{RPC: rpc}
}

func (a *Asks) open() (int64, <-chan protocol.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = make(map[int64]chan protocol.Message)
	}
	a.last++
	reply := make(chan protocol.Message, 1)
	a.waiting[a.last] = reply
	return a.last, reply
}

func (a *Asks) forget(id int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, id)
}

// Deliver hands a reply to who waits for it. One for which nobody waits, be it
// late or made up, is dropped. The message must not be written to afterwards.
func (a *Asks) Deliver(m protocol.Message) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if reply, ok := a.waiting[id]; ok {
		delete(a.waiting, id)
		reply <- m
	}
}
