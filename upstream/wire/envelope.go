package wire

import (
	"bytes"
	"strconv"

	"mcp-gateway/protocol"
)

// ClientName is how the gateway introduces itself to upstreams.
const ClientName = "mcp-gateway"

// Envelope writes the requests of one hop. The zero value writes those of the
// legacy era, which carry no _meta; NewEnvelope makes modern ones.
type Envelope struct {
	meta []byte // `"_meta":{…` without its closing brace; empty for legacy
}

// NewEnvelope returns the envelope of a modern revision. Every request then
// carries the revision, who we are and that we support no optional capability
// (2026-07-28, RequestMetaObject).
func NewEnvelope(revision, version string) Envelope {
	meta := append([]byte(nil), `"_meta":{"`+protocol.MetaVersion+`":`...)
	meta = protocol.AppendString(meta, revision)
	meta = append(meta, `,"`+protocol.MetaClientInfo+`":`...)
	meta = appendClientInfo(meta, version)
	return Envelope{meta: append(meta, `,"`+protocol.MetaClientCapabilities+`":{}`...)}
}

func appendClientInfo(dst []byte, version string) []byte {
	dst = append(dst, `{"name":"`+ClientName+`","version":`...)
	return append(protocol.AppendString(dst, version), '}')
}

// Request returns one request as a line of JSON without a line break. The
// members of out.Params are kept byte for byte but for a _meta, which is ours
// on this hop, and for line breaks between tokens, which become blanks.
func (e Envelope) Request(id int64, out *protocol.Outgoing) []byte {
	dst := make([]byte, 0, len(e.meta)+len(out.Params)+len(out.Method)+len(out.TraceParent)+96)
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, `,"method":`...)
	dst = protocol.AppendString(dst, out.Method)
	dst = append(dst, `,"params":{`...)
	dst = e.appendMeta(dst, out.TraceParent)
	start := len(dst)
	dst = appendMembers(dst, out.Params, len(e.meta) > 0)
	for i := start; i < len(dst); i++ { // raw breaks stand between tokens only
		if dst[i] == '\n' || dst[i] == '\r' {
			dst[i] = ' '
		}
	}
	return append(dst, "}}"...)
}

func (e Envelope) appendMeta(dst []byte, traceParent string) []byte {
	if len(e.meta) == 0 {
		return dst
	}
	dst = append(dst, e.meta...)
	if traceParent != "" {
		dst = append(dst, `,"`+protocol.MetaTraceParent+`":`...)
		dst = protocol.AppendString(dst, traceParent)
	}
	return append(dst, '}')
}

// appendMembers appends the members of the object params, a comma before the
// first if follows is set.
func appendMembers(dst, params []byte, follows bool) []byte {
	if _, ok := protocol.Member(params, "_meta"); !ok {
		inner := bytes.TrimSpace(params)
		if len(inner) < 2 {
			return dst
		}
		inner = bytes.TrimSpace(inner[1 : len(inner)-1])
		if follows && len(inner) > 0 {
			dst = append(dst, ',')
		}
		return append(dst, inner...)
	}
	for name, value := range protocol.Members(params) {
		if string(name) == "_meta" {
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

// Initialize returns the legacy handshake's first request.
func Initialize(id int64, revision, version string) []byte {
	params := append([]byte(nil), `{"protocolVersion":`...)
	params = protocol.AppendString(params, revision)
	params = append(params, `,"capabilities":{},"clientInfo":`...)
	params = append(appendClientInfo(params, version), '}')
	return Envelope{}.Request(id, &protocol.Outgoing{Method: protocol.MethodInitialize, Params: params})
}

// Initialized returns the legacy handshake's last message.
func Initialized() []byte {
	return []byte(`{"jsonrpc":"2.0","method":"` + protocol.NotificationInitialized + `"}`)
}

// Cancelled returns the notification that withdraws the request id.
func Cancelled(id int64) []byte {
	dst := append([]byte(nil), `{"jsonrpc":"2.0","method":"`+protocol.NotificationCancelled+`","params":{"requestId":`...)
	return append(strconv.AppendInt(dst, id, 10), `,"reason":"the caller went away"}}`...)
}

// Listen is the request that asks a modern server to tell of changes to its
// tools; it stays open.
func Listen() *protocol.Outgoing {
	return &protocol.Outgoing{
		Method: protocol.MethodSubscriptionsListen,
		Params: []byte(`{"notifications":{"toolsListChanged":true}}`),
	}
}
