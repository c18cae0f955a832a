package present

import (
	"strconv"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// appendTool renders a tool: its schemas whole, and every hint from the reviewed
// facts alone, absent meaning the worst. What is not named here (icons, execution,
// _meta, members that no revision knows) is in the digest but is not shown.
func appendTool(dst, clean []byte, name string, facts *gateway.ExposureFacts) []byte {
	dst = protocol.AppendString(append(dst, `{"name":`...), name)
	if facts.Deprecated == nil {
		dst = appendShown(dst, clean, "title", "description", "inputSchema", "outputSchema")
	} else {
		dst = appendShown(dst, clean, "title")
		dst = appendOutgoing(append(dst, `,"description":`...), clean, facts.Deprecated)
		dst = appendShown(dst, clean, "inputSchema", "outputSchema")
	}
	dst = append(dst, `,"annotations":{"readOnlyHint":`...)
	dst = strconv.AppendBool(dst, facts.Class() == gateway.Read)
	dst = strconv.AppendBool(append(dst, `,"destructiveHint":`...), facts.Class() == gateway.Destructive)
	dst = strconv.AppendBool(append(dst, `,"idempotentHint":`...), repeatable(facts))
	dst = strconv.AppendBool(append(dst, `,"openWorldHint":`...), !facts.ClosedWorld)
	return append(dst, `}}`...)
}

// appendOutgoing appends a deprecated tool's description with a line of the
// reviewer's: a model that picks tools reads nothing else.
func appendOutgoing(dst, clean []byte, d *gateway.Deprecation) []byte {
	raw, _ := protocol.Member(clean, "description")
	text, _ := protocol.Text(raw)
	if text != "" {
		text += "\n\n"
	}
	text += "Deprecated: not served from " + d.Sunset.UTC().Format(time.DateOnly) + " on."
	if d.Use != "" {
		text += " Use " + d.Use + " instead."
	}
	return protocol.AppendString(dst, text)
}

// repeatable says whether the same arguments may be sent twice: an idempotency
// key is one of the arguments.
func repeatable(f *gateway.ExposureFacts) bool {
	return f.Idempotent == gateway.IdempotentYes || f.Idempotent == gateway.IdempotentKey
}
