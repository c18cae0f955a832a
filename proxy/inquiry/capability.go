package inquiry

import (
	"mcp-gateway/protocol"
)

// capability is a set of what a host may declare, as far as upstreams may ask.
type capability uint8

const (
	form capability = 1 << iota
	link
	sampling
	samplingTools
	roots
)

// needs is what a host must have declared to be asked a question.
func (q *Question) needs() capability {
	switch q.Method {
	case protocol.MethodElicit:
		if q.isURL() {
			return link
		}
		return form
	case protocol.MethodCreateMessage:
		_, tools := protocol.Member(q.Params, "tools")
		_, choice := protocol.Member(q.Params, "toolChoice")
		if tools || choice {
			return sampling | samplingTools
		}
		return sampling
	case protocol.MethodRootsList:
		return roots
	}
	return 0
}

// declared reads the capabilities of a host; nil declares none. Elicitation that
// names no mode means forms (2025-11-25, Elicitation, Capabilities).
func declared(capabilities []byte) capability {
	var c capability
	if elicitation, ok := object(capabilities, "elicitation"); ok {
		_, forms := object(elicitation, "form")
		_, links := object(elicitation, "url")
		if forms || !links {
			c |= form
		}
		if links {
			c |= link
		}
	}
	if sample, ok := object(capabilities, "sampling"); ok {
		c |= sampling
		if _, ok := object(sample, "tools"); ok {
			c |= samplingTools
		}
	}
	if _, ok := object(capabilities, "roots"); ok {
		c |= roots
	}
	return c
}

func object(raw []byte, name string) ([]byte, bool) {
	if protocol.Kind(raw) != '{' {
		return nil, false
	}
	value, ok := protocol.Member(raw, name)
	return value, ok && protocol.Kind(value) == '{'
}

// Missing returns what a host would have to declare beyond what it did, so that
// it may be asked the questions: a raw object of client capabilities, nil for
// nothing.
func Missing(capabilities []byte, questions ...Question) []byte {
	var needed capability
	for i := range questions {
		needed |= questions[i].needs()
	}
	return (needed &^ declared(capabilities)).json()
}

// Wanted returns what an upstream says in the data of -32021 that it needs, as
// far as a host could declare it.
func Wanted(data []byte) []byte {
	wanted, _ := object(data, "requiredCapabilities")
	return declared(wanted).json()
}

// json renders the set; nil for the empty one.
func (c capability) json() []byte {
	if c == 0 {
		return nil
	}
	out := []byte{'{'}
	open := func(name string, any capability) {
		if c&any != 0 {
			out = append(out, `"`+name+`":{`...)
		}
	}
	member := func(name string, one capability) {
		if c&one != 0 {
			out = append(out, `"`+name+`":{},`...)
		}
	}
	shut := func(any capability) {
		if c&any != 0 {
			if out[len(out)-1] == ',' {
				out = out[:len(out)-1]
			}
			out = append(out, `},`...)
		}
	}
	open("elicitation", form|link)
	member("form", form)
	member("url", link)
	shut(form | link)
	open("sampling", sampling|samplingTools)
	member("tools", samplingTools)
	shut(sampling | samplingTools)
	member("roots", roots)
	out[len(out)-1] = '}'
	return out
}

// Relayed returns what an upstream is told of what the host declared: what may be
// asked in the course of a call, and the extensions that are allowed with this
// upstream, as the host said it. It is nil if that is nothing.
func Relayed(capabilities []byte, extensions []string) []byte {
	out := []byte{'{'}
	for _, name := range [...]string{"elicitation", "sampling", "roots"} {
		if value, ok := object(capabilities, name); ok {
			out = append(append(append(out, `"`+name+`":`...), value...), ',')
		}
	}
	if len(extensions) > 0 {
		out = appendExtensions(out, capabilities, extensions)
	}
	if len(out) == 1 {
		return nil
	}
	out[len(out)-1] = '}'
	return out
}

// appendExtensions appends those that are allowed of the extensions that the host
// declared, and a comma; nothing if there are none.
func appendExtensions(out, capabilities []byte, allowed []string) []byte {
	all, ok := object(capabilities, "extensions")
	if !ok {
		return out
	}
	start := len(out)
	out = append(out, `"extensions":{`...)
	begin := len(out)
	for _, name := range allowed {
		if settings, ok := object(all, name); ok {
			out = append(append(protocol.AppendString(out, name), ':'), settings...)
			out = append(out, ',')
		}
	}
	if len(out) == begin {
		return out[:start]
	}
	out[len(out)-1] = '}'
	return append(out, ',')
}
