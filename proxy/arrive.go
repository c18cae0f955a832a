package proxy

import (
	"context"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
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
	return corridor.New([]Fact{FactArrival},
		Stage{Name: "record", Needs: []Fact{FactArrival}, Settle: g.record},
		Stage{Name: "accept", Needs: []Fact{FactArrival}, Sets: []Fact{FactAccepted},
			Run: func(ctx context.Context, c *Call) error {
				if c.Scope != "" && c.World.Upstreams[c.Scope] == nil {
					return gateway.Fail(gateway.CodeNotFound)
				}
				return d.Accept(ctx, c)
			}},
		Stage{Name: "identify", Needs: []Fact{FactAccepted}, Sets: []Fact{FactPrincipal}, Run: identify},
		Stage{Name: "throttle", Needs: []Fact{FactPrincipal}, Sets: []Fact{FactAdmitted}, Run: g.throttle, Settle: giveBack},
		Stage{Name: "decode", Needs: []Fact{FactAdmitted}, Sets: []Fact{FactRequest},
			Run: func(ctx context.Context, c *Call) error {
				if err := decode(c); err != nil {
					return err
				}
				return d.Agree(ctx, c)
			}},
		Stage{Name: "route", Needs: []Fact{FactRequest}, Run: g.route},
	)
}

func identify(_ context.Context, c *Call) error {
	p, err := c.World.Identifier.Identify(c.Header)
	c.Principal = p
	return err
}

// throttle bounds how many calls of one principal are under way, before their
// bodies are read.
func (g *Gateway) throttle(_ context.Context, c *Call) error {
	leave, ok := g.slots.Enter(c.Principal.ID(), c.World.Limits.InFlight)
	if !ok {
		e := gateway.Fail(gateway.CodeRateLimited)
		e.RetryAfter = throttle.Retry
		return e
	}
	c.release = append(c.release, leave)
	return nil
}

// giveBack returns what the call had taken, last first.
func giveBack(_ context.Context, c *Call) error {
	for i := len(c.release) - 1; i >= 0; i-- {
		c.release[i]()
	}
	c.release = nil
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
	return err
}

// route hands the call to its method's pipeline. A notification needs none:
// this revision defines no notification from host to server that changes
// anything here.
func (g *Gateway) route(ctx context.Context, c *Call) error {
	if c.Request.ID == nil {
		if isNotification(c.Request.Method) {
			return nil
		}
		return gateway.Fail(gateway.CodeMalformed)
	}
	p, ok := g.methods[c.Request.Method]
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
