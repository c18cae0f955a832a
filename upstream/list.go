package upstream

import (
	"context"
	"errors"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/pages"
	"mcp-gateway/upstream/wire"
)

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
// It is asked what it is, too, so that the listing says what it is now.
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
	peer, met := c.peer()
	w := pages.Walk{Ask: c.link.Exchange, Bytes: c.cfg.ListLimit, Items: registry.MaxItems}
	var found registry.Listing
	var first error
	answered := false
	for _, k := range kinds(&peer) {
		items, err := w.All(ctx, k.method)
		switch {
		case errors.Is(err, pages.ErrUnknown):
			c.lists.Add(1)
			answered = true
		case err != nil:
			first = cmpError(first, err)
			w.Partial = true
		default:
			answered = true
		}
		*k.into(&found) = items
	}
	if !answered {
		return registry.Listing{}, staged(first)
	}
	c.listed(met)
	return c.listing(found, &w), nil
}

// lookAgain asks a server anew what it is: it is met once, may run for weeks, and what it
// declares and tells models may change meanwhile. One of the modern era is asked at each
// list; one of the legacy era says it only to who begins a session, so one over HTTP is
// begun, and ended, now and then; a process says it once. What it does not answer changes
// nothing.
func (c *Client) lookAgain(ctx context.Context) error {
	had, met := c.peer()
	now, err := c.introduced(ctx, &had)
	switch {
	case err != nil:
		return err
	case now.Era == "":
		return nil // the lists will say why, if it is down
	case now.Revision != had.Revision:
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

// introduced returns what a server says of itself now; the zero Peer where it says
// nothing, or is not to be asked yet.
func (c *Client) introduced(ctx context.Context, had *wire.Peer) (wire.Peer, error) {
	if had.Era == wire.Modern {
		in, err := c.link.Exchange(ctx, &protocol.Outgoing{Method: protocol.MethodDiscover}, c.cfg.ListLimit)
		if err != nil || in.Result == nil {
			return wire.Peer{}, nil
		}
		return wire.Discovered(in.Result)
	}
	if c.web == nil || !c.due() {
		return wire.Peer{}, nil
	}
	return c.web.Again(ctx), nil
}

// due says whether a legacy server is to be asked again what it is, and takes it for
// asked if so.
func (c *Client) due() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if now.Sub(c.state.asked) < c.cfg.LookAgain {
		return false
	}
	c.state.asked = now
	return true
}

// listed notes that what was met in that meeting gave its lists: calls may go to it.
func (c *Client) listed(met int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.met == met {
		c.state.strange = false
	}
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
func (c *Client) listing(found registry.Listing, w *pages.Walk) registry.Listing {
	ttl := c.cfg.Refresh
	if w.TTL > 0 {
		ttl = w.TTL
	}
	peer, _ := c.peer()
	found.Partial, found.TTL = w.Partial, max(shortestTTL, min(ttl, c.cfg.TTLCap))
	found.Era, found.Revision, found.Instructions = string(peer.Era), peer.Revision, peer.Instructions
	found.Capabilities = peer.Capabilities
	return found
}
