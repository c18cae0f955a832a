package delivery

import (
	"cmp"
	"context"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"

	"mcp-gateway/config"
	"mcp-gateway/config/delivery"
	"mcp-gateway/config/reach"
	"mcp-gateway/egress"
	"mcp-gateway/rego"
	"mcp-gateway/rego/deliver"
	"mcp-gateway/rego/pack"
	"mcp-gateway/rego/report"
)

// folder lies in the state directory.
const folder = "policy"

// Order is one delivery as a configuration asks for it.
type Order struct {
	bundles  []delivery.Bundle
	report   *delivery.Report
	networks reach.Networks
	set      *deliver.Set
	next     deliver.Next // what to serve by once the order is in force
}

// Desk follows the order of the configuration in force. The zero Desk follows none;
// its methods but Plan need Options.
type Desk struct {
	Options

	mu       sync.Mutex
	current  *Order
	reporter *report.Reporter   // of current; nil = nobody is told
	stop     context.CancelFunc // ends the following of current
	wait     sync.WaitGroup
}

// Plan returns the policy that a configuration asks for, and its order if it comes
// as bundles. before is what is in force, or nil: it stays until all have been
// delivered. Nothing is changed.
func (d *Desk) Plan(ctx context.Context, c *config.Config, clock func() time.Time, before *rego.Engine) (*rego.Engine, *Order, error) {
	o := rego.Options{Dir: c.Policy.Dir, Timeout: c.Policy.Timeout, Now: clock}
	if len(c.Policy.Delivered()) == 0 {
		e, err := rego.Load(ctx, o)
		return e, nil, err
	}
	order := d.order(c, clock)
	var err error
	order.next, err = order.set.Plan(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case order.next.Joined != nil:
		e, err := rego.New(order.next.Joined.Policy, o)
		return e, order, err
	case before != nil:
		return before, order, nil
	}
	return rego.None(), order, nil
}

// order returns the one that is followed if the configuration still asks for it.
func (d *Desk) order(c *config.Config, clock func() time.Time) *Order {
	next := &Order{bundles: c.Policy.Delivered(), report: c.Policy.Report, networks: c.Networks}
	d.mu.Lock()
	defer d.mu.Unlock()
	if o := d.current; o != nil && reflect.DeepEqual(o.bundles, next.bundles) && reflect.DeepEqual(o.report, next.report) && reflect.DeepEqual(o.networks, next.networks) {
		next.set = o.set
		return next
	}
	var all []deliver.Options
	for i := range next.bundles {
		all = append(all, source(&next.bundles[i], c, clock))
	}
	next.set = deliver.New(all...)
	return next
}

// source is where a bundle comes from.
func source(b *delivery.Bundle, c *config.Config, clock func() time.Time) deliver.Options {
	o := deliver.Options{
		Name: b.Name, File: b.File, URL: b.URL, Bearer: b.Bearer.Reveal(), Trust: pack.Trust{Unsigned: b.Unsigned},
		Poll: deliver.Poll(b.Poll), Keep: filepath.Join(c.State.Dir, folder), Now: clock,
	}
	if b.Key.Set() {
		o.Trust.Key = []byte(b.Key.Reveal())
	}
	if u, err := url.Parse(b.URL); err == nil && b.URL != "" {
		o.HTTP = egress.NewClient(egress.Options{AllowHosts: []string{u.Hostname()}, AllowPrefixes: c.Networks, Timeout: b.Poll.Wait + answerTime})
	}
	return o
}

// answerTime is how long a service may take to begin its answer, beside the time for
// which it may hold the question open.
const answerTime = 30 * time.Second

// Enter follows the order of a plan that is in force now, nil for none. It does not
// wait.
func (d *Desk) Enter(ctx context.Context, o *Order) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.current
	d.current = o
	if before != nil && (o == nil || o.set != before.set) {
		d.stop()
		d.reporter.Close()
		d.reporter = nil
	}
	if o == nil {
		return
	}
	same := before != nil && o.set == before.set
	if !same && o.report != nil {
		d.reporter = d.opened(o)
	}
	for _, lost := range o.next.Lost {
		d.refused(ctx, lost.Name, lost.Err)
	}
	if j := o.next.Joined; j != nil && j != o.set.Current() {
		d.took(o.set, j)
	}
	d.report(o.set)
	if same {
		o.set.Ask()
		return
	}
	ctx, d.stop = context.WithCancel(ctx)
	d.wait.Go(func() { d.failed(o.set.Follow(ctx, d.follower(ctx, o.set))) })
}

// follows says whether what comes of a set is to be put in force still.
func (d *Desk) follows(s *deliver.Set) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current != nil && d.current.set == s
}

// Status says how the delivery of each bundle stands, by name; nil where policy is
// not delivered.
func (d *Desk) Status() map[string]deliver.Status {
	d.mu.Lock()
	o := d.current
	d.mu.Unlock()
	if o == nil {
		return nil
	}
	return o.set.Status()
}

// Wait returns when nothing is followed any more: after the context of Enter ended.
func (d *Desk) Wait() {
	d.wait.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reporter.Close()
	d.reporter = nil
}

// Between stands between the places of several bundles.
const Between = ","

// Place is where the policy of a configuration lies on this machine: the folder, the
// bundle, or what was kept of a service's, and of several all with Between between
// them; "" for the shipped policy.
func Place(c *config.Config) string {
	if len(c.Policy.Delivered()) == 0 {
		return c.Policy.Dir
	}
	var d Desk
	return strings.Join(d.order(c, time.Now).set.Places(), Between)
}

// opened makes who is told how the bundles stand.
func (d *Desk) opened(o *Order) *report.Reporter {
	u, err := url.Parse(o.report.URL)
	if err != nil {
		d.failed(err) // the configuration is checked: cannot happen
		return nil
	}
	r, err := report.New(report.Options{
		URL: o.report.URL, Bearer: o.report.Bearer.Reveal(), Partition: o.report.Partition,
		ID: cmp.Or(d.Replica, "mcp-gateway"), Version: d.Version,
		HTTP:   egress.NewClient(egress.Options{AllowHosts: []string{u.Hostname()}, AllowPrefixes: o.networks}),
		Failed: func(err error) { d.unreported(err) },
	})
	d.failed(err)
	return r
}
