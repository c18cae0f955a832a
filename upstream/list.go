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

// maxPages bounds one walk over the pages of a list.
const maxPages = 100

// errUnknownList says that the upstream does not know a list method.
var errUnknownList = errors.New("no such list")

// kind is something that upstreams list.
type kind struct {
	method string
	into   func(*registry.Listing) *[][]byte
}

// kinds returns what a peer declares that it lists. One that declares nothing at
// all is asked for tools: servers that serve them without saying so exist.
func kinds(p *wire.Peer) []kind {
	var all []kind
	if !p.Declares("/prompts") && !p.Declares("/resources") || p.Declares("/tools") {
		all = append(all, kind{protocol.MethodToolsList, func(l *registry.Listing) *[][]byte { return &l.Tools }})
	}
	if p.Declares("/prompts") {
		all = append(all, kind{protocol.MethodPromptsList, func(l *registry.Listing) *[][]byte { return &l.Prompts }})
	}
	if p.Declares("/resources") {
		all = append(all, kind{protocol.MethodResourcesList, func(l *registry.Listing) *[][]byte { return &l.Resources }},
			kind{protocol.MethodResourceTemplatesList, func(l *registry.Listing) *[][]byte { return &l.Templates }})
	}
	return all
}

// List fetches the lists of every kind that the upstream declares, all pages of
// them. A walk that has to stop early, at a bound or at a cursor that was there
// before, and a kind that fails make the listing partial; a partial one must not
// replace a whole one. A method that the upstream declares and does not know
// lists nothing. If every kind fails so does List, with the first error.
//
// A modern upstream is asked what it is, too, so that the listing says what it is now.
//
// What is listed comes as it was sent; an element may be no strict JSON.
func (c *Client) List(ctx context.Context) (registry.Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	if err := c.link.Ready(ctx); err != nil {
		if child.ReasonOf(err) == wire.ReasonConnecting {
			c.miss()
		}
		return registry.Listing{}, staged(err)
	}
	if err := c.lookAgain(ctx); err != nil {
		return registry.Listing{}, staged(err)
	}
	peer, _ := c.peer()
	w := walk{link: c.link, bytes: c.cfg.ListLimit, items: registry.MaxItems}
	var found registry.Listing
	var first error
	answered := false
	for _, k := range kinds(&peer) {
		items, err := w.all(ctx, k.method)
		switch {
		case errors.Is(err, errUnknownList):
			c.lists.Add(1)
			answered = true
		case err != nil:
			first = cmpError(first, err)
			w.partial = true
		default:
			answered = true
		}
		*k.into(&found) = items
	}
	if !answered {
		return registry.Listing{}, staged(first)
	}
	return c.listing(found, &w), nil
}

// lookAgain asks a server of the modern era anew what it is: it is met once, may run for
// weeks, and what it declares and tells models may change meanwhile. What it does not
// answer changes nothing. One of the legacy era says it when it is met, and never again.
func (c *Client) lookAgain(ctx context.Context) error {
	had, met := c.peer()
	if had.Era != wire.Modern {
		return nil
	}
	in, err := c.link.Exchange(ctx, &protocol.Outgoing{Method: protocol.MethodDiscover}, c.cfg.ListLimit)
	if err != nil || in.Result == nil {
		return nil // the lists will say why, if it is down
	}
	now, err := wire.Discovered(in.Result)
	if err != nil {
		return err
	}
	if now.Revision != had.Revision {
		return gateway.Fail(gateway.CodeUnavailable, wire.ReasonRevision)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.met == met { // else it said so anew already
		now.Confined = had.Confined
		c.state.peer = now
	}
	return nil
}

// cmpError returns the first error that there is.
func cmpError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// listing completes what was found, with a TTL that the configuration allows
// and as what the upstream was met.
func (c *Client) listing(found registry.Listing, w *walk) registry.Listing {
	ttl := c.cfg.Refresh
	if w.ttl > 0 {
		ttl = w.ttl
	}
	peer, _ := c.peer()
	found.Partial, found.TTL = w.partial, max(shortestTTL, min(ttl, c.cfg.TTLCap))
	found.Era, found.Revision, found.Instructions = string(peer.Era), peer.Revision, peer.Instructions
	found.Capabilities = peer.Capabilities
	return found
}

// walk is where a List stands, over all kinds.
type walk struct {
	link    link
	bytes   int           // that are left
	items   int           // that are left
	ttl     time.Duration // the shortest that a page named; 0 if none did
	partial bool
}

// pages is where the walk over one kind stands.
type pages struct {
	method string
	items  [][]byte
	seen   map[string]bool // cursors
	cursor *string         // of the next page; nil for the first
}

// all fetches every page of one list. With an error come those that were read.
func (w *walk) all(ctx context.Context, method string) ([][]byte, error) {
	p := pages{method: method, seen: make(map[string]bool)}
	for range maxPages {
		in, err := w.link.Exchange(ctx, p.request(), w.bytes)
		var e *gateway.Error
		switch {
		case errors.As(err, &e) && e.Code == gateway.CodeTooLarge && w.items < registry.MaxItems:
			w.partial = true
			return p.items, nil
		case err != nil:
			return p.items, err
		case in.Error != nil && in.Error.Code == protocol.RPCMethodNotFound && p.cursor == nil:
			return nil, errUnknownList
		case in.Error != nil:
			return p.items, p.failed("error " + strconv.FormatInt(in.Error.Code, 10))
		}
		more, err := w.take(&p, in.Result)
		if err != nil || !more {
			return p.items, err
		}
	}
	w.partial = true
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
func (w *walk) take(p *pages, page []byte) (more bool, err error) {
	value, ok := protocol.Member(page, "resultType")
	if text, _ := protocol.Text(value); ok && text != protocol.ResultComplete {
		return false, p.failed("resultType is not complete")
	}
	list, ok := protocol.Member(page, wire.ListOf(p.method))
	if !ok || protocol.Kind(list) != '[' {
		return false, p.failed("no list")
	}
	for item := range protocol.Elements(list) {
		if w.items == 0 {
			w.partial = true
			return false, nil
		}
		w.items--
		p.items = append(p.items, slices.Clone(item)) // so that the page can be freed
	}
	w.age(page)
	w.bytes -= len(page)
	cursor, ok := protocol.Member(page, "nextCursor")
	if !ok || protocol.Kind(cursor) == 'n' {
		return false, nil
	}
	next, ok := protocol.Text(cursor)
	if !ok {
		return false, p.failed("nextCursor is not a string")
	}
	if p.seen[next] || w.bytes <= 0 {
		w.partial = true
		return false, nil
	}
	p.seen[next] = true
	p.cursor = &next
	return true, nil
}

// age notes how long a page says that it holds (2026-07-28, ttlMs); 0, negative or no
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

func (p *pages) failed(what string) error {
	return gateway.Because(gateway.CodeExecutionError, errors.New(p.method+": "+what), gateway.ReasonMalformed)
}
