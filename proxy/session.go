package proxy

import (
	"context"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/lifecycle"
)

// initializeStages answer initialize, once the front has set Session.
func (g *Gateway) initializeStages() []Stage {
	return []Stage{
		{Name: "initialize", Needs: []Fact{call.FactRequest}, Run: g.initialize},
		{Name: "note", Needs: []Fact{call.FactRequest}, Settle: g.recorder.Note},
	}
}

func (g *Gateway) initialize(ctx context.Context, c *Call) error {
	r := append(make([]byte, 0, 256), `{"protocolVersion":"`+c.Session.Revision+`","capabilities":`+
		lifecycle.Capabilities()+`,"serverInfo":`...)
	r = append(g.hop.AppendInfo(r), g.instructions(ctx, c)...)
	c.Result = append(r, '}')
	return nil
}

// acknowledge answers ping: it reaches nothing, so nothing is put on record.
func acknowledge(_ context.Context, c *Call) error {
	c.Result = []byte("{}")
	return nil
}

// setLevel remembers which log messages the host wants from now on.
func setLevel(ctx context.Context, c *Call) error {
	raw, _ := protocol.Member(c.Request.Params, "level")
	level, ok := protocol.Text(raw)
	if !ok || !protocol.IsLogLevel(level) {
		return gateway.Wrong(gateway.CodeInvalidParams, "/params/level")
	}
	c.Session.SetLogLevel(level)
	return acknowledge(ctx, c)
}
