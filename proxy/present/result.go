package present

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-gateway/protocol"
	"mcp-gateway/redact"
)

// Hop is this gateway as one hop of the way: what it says of itself.
type Hop struct{ serverInfo []byte }

// NewHop returns the hop of a build.
func NewHop(version string) *Hop {
	info := protocol.AppendString([]byte(`{"name":"mcp-gateway","version":`), version)
	return &Hop{serverInfo: append(info, '}')}
}

// AppendInfo appends what initialize answers as serverInfo.
func (h *Hop) AppendInfo(dst []byte) []byte { return append(dst, h.serverInfo...) }

// AppendMeta appends the _meta of a result that is the gateway's own.
func (h *Hop) AppendMeta(dst []byte) []byte {
	dst = append(dst, `{"`+protocol.MetaServerInfo+`":`...)
	return append(append(dst, h.serverInfo...), '}')
}

// Result returns a result as it leaves this hop, with the protocol's reserved
// _meta keys being ours: those of the upstream spoke of its hop. A modern host
// is told a resultType, which revisions before 2026-07-28 do not send, and who
// serves it; a host of those revisions is sent neither.
func (h *Hop) Result(result []byte, modern bool) []byte {
	return h.render(result, modern, protocol.ResultComplete, nil, elsewhere...)
}

// elsewhere are the members that make a result another kind than a complete one: by
// them an upstream asks, or puts off. There they were judged by nobody.
var elsewhere = []string{"inputRequests", "requestState", "task"}

// Contents is Result for resources/read. A modern host is told how long it may
// keep the contents, as the upstream says, and that they are its alone, whatever
// the upstream claims. What was read in several rounds is not to be kept
// (2026-07-28, Caching).
func (h *Hop) Contents(result []byte, modern, keep bool) []byte {
	var hints []byte
	if modern {
		ttl, _ := protocol.Member(result, "ttlMs")
		if !keep || !protocol.IsInteger(ttl) || ttl[0] == '-' {
			ttl = []byte("0")
		}
		hints = append(append(append(hints, `"ttlMs":`...), ttl...), `,"cacheScope":"private",`...)
	}
	return h.render(result, modern, protocol.ResultComplete, hints, append([]string{"ttlMs", "cacheScope"}, elsewhere...)...)
}

// answered are the members of a complete result. Where an upstream asks, they were held
// against no schema and no rule.
var answered = []string{"content", "structuredContent", "isError", "messages", "contents", "completion", "task"}

// Asking is Result for a result by which the upstream asks a modern host. Its
// requestState is the gateway's own, and no answer goes with the questions.
func (h *Hop) Asking(result []byte, requestState string) []byte {
	own := append(protocol.AppendString([]byte(`"requestState":`), requestState), ',')
	return h.render(result, true, protocol.ResultInputRequired, own, append([]string{"requestState", "ttlMs", "cacheScope"}, answered...)...)
}

// Questions is a result by which the gateway itself asks a modern host.
func (h *Hop) Questions(result []byte) []byte {
	return h.render(result, true, protocol.ResultInputRequired, nil)
}

// render writes a result: what is this hop's, then own members, then those of
// the upstream but for the ones to skip, and those that look like the gateway's word.
func (h *Hop) render(result []byte, modern bool, kind string, own []byte, skip ...string) []byte {
	out := append(make([]byte, 0, len(result)+len(own)+128), '{')
	if modern {
		out = append(out, `"resultType":"`+kind+`",`...)
	}
	out = append(h.appendOwnMeta(out, result, modern), own...)
	for name, value := range protocol.Members(result) {
		if n := string(name); n == "_meta" || n == "resultType" || strings.HasPrefix(n, OwnPrefix) || slices.Contains(skip, n) {
			continue
		}
		out = protocol.AppendString(out, string(name))
		out = append(append(append(out, ':'), value...), ',')
	}
	if out[len(out)-1] == ',' {
		out = out[:len(out)-1]
	}
	return append(out, '}')
}

// From names the upstream that a result is of in its _meta, under redact.SourceKey.
func From(result []byte, upstream string) []byte {
	out := append(make([]byte, 0, len(result)+len(upstream)+64), `{"_meta":{"`+redact.SourceKey+`":{"upstream":`...)
	out = append(protocol.AppendString(out, upstream), '}')
	for name, value := range metaOf(result) {
		if name != redact.SourceKey {
			out = appendMember(out, name, value)
		}
	}
	out = append(out, '}')
	for name, value := range protocol.Members(result) {
		if string(name) != "_meta" {
			out = appendMember(out, string(name), value)
		}
	}
	return append(out, '}')
}

// appendMember appends a member that is not the first.
func appendMember(out []byte, name string, value []byte) []byte {
	out = append(protocol.AppendString(append(out, ','), name), ':')
	return append(out, value...)
}

// Params returns the params of a notification or question as they leave this hop, with
// the host's progress token, nil for none, in place of the upstream's.
func Params(params, token []byte) []byte {
	out := append(make([]byte, 0, len(params)+len(token)+32), '{')
	if token != nil {
		out = append(append(append(out, `"`+protocol.MetaProgressToken+`":`...), token...), ',')
	}
	for name, value := range protocol.Members(params) {
		if n := string(name); n == "_meta" || n == protocol.MetaProgressToken {
			continue // of the upstream's hop
		}
		out = protocol.AppendString(out, string(name))
		out = append(append(append(out, ':'), value...), ',')
	}
	if out[len(out)-1] == ',' {
		out = out[:len(out)-1]
	}
	return append(out, '}')
}

// appendOwnMeta appends the _meta member and a comma, or nothing where a legacy
// host would be sent an empty one that the upstream did not send.
func (h *Hop) appendOwnMeta(out, result []byte, modern bool) []byte {
	start := len(out)
	out = append(out, `"_meta":{`...)
	if modern {
		out = append(append(append(out, `"`+protocol.MetaServerInfo+`":`...), h.serverInfo...), ',')
	}
	kept := modern
	for name, value := range metaOf(result) {
		if reserved(name) {
			continue
		}
		kept = true
		out = protocol.AppendString(out, name)
		out = append(append(append(out, ':'), value...), ',')
	}
	if !kept {
		return out[:start]
	}
	return append(out[:len(out)-1], `},`...)
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

// AppendCacheHints says how long the host may keep an answer, and that it is its
// alone: what a list holds depends on the principal, so it is never public.
func AppendCacheHints(dst []byte, ttl time.Duration) []byte {
	dst = append(dst, `"ttlMs":`...)
	dst = strconv.AppendInt(dst, ttl.Milliseconds(), 10)
	return append(dst, `,"cacheScope":"private"`...)
}
