package present

import (
	"strings"

	"mcp-gateway/protocol"
)

// Hop is this gateway as one hop of the way: what it says of itself.
type Hop struct{ serverInfo []byte }

// NewHop returns the hop of a build.
func NewHop(version string) *Hop {
	info := protocol.AppendString([]byte(`{"name":"mcp-gateway","version":`), version)
	return &Hop{serverInfo: append(info, '}')}
}

// AppendMeta appends the _meta of a result that is the gateway's own.
func (h *Hop) AppendMeta(dst []byte) []byte {
	dst = append(dst, `{"`+protocol.MetaServerInfo+`":`...)
	return append(append(dst, h.serverInfo...), '}')
}

// Result returns a result as it leaves this hop: with a resultType, which
// revisions before 2026-07-28 do not send, and with the protocol's reserved
// _meta keys being ours. The upstream's own reserved keys spoke of its hop.
func (h *Hop) Result(result []byte) []byte {
	out := make([]byte, 0, len(result)+128)
	out = append(out, `{"resultType":"complete"`...)
	out = append(out, `,"_meta":{"`+protocol.MetaServerInfo+`":`...)
	out = append(out, h.serverInfo...)
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
