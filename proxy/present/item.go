package present

import (
	"errors"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
)

// Items returns how what is offered is shown to hosts: the upstream's words
// cleaned, and of every definition the members that are named for its kind and no
// others. of gives the Redactor of an upstream.
func Items(of func(upstream string) *redact.Redactor) registry.Presenter {
	return func(d *registry.Definition, facts *gateway.ExposureFacts) (func(string) []byte, []gateway.Finding, error) {
		clean, findings, err := of(d.ID.Upstream).Item(d.ID.Kind, d.Raw)
		if err == nil {
			err = presentable(d.ID.Kind, clean)
		}
		if err != nil {
			return nil, findings, err
		}
		return func(name string) []byte { return appendItem(nil, d.ID.Kind, clean, name, facts) }, findings, nil
	}
}

var errShape = errors.New("not the shape that its kind has")

// presentable says whether a definition has what hosts must be given of its kind.
// One that has not would cost them the whole list.
func presentable(kind gateway.Kind, clean []byte) error {
	ok := true
	switch kind {
	case gateway.KindResource, gateway.KindTemplate:
		ok = isText(clean, "name")
	case gateway.KindPrompt:
		arguments, has := protocol.Member(clean, "arguments")
		if !has || protocol.Kind(arguments) == 'n' {
			break
		}
		ok = protocol.Kind(arguments) == '['
		for argument := range protocol.Elements(arguments) {
			ok = ok && isText(argument, "name")
		}
	}
	if !ok {
		return gateway.Because(gateway.CodeContractViolation, errShape, gateway.ReasonMalformed)
	}
	return nil
}

func isText(object []byte, name string) bool {
	if protocol.Kind(object) != '{' {
		return false
	}
	value, _ := protocol.Member(object, name)
	return protocol.Kind(value) == '"'
}

func appendItem(dst []byte, kind gateway.Kind, clean []byte, name string, facts *gateway.ExposureFacts) []byte {
	switch kind {
	case gateway.KindPrompt:
		return appendPrompt(dst, clean, name)
	case gateway.KindResource:
		return appendResource(dst, "uri", clean, name)
	case gateway.KindTemplate:
		return appendResource(dst, "uriTemplate", clean, name)
	default:
		return appendTool(dst, clean, name, facts)
	}
}

func appendPrompt(dst, clean []byte, name string) []byte {
	dst = protocol.AppendString(append(dst, `{"name":`...), name)
	dst = appendShown(dst, clean, "title", "description")
	arguments, _ := protocol.Member(clean, "arguments")
	if protocol.Kind(arguments) != '[' {
		return append(dst, '}')
	}
	dst = append(dst, `,"arguments":[`...)
	first := true
	for argument := range protocol.Elements(arguments) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		raw, _ := protocol.Member(argument, "name")
		dst = append(append(dst, `{"name":`...), raw...)
		dst = append(appendShown(dst, argument, "title", "description", "required"), '}')
	}
	return append(dst, "]}"...)
}

// appendResource renders a resource or a template under the URI by which it is
// resolved.
func appendResource(dst []byte, member string, clean []byte, uri string) []byte {
	dst = protocol.AppendString(append(dst, `{"`+member+`":`...), uri)
	return append(appendShown(dst, clean, "name", "title", "description", "mimeType", "size"), '}')
}

// appendShown appends those of the members that are there, in this order; null
// counts as absent, for servers that write out every optional field.
func appendShown(dst, raw []byte, members ...string) []byte {
	for _, name := range members {
		value, ok := protocol.Member(raw, name)
		if !ok || protocol.Kind(value) == 'n' {
			continue
		}
		dst = append(dst, `,"`+name+`":`...)
		dst = append(dst, value...)
	}
	return dst
}
