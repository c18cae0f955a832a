package fidelity

import (
	"slices"
	"strings"

	"mcp-gateway/protocol"
)

// object is a JSON object as raw members in their order.
type object []field

type field struct{ name, value string }

// parse takes an object apart; nil for anything else.
func parse(raw []byte) object {
	if protocol.Kind(raw) != '{' {
		return nil
	}
	o := object{}
	for name, value := range protocol.Members(raw) {
		o = append(o, field{string(name), string(value)})
	}
	return o
}

func (o object) get(name string) string {
	for _, f := range o {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// without returns the object without some members.
func (o object) without(names ...string) object {
	var left object
	for _, f := range o {
		if !slices.Contains(names, f.name) {
			left = append(left, f)
		}
	}
	return left
}

// with returns the object with one member of that value.
func (o object) with(name, value string) object {
	return append(o.without(name), field{name, value})
}

// members are the raw members without the braces.
func (o object) members() string {
	var b strings.Builder
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(f.name) + ":" + f.value)
	}
	return b.String()
}

func (o object) String() string { return "{" + o.members() + "}" }

func quote(s string) string { return string(protocol.AppendString(nil, s)) }

func array(values []string) string { return "[" + strings.Join(values, ",") + "]" }
