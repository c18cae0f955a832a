package delivery

import (
	"context"
	"net/url"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"mcp-gateway/config"
	"mcp-gateway/config/delivery"
	"mcp-gateway/config/reach"
	"mcp-gateway/egress"
	"mcp-gateway/rego"
	"mcp-gateway/rego/deliver"
	"mcp-gateway/rego/pack"
)

// folder lies in the state directory.
const folder = "policy"

// Order is one delivery as a configuration asks for it.
type Order struct {
	bundle   delivery.Bundle
	networks reach.Networks
	source   *deliver.Source
	next     *pack.Bundle // of a file: read, and not in force yet
	lost     error        // why what was kept is good no more
}

// Desk follows the order of the configuration in force. The zero Desk follows none;
// its methods but Plan need Options.
type Desk struct {
	Options

	mu      sync.Mutex
	current *Order
	stop    context.CancelFunc // ends the following of current
	wait    sync.WaitGroup
}

// Plan returns the policy that a configuration asks for, and its order if it comes
// as a bundle. before is what is in force, or nil: it stays until a service has
// delivered. Nothing is changed.
func (d *Desk) Plan(ctx context.Context, c *config.Config, clock func() time.Time, before *rego.Engine) (*rego.Engine, *Order, error) {
	o := rego.Options{Dir: c.Policy.Dir, Timeout: c.Policy.Timeout, Now: clock}
	if c.Policy.Bundle == nil {
		e, err := rego.Load(ctx, o)
		return e, nil, err
	}
	order := d.order(c, clock)
	b, err := order.newest(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case b != nil:
		e, err := rego.New(b.Policy, o)
		return e, order, err
	case before != nil:
		return before, order, nil
	}
	return rego.None(), order, nil
}

// order returns the one that is followed if the configuration still asks for it.
func (d *Desk) order(c *config.Config, clock func() time.Time) *Order {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o := d.current; o != nil && reflect.DeepEqual(o.bundle, *c.Policy.Bundle) && reflect.DeepEqual(o.networks, c.Networks) {
		return &Order{bundle: o.bundle, networks: o.networks, source: o.source}
	}
	b := *c.Policy.Bundle
	o := deliver.Options{
		File: b.File, URL: b.URL, Bearer: b.Bearer.Reveal(), Trust: pack.Trust{Unsigned: b.Unsigned},
		Poll: deliver.Poll(b.Poll), Keep: filepath.Join(c.State.Dir, folder), Now: clock,
	}
	if b.Key.Set() {
		o.Trust.Key = []byte(b.Key.Reveal())
	}
	if u, err := url.Parse(b.URL); err == nil && b.URL != "" {
		o.HTTP = egress.NewClient(egress.Options{AllowHosts: []string{u.Hostname()}, AllowPrefixes: c.Networks})
	}
	return &Order{bundle: b, networks: c.Networks, source: deliver.New(o)}
}

// newest is what to serve by: of a file what it holds, of a service what came last,
// before this start if need be. It is nil where none ever came.
func (o *Order) newest(ctx context.Context) (*pack.Bundle, error) {
	b := o.source.Taken()
	if b == nil {
		b, o.lost = o.source.Recall(ctx)
	}
	if o.bundle.File == "" {
		return b, nil
	}
	var err error
	o.next, err = o.source.Read(ctx)
	return o.next, err
}

// Enter follows the order of a plan that is in force now, nil for none. It does not
// wait.
func (d *Desk) Enter(ctx context.Context, o *Order) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.current
	d.current = o
	if before != nil && (o == nil || o.source != before.source) {
		d.stop()
	}
	if o == nil {
		return
	}
	if o.lost != nil {
		d.refused(ctx, o.lost)
	}
	if o.next != nil && o.next != o.source.Taken() {
		d.took(o.next, o.source.Take(o.next))
	}
	if before != nil && o.source == before.source {
		o.source.Ask()
		return
	}
	ctx, d.stop = context.WithCancel(ctx)
	if o.bundle.URL != "" {
		d.wait.Go(func() { d.failed(o.source.Follow(ctx, d.follower(ctx, o.source))) })
	}
}

// Follows says whether what comes from a source is to be put in force still.
func (d *Desk) Follows(s *deliver.Source) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current != nil && d.current.source == s
}

// Status says how the delivery stands; nil where policy is not delivered.
func (d *Desk) Status() *deliver.Status {
	d.mu.Lock()
	o := d.current
	d.mu.Unlock()
	if o == nil {
		return nil
	}
	st := o.source.Status()
	return &st
}

// Wait returns when nothing is followed any more: after the context of Enter ended.
func (d *Desk) Wait() { d.wait.Wait() }

// Place is where the policy of a configuration lies on this machine: the folder, the
// bundle, or what was kept of a service's; "" for the shipped policy.
func Place(c *config.Config) string {
	switch b := c.Policy.Bundle; {
	case b == nil:
		return c.Policy.Dir
	case b.File != "":
		return b.File
	}
	var d Desk
	return d.order(c, time.Now).source.KeptPath()
}
