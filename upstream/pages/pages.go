package pages

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/upstream/wire"
)

// most bounds one walk over the pages of a list.
const most = 100

// ErrUnknown says that the upstream does not know a list method.
var ErrUnknown = errors.New("no such list")

// Walk is where the walk over all lists of an upstream stands.
type Walk struct {
	Ask     func(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) // the upstream
	Bytes   int                                                                                     // that are left
	Items   int                                                                                     // that are left
	TTL     time.Duration                                                                           // the shortest that a page named; 0 if none did
	Partial bool                                                                                    // it had to stop early, or a kind failed
}

// pages is where the walk over one kind stands.
type pages struct {
	method string
	items  [][]byte
	seen   map[string]bool // cursors
	cursor *string         // of the next page; nil for the first
}

// All fetches every page of one list. With an error come those that were read.
func (w *Walk) All(ctx context.Context, method string) ([][]byte, error) {
	p := pages{method: method, seen: make(map[string]bool)}
	for range most {
		in, err := w.Ask(ctx, p.request(), w.Bytes)
		var e *gateway.Error
		switch {
		case errors.As(err, &e) && e.Code == gateway.CodeTooLarge && w.Items < registry.MaxItems:
			w.Partial = true
			return p.items, nil
		case err != nil:
			return p.items, err
		case in.Error != nil && in.Error.Code == protocol.RPCMethodNotFound && p.cursor == nil:
			return nil, ErrUnknown
		case in.Error != nil:
			return p.items, p.failed("error " + strconv.FormatInt(in.Error.Code, 10))
		}
		more, err := w.take(&p, in.Result)
		if err != nil || !more {
			return p.items, err
		}
	}
	w.Partial = true
	return p.items, nil
}

func (p *pages) request() *protocol.Outgoing {
	out := &protocol.Outgoing{Method: p.method}
	if p.cursor != nil {
		out.Params = append(protocol.AppendString([]byte(`{"cursor":`), *p.cursor), '}')
	}
	return out
}

// take adds one page and reports whether another one follows.
func (w *Walk) take(p *pages, page []byte) (more bool, err error) {
	value, ok := protocol.Member(page, "resultType")
	if text, _ := protocol.Text(value); ok && text != protocol.ResultComplete {
		return false, p.failed("resultType is not complete")
	}
	list, ok := protocol.Member(page, wire.ListOf(p.method))
	if !ok || protocol.Kind(list) != '[' {
		return false, p.failed("no list")
	}
	for item := range protocol.Elements(list) {
		if w.Items == 0 {
			w.Partial = true
			return false, nil
		}
		w.Items--
		p.items = append(p.items, slices.Clone(item)) // so that the page can be freed
	}
	w.age(page)
	w.Bytes -= len(page)
	cursor, ok := protocol.Member(page, "nextCursor")
	if !ok || protocol.Kind(cursor) == 'n' {
		return false, nil
	}
	next, ok := protocol.Text(cursor)
	if !ok {
		return false, p.failed("nextCursor is not a string")
	}
	if p.seen[next] || w.Bytes <= 0 {
		w.Partial = true
		return false, nil
	}
	p.seen[next] = true
	p.cursor = &next
	return true, nil
}

// age notes how long a page says that it holds (2026-07-28, ttlMs); 0, negative or no
// whole number of milliseconds counts as none.
func (w *Walk) age(page []byte) {
	value, _ := protocol.Member(page, "ttlMs")
	ms, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || ms <= 0 {
		return
	}
	ttl := time.Duration(min(ms, int64(24*365*time.Hour/time.Millisecond))) * time.Millisecond
	if w.TTL == 0 || ttl < w.TTL {
		w.TTL = ttl
	}
}

func (p *pages) failed(what string) error {
	return gateway.Because(gateway.CodeExecutionError, errors.New(p.method+": "+what), gateway.ReasonMalformed)
}
