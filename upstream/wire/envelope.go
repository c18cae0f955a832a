package wire

import (
	"bytes"
	"strconv"

	"mcp-gateway/protocol"
)

// ClientName is how the gateway introduces itself to upstreams.
const ClientName = "mcp-gateway"

// Envelope writes the requests of one hop. The zero value writes those of the
// legacy era; NewEnvelope makes modern ones.
type Envelope struct {
	meta []byte // of a modern request, up to the value of its client capabilities
}

// NewEnvelope returns the envelope of a modern revision. Every request then
// carries the revision, who we are and which capabilities the host declared for
// it (2026-07-28, RequestMetaObject).
func NewEnvelope(revision, version string) Envelope {
	meta := append([]byte(nil), `"_meta":{"`+protocol.MetaVersion+`":`...)
	meta = protocol.AppendString(meta, revision)
	meta = append(meta, `,"`+protocol.MetaClientInfo+`":`...)
	meta = appendClientInfo(meta, version)
	return Envelope{meta: append(meta, `,"`+protocol.MetaClientCapabilities+`":`...)}
}

func appendClientInfo(dst []byte, version string) []byte {
	dst = append(dst, `{"name":"`+ClientName+`","version":`...)
	return append(protocol.AppendString(dst, version), '}')
}

// Request returns one request as a line of JSON without a line break. The
// members of out.Params are kept byte for byte but for a _meta, which is ours
// on this hop, and for line breaks between tokens, which become blanks. The
// progress token, if one is wanted, is the id.
func (e Envelope) Request(id int64, out *protocol.Outgoing) []byte {
	dst := make([]byte, 0, len(e.meta)+len(out.Params)+len(out.Capabilities)+len(out.Method)+len(out.TraceParent)+160)
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, `,"method":`...)
	dst = protocol.AppendString(dst, out.Method)
	start := len(dst)
	dst = append(dst, `,"params":{`...)
	begin := len(dst)
	dst = e.appendMeta(dst, id, out)
	dst = appendMembers(dst, out.Params, "_meta", len(dst) > begin)
	protocol.OneLine(dst[start:])
	return append(dst, "}}"...)
}

// appendMeta appends the _meta of a request, if it has any.
func (e Envelope) appendMeta(dst []byte, id int64, out *protocol.Outgoing) []byte {
	modern := len(e.meta) > 0
	switch {
	case modern && len(out.Capabilities) > 0:
		dst = append(append(dst, e.meta...), out.Capabilities...)
	case modern:
		dst = append(append(dst, e.meta...), "{}"...)
	case out.Progress || out.TraceParent != "":
		dst = append(dst, `"_meta":{`...)
	default:
		return dst
	}
	begun := modern
	name := func(key string) {
		if begun {
			dst = append(dst, ',')
		}
		dst, begun = append(append(append(dst, '"'), key...), `":`...), true
	}
	if out.Progress {
		name(protocol.MetaProgressToken)
		dst = strconv.AppendInt(dst, id, 10)
	}
	if modern && out.LogLevel != "" {
		name(protocol.MetaLogLevel)
		dst = protocol.AppendString(dst, out.LogLevel)
	}
	if out.TraceParent != "" {
		name(protocol.MetaTraceParent)
		dst = protocol.AppendString(dst, out.TraceParent)
	}
	return append(dst, '}')
}

// Without returns an object's text without its member of that name.
func Without(object []byte, name string) []byte {
	if _, ok := protocol.Member(object, name); !ok {
		return object
	}
	return append(appendMembers([]byte{'{'}, object, name, false), '}')
}

// appendMembers appends the members of an object but for one, a comma before
// the first if follows is set.
func appendMembers(dst, object []byte, but string, follows bool) []byte {
	if _, ok := protocol.Member(object, but); !ok {
		inner := bytes.TrimSpace(object)
		if len(inner) < 2 {
			return dst
		}
		inner = bytes.TrimSpace(inner[1 : len(inner)-1])
		if follows && len(inner) > 0 {
			dst = append(dst, ',')
		}
		return append(dst, inner...)
	}
	for name, value := range protocol.Members(object) {
		if string(name) == but {
			continue
		}
		if follows {
			dst = append(dst, ',')
		}
		dst = append(protocol.AppendString(dst, string(name)), ':')
		dst, follows = append(dst, value...), true
	}
	return dst
}
