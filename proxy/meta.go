package proxy

import (
	"strings"

	"mcp-gateway/protocol"
)

// hopMeta returns a result as it leaves this hop: with a resultType, which
// revisions before 2026-07-28 do not send, and with the protocol's reserved
// _meta keys being ours. The upstream's own reserved keys spoke of its hop.
func (g *Gateway) hopMeta(result []byte) []byte {
	out := make([]byte, 0, len(result)+128)
	out = append(out, `{"resultType":"complete"`...)
	out = append(out, `,"_meta":{"`+protocol.MetaServerInfo+`":`...)
	out = g.appendServerInfo(out)
	for name, value := range metaOf(result) {
		if reserved(name) {
			continue
		}
		out = protocol.AppendString(append(out, ','), name)
		out = append(append(out, ':'), value...)
	}
	out = append(out, '}')
	for name, value := range protocol.Members(result) {
		switch string(name) {
		case "_meta", "resultType":
			continue
		}
		out = protocol.AppendString(append(out, ','), string(name))
		out = append(append(out, ':'), value...)
	}
	return append(out, '}')
}

// metaOf walks the members of a result's _meta, if it has one.
func metaOf(result []byte) func(yield func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		meta, ok := protocol.Member(result, "_meta")
		if !ok || protocol.Kind(meta) != '{' {
			return
		}
		for name, value := range protocol.Members(meta) {
			if !yield(string(name), value) {
				return
			}
		}
	}
}

// reserved says whether a _meta key belongs to the protocol: its prefix has mcp
// or modelcontextprotocol as second label (2026-07-28, _meta).
func reserved(key string) bool {
	prefix, _, ok := strings.Cut(key, "/")
	if !ok {
		return false
	}
	labels := strings.Split(prefix, ".")
	return len(labels) >= 2 && (labels[1] == "mcp" || labels[1] == "modelcontextprotocol")
}
