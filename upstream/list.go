package upstream

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/wire"
)

// Bounds of one walk over the pages of a list.
const (
	maxPages = 100
	maxTools = 10_000
)

// List fetches tools/list, all pages of it. A walk that has to stop early, at a
// bound or at a cursor that was there before, gives a partial listing, which
// must not replace a whole one. Any page that fails fails the list.
func (c *Client) List(ctx context.Context) (registry.Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	w := walk{seen: make(map[string]bool), room: c.cfg.ListLimit}
	for range maxPages {
		in, err := c.link.Exchange(ctx, w.request(), w.room)
		var e *gateway.Error
		if errors.As(err, &e) && e.Code == gateway.CodeTooLarge && len(w.tools) > 0 {
			w.partial = true
			return c.listing(&w), nil
		}
		if err != nil {
			if child.ReasonOf(err) == wire.ReasonConnecting {
				c.miss()
			}
			return registry.Listing{}, staged(err)
		}
		if in.Error != nil {
			return registry.Listing{}, listFailed("error " + strconv.FormatInt(in.Error.Code, 10))
		}
		more, err := w.take(in.Result)
		if err != nil {
			return registry.Listing{}, err
		}
		if !more {
			return c.listing(&w), nil
		}
	}
	w.partial = true
	return c.listing(&w), nil
}

// walk is where a List stands.
type walk struct {
	tools   [][]byte
	seen    map[string]bool // cursors
	cursor  *string         // of the next page; nil for the first
	room    int             // bytes that are left
	ttl     time.Duration   // the shortest that a page named; 0 if none did
	partial bool
}

func (w *walk) request() *protocol.Outgoing {
	out := &protocol.Outgoing{Method: protocol.MethodToolsList}
	if w.cursor != nil {
		out.Params = append(protocol.AppendString([]byte(`{"cursor":`), *w.cursor), '}')
	}
	return out
}

// take adds one page and reports whether another one follows.
func (w *walk) take(page []byte) (more bool, err error) {
	kind, ok := protocol.Member(page, "resultType")
	if text, _ := protocol.Text(kind); ok && text != protocol.ResultComplete {
		return false, listFailed("resultType is not complete")
	}
	tools, ok := protocol.Member(page, "tools")
	if !ok || protocol.Kind(tools) != '[' {
		return false, listFailed("no tools")
	}
	for tool := range protocol.Elements(tools) {
		if len(w.tools) == maxTools {
			w.partial = true
			return false, nil
		}
		w.tools = append(w.tools, slices.Clone(tool)) // so that the page can be freed
	}
	w.age(page)
	w.room -= len(page)
	cursor, ok := protocol.Member(page, "nextCursor")
	if !ok || protocol.Kind(cursor) == 'n' {
		return false, nil
	}
	next, ok := protocol.Text(cursor)
	if !ok {
		return false, listFailed("nextCursor is not a string")
	}
	if w.seen[next] || w.room <= 0 {
		w.partial = true
		return false, nil
	}
	w.seen[next] = true
	w.cursor = &next
	return true, nil
}

// age keeps the shortest TTL of the pages. One that is absent, negative or no
// whole number of milliseconds counts as none.
func (w *walk) age(page []byte) {
	value, _ := protocol.Member(page, "ttlMs")
	ms, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || ms <= 0 {
		return
	}
	ttl := time.Duration(min(ms, int64(24*365*time.Hour/time.Millisecond))) * time.Millisecond
	if w.ttl == 0 || ttl < w.ttl {
		w.ttl = ttl
	}
}

// listing is what the walk found, with a TTL that the configuration allows.
func (c *Client) listing(w *walk) registry.Listing {
	ttl := c.cfg.Refresh
	if w.ttl > 0 {
		ttl = w.ttl
	}
	c.mu.Lock()
	peer := c.state.peer
	c.mu.Unlock()
	return registry.Listing{
		Tools: w.tools, Partial: w.partial, TTL: max(shortestTTL, min(ttl, c.cfg.TTLCap)),
		Era: string(peer.Era), Revision: peer.Revision, Instructions: peer.Instructions,
	}
}

func listFailed(what string) error {
	return &gateway.Error{
		Code: gateway.CodeExecutionError, Stage: "upstream",
		Reasons: []gateway.Reason{gateway.ReasonMalformed}, Err: errors.New("tools/list: " + what),
	}
}
