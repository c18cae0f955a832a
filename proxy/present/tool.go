package present

import (
	"strconv"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
)

// Tools returns how tools are shown to hosts: the upstream's words cleaned,
// its schemas whole, and every hint from the reviewed facts alone, absent
// meaning the worst. What is not named here (icons, execution, _meta, members
// that no revision knows) is in the digest but is not shown.
func Tools(r *redact.Redactor) registry.Presenter {
	return func(d *registry.Definition, facts *gateway.ExposureFacts) (func(string) []byte, []gateway.Finding, error) {
		clean, findings, err := r.Definition(d.Raw)
		if err != nil {
			return nil, findings, err
		}
		return func(name string) []byte { return appendTool(nil, clean, name, facts) }, findings, nil
	}
}

// shownMembers are the members of a definition that hosts are given, in order.
var shownMembers = [...]string{"title", "description", "inputSchema", "outputSchema"}

func appendTool(dst, clean []byte, name string, facts *gateway.ExposureFacts) []byte {
	dst = protocol.AppendString(append(dst, `{"name":`...), name)
	for _, member := range shownMembers {
		value, ok := protocol.Member(clean, member)
		if !ok || protocol.Kind(value) == 'n' {
			continue
		}
		dst = append(dst, `,"`+member+`":`...)
		dst = append(dst, value...)
	}
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
