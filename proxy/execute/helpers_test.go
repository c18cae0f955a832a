package execute

import (
	"context"
	"errors"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
)

// desk is an executor before a registry with one upstream "up", whose answers a
// test plays.
type desk struct {
	*Executor
	registry  *registry.Registry
	listed    registry.Listing // what a refresh finds
	refreshed int
	staled    int
	broken    error // what a refresh fails with

	replies []reply
	sent    []protocol.Outgoing
}

type reply struct {
	in  protocol.Incoming
	err error
}

// newDesk serves what is listed under the facts.
func newDesk(t *testing.T, listed registry.Listing, facts gateway.ExposureFacts) *desk {
	t.Helper()
	redactor := redact.New(redact.Options{})
	d := &desk{listed: listed, registry: registry.New(registry.Options{Present: present.Items(func(string) *redact.Redactor { return redactor })})}
	x := &registry.Exposure{Items: map[gateway.ItemID]*registry.Record{}}
	for kind, raws := range map[gateway.Kind][][]byte{
		gateway.KindTool: listed.Tools, gateway.KindPrompt: listed.Prompts, gateway.KindTemplate: listed.Templates, gateway.KindResource: listed.Resources,
	} {
		key := map[gateway.Kind]string{gateway.KindResource: "uri", gateway.KindTemplate: "uriTemplate"}[kind]
		if key == "" {
			key = "name"
		}
		for _, raw := range raws {
			member, _ := protocol.Member(raw, key)
			name, _ := protocol.Text(member)
			x.Items[gateway.ItemID{Kind: kind, Upstream: "up", Name: name}] = &registry.Record{Definition: protocol.DigestOf(raw), Facts: facts}
		}
	}
	d.registry.SetExposure(x)
	if err := d.Refresh(t.Context(), "up"); err != nil {
		t.Fatal(err)
	}
	d.refreshed = 0
	cache, err := views.NewCache(views.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.Executor = &Executor{Sight: sight.New(d.registry, cache), Refresh: d, Redactor: redactor, Hop: present.NewHop("test")}
	return d
}

// Refresh implements call.Refresher.
func (d *desk) Refresh(context.Context, string) error {
	d.refreshed++
	if d.broken != nil {
		return d.broken
	}
	_, err := d.registry.Publish("up", d.listed)
	return err
}

// Stale implements call.Refresher.
func (d *desk) Stale(string) { d.staled++ }

// Call implements call.Upstream: it plays the next reply, the last one for ever.
func (d *desk) Call(_ context.Context, out protocol.Outgoing) (protocol.Incoming, error) {
	r := d.replies[0]
	if len(d.replies) > 1 {
		d.replies = d.replies[1:]
	}
	d.sent = append(d.sent, out)
	return r.in, r.err
}

// List, Changed, Watch and Fact implement call.Upstream.
func (d *desk) List(context.Context) (registry.Listing, error) { return d.listed, nil }
func (*desk) Changed() <-chan struct{}                         { return nil }
func (*desk) Watch(context.Context, string, func()) error      { return nil }
func (*desk) Fact() registry.UpstreamFact                      { return registry.UpstreamFact{Era: string(audit.Modern)} }
func (d *desk) world() *call.World {
	return &call.World{Upstreams: map[string]call.Upstream{"up": d}, Limits: call.Limits{CallTimeout: time.Minute, Result: 1 << 20}}
}

// calling is a call of a method with params, resolved by how.
func (d *desk) calling(t *testing.T, method, params string, how func(*call.Call) error) (*call.Call, error) {
	t.Helper()
	c := &call.Call{
		Arrival: call.Arrival{Era: audit.Modern, Transport: string(audit.HTTP)}, World: d.world(), Catalog: d.Sight.Catalog(), Clock: time.Now,
		Request: &protocol.Request{ID: []byte("1"), Method: method, Params: []byte("{" + params + "}")}, Principal: &gateway.Principal{Issuer: "test", Subject: "alice"},
	}
	return c, how(c)
}

// tool is a call of the first tool that is listed.
func (d *desk) tool(t *testing.T, params string) *call.Call {
	t.Helper()
	c, err := d.calling(t, protocol.MethodToolsCall, `"name":"up__tool"`+params, func(c *call.Call) error { return resolveName(c, gateway.KindTool) })
	if err != nil || !c.Item.Valid() {
		t.Fatalf("%v %q", err, c.Missing)
	}
	return c
}

func oneTool() registry.Listing {
	return registry.Listing{Tools: [][]byte{[]byte(`{"name":"tool","inputSchema":{"type":"object"}}`)}}
}

// code returns the code and the first reason of an error.
func code(err error) (gateway.Code, gateway.Reason) {
	var e *gateway.Error
	if !errors.As(err, &e) {
		return "", ""
	}
	if len(e.Reasons) == 0 {
		return e.Code, ""
	}
	return e.Code, e.Reasons[0]
}
