package upstream

import (
	"context"
	"slices"
	"strings"
	"sync"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/wire"
)

// maxWatched is how many resources of one upstream may be watched.
const maxWatched = 1000

// Watch calls changed, which must not block, whenever the upstream says that
// the resource was updated, and when such words may have been missed. Watchers
// of one URI share one subscription, which the last of them ends. Watch returns
// nil when ctx ends, and otherwise why the resource can't be watched.
func (c *Client) Watch(ctx context.Context, uri string, changed func()) error {
	switch err := c.link.Ready(ctx); {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return staged(err)
	}
	if peer, _ := c.peer(); !peer.Declares("/resources/subscribe") {
		return staged(gateway.Fail(gateway.CodeUnavailable, wire.ReasonUnsupported))
	}
	w, ok := c.watches.add(uri, changed)
	if !ok {
		return staged(gateway.Fail(gateway.CodeUnavailable, wire.ReasonBusy))
	}
	defer c.watches.remove(uri, w)
	select {
	case <-ctx.Done():
		return nil
	case err := <-w.failed:
		return staged(err)
	case <-c.ctx.Done():
		return staged(gateway.Fail(gateway.CodeUnavailable, wire.ReasonClosed))
	}
}

// watches are the resources that somebody watches.
type watches struct {
	kick chan struct{} // receives when they, or the peer, changed

	mu    sync.Mutex
	byURI map[string]map[*watcher]bool
}

type watcher struct {
	changed func()
	failed  chan error // one, if the subscription can't be had
}

func (w *watches) init() {
	w.kick, w.byURI = make(chan struct{}, 1), make(map[string]map[*watcher]bool)
}

// turn asks for the subscriptions to be looked at.
func (w *watches) turn() {
	select {
	case w.kick <- struct{}{}:
	default:
	}
}

func (w *watches) add(uri string, changed func()) (*watcher, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byURI[uri] == nil {
		if len(w.byURI) == maxWatched {
			return nil, false
		}
		w.byURI[uri] = make(map[*watcher]bool)
		w.turn()
	}
	one := &watcher{changed: changed, failed: make(chan error, 1)}
	w.byURI[uri][one] = true
	return one, true
}

func (w *watches) remove(uri string, one *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.byURI[uri]
	if delete(all, one); all != nil && len(all) == 0 {
		delete(w.byURI, uri)
		w.turn()
	}
}

// fail ends every watch of a URI.
func (w *watches) fail(uri string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.byURI[uri] {
		one.failed <- err
	}
	delete(w.byURI, uri)
}

// uris returns what is watched, sorted.
func (w *watches) uris() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]string, 0, len(w.byURI))
	for uri := range w.byURI {
		all = append(all, uri)
	}
	slices.Sort(all)
	return all
}

// tell calls those who watch a resource that is updated: it, or one that
// contains it (2025-06-18, resources: the URI might be of a sub-resource).
func (w *watches) tell(updated func(uri string) bool) {
	var told []*watcher
	w.mu.Lock()
	for uri, all := range w.byURI {
		if !updated(uri) {
			continue
		}
		for one := range all {
			told = append(told, one)
		}
	}
	w.mu.Unlock()
	for _, one := range told {
		one.changed()
	}
}

// note takes what the upstream says of changes.
func (c *Client) note(method string, params []byte) {
	if method != protocol.NotificationResourceUpdated {
		c.signal()
		return
	}
	value, _ := protocol.Member(params, "uri")
	uri, ok := protocol.Text(value)
	if !ok {
		return
	}
	c.watches.tell(func(watched string) bool {
		return uri == watched || strings.HasPrefix(uri, strings.TrimSuffix(watched, "/")+"/")
	})
}

// missed tells the watchers of those resources that something may have been
// said unheard.
func (c *Client) missed(uris []string) {
	c.watches.tell(func(watched string) bool { return slices.Contains(uris, watched) })
}
