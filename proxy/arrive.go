package proxy

import (
	"context"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/corridor"
	"mcp-gateway/proxy/throttle"
)

// Door is what a front adds to the corridor's entrance: what it judges from
// headers alone, and what it holds against the decoded body.
type Door struct {
	Accept func(context.Context, *Call) error
	Agree  func(context.Context, *Call) error
}

// Corridor returns the way from a front's door to the method that is asked for.
func (g *Gateway) Corridor(d Door) (*Pipeline, error) {
	return corridor.New([]Fact{call.FactArrival}, append(g.entrance(d),
		Stage{Name: "decode", Needs: []Fact{call.FactAdmitted}, Sets: []Fact{call.FactRequest},
			Run: func(ctx context.Context, c *Call) error {
				if err := decode(c); err != nil {
					return err
				}
				return d.Agree(ctx, c)
			}},
		Stage{Name: "route", Needs: []Fact{call.FactRequest}, Run: g.route},
	)...)
}

// Lobby returns the way of a request that carries no message, such as the GET
// and DELETE of legacy hosts: it ends with what the front itself agrees to.
func (g *Gateway) Lobby(d Door) (*Pipeline, error) {
	return corridor.New([]Fact{call.FactArrival}, append(g.entrance(d),
		Stage{Name: "agree", Needs: []Fact{call.FactAdmitted}, Run: d.Agree},
	)...)
}

// entrance is what every request passes before anything of its body is read.
func (g *Gateway) entrance(d Door) []Stage {
	return []Stage{
		{Name: "record", Needs: []Fact{call.FactArrival}, Settle: g.recorder.Refused},
		{Name: "accept", Needs: []Fact{call.FactArrival}, Sets: []Fact{call.FactAccepted},
			Run: func(ctx context.Context, c *Call) error {
				if c.Scope != "" && c.World.Upstreams[c.Scope] == nil {
					return gateway.Fail(gateway.CodeNotFound)
				}
				return d.Accept(ctx, c)
			}},
		{Name: "identify", Needs: []Fact{call.FactAccepted}, Sets: []Fact{call.FactPrincipal}, Run: identify},
		{Name: "throttle", Needs: []Fact{call.FactPrincipal}, Sets: []Fact{call.FactAdmitted}, Run: g.throttle, Settle: giveBack},
	}
}

// identify establishes who calls: over HTTP from this request's credential and
// nothing else, over stdio from configuration.
func identify(ctx context.Context, c *Call) (err error) {
	if c.Transport == string(audit.Stdio) {
		if c.Principal = c.World.Stdio; c.Principal == nil {
			return gateway.Fail(gateway.CodeUnauthenticated)
		}
		return nil
	}
	c.Principal, err = c.World.Identifier.Identify(ctx, c.Credential())
	return err
}

// throttle bounds how many requests of one principal come in a time, and how many
// are under way, before their bodies are read.
func (g *Gateway) throttle(_ context.Context, c *Call) error {
	id := c.Principal.ID()
	if rate := c.World.Limits.Rates.Principal; rate.N > 0 {
		if e := g.meter.Take(c.Started, throttle.Count{Kind: throttle.Requests, Principal: id, Rate: rate}); e != nil {
			return e
		}
	}
	leave, ok := g.slots.Enter(id, c.World.Limits.InFlight)
	if !ok {
		e := gateway.Fail(gateway.CodeRateLimited)
		e.RetryAfter = throttle.Retry
		return e
	}
	c.Release = append(c.Release, leave)
	return nil
}

// giveBack returns what the call had taken.
func giveBack(_ context.Context, c *Call) error {
	c.GiveBack()
	return nil
}

// decode reads the body and decodes it strictly: one document, no duplicate
// names, within limits.
func decode(c *Call) error {
	raw, err := c.Body(c.World.Limits.Body)
	if err != nil {
		return err
	}
	limits := protocol.DefaultLimits()
	limits.Bytes, limits.Depth = c.World.Limits.Body, c.World.Limits.Depth
	c.Request, err = protocol.ParseRequest(raw, limits)
	if c.Era == audit.Legacy {
		return decodeLegacy(c, raw, limits, err)
	}
	if c.Request != nil {
		c.Revision = c.Request.Meta.Version
	}
	return err
}

// decodeLegacy tells apart what only hosts of earlier revisions send: replies to
// what we asked, which are taken, and batches, which are refused by name.
func decodeLegacy(c *Call, raw []byte, limits protocol.Limits, err error) error {
	if err == nil {
		return nil
	}
	if reply, replyErr := protocol.ParseMessage(raw, limits); replyErr == nil && reply.Method == "" {
		c.Request, c.Reply = nil, &reply
		return nil
	}
	if protocol.Kind(raw) == '[' && protocol.Check(raw, limits) == nil {
		return gateway.Because(gateway.CodeBatch, err)
	}
	return err
}

// route hands the call to its method's pipeline. A notification needs none,
// and a reply has reached who waits for it: neither changes anything here.
func (g *Gateway) route(ctx context.Context, c *Call) error {
	if c.Reply != nil {
		return nil
	}
	if c.Request.ID == nil {
		if isNotification(c.Request.Method) {
			return nil
		}
		return gateway.Fail(gateway.CodeMalformed, gateway.ReasonMalformed, gateway.ReasonID)
	}
	p, ok := g.methods[c.Era][c.Request.Method]
	if !ok {
		return gateway.Fail(gateway.CodeUnknownMethod)
	}
	p.Do(ctx, c)
	return nil
}

func isNotification(method string) bool {
	const prefix = "notifications/"
	return len(method) > len(prefix) && method[:len(prefix)] == prefix
}
