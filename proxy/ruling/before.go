package ruling

import (
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/oblige"
)

// Transform keeps what the decision asks for before anything is sent. Arguments
// without what is masked are held against the schema again, by check: policy never makes a
// call out of one that the tool would not take.
func Transform(c *call.Call, check func(*call.Call) error) error {
	c.Sent = c.Arguments
	owed := &c.Decision.Obligations
	if owed.IsZero() {
		return nil
	}
	item := c.Item.Item()
	if err := oblige.Before(owed, c.Principal, item.Facts, c.Arguments, c.Now()); err != nil {
		return err
	}
	if len(owed.MaskArguments) == 0 {
		return nil
	}
	if item.ID.Kind != gateway.KindTool || c.Request.Method != protocol.MethodToolsCall {
		return gateway.Fail(gateway.CodeForbidden, gateway.ReasonMaskedArguments) // its arguments are all that names it
	}
	c.Sent = oblige.Arguments(c.Arguments, owed.MaskArguments)
	judged := c.Arguments
	c.Arguments = c.Sent
	err := check(c)
	c.Arguments = judged
	if err != nil {
		return gateway.Because(gateway.CodeForbidden, err, gateway.ReasonMaskedArguments)
	}
	return nil
}
