package present

import (
	"strconv"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// appendTool renders a tool: its schemas whole, and every hint from the reviewed
// facts alone, absent meaning the worst. What is not named here (icons, execution,
// _meta, members that no revision knows) is in the digest but is not shown.
func appendTool(dst, clean []byte, name string, facts *gateway.ExposureFacts) []byte {
	dst = protocol.AppendString(append(dst, `{"name":`...), name)
	dst = appendShown(dst, clean, "title", "description", "inputSchema", "outputSchema")
	dst = append(dst, `,"annotations":{"readOnlyHint":`...)
	dst = strconv.AppendBool(dst, facts.Class() == gateway.Read)
	dst = strconv.AppendBool(append(dst, `,"destructiveHint":`...), facts.Class() == gateway.Destructive)
	dst = strconv.AppendBool(append(dst, `,"idempotentHint":`...), repeatable(facts))
	dst = strconv.AppendBool(append(dst, `,"openWorldHint":`...), !facts.ClosedWorld)
	return append(dst, `}}`...)
}

// repeatable says whether the same arguments may be sent twice: an idempotency
// key is one of the arguments.
func repeatable(f *gateway.ExposureFacts) bool {
	return f.Idempotent == gateway.IdempotentYes || f.Idempotent == gateway.IdempotentKey
}
