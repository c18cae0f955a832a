package lifecycle

import (
	"slices"

	"mcp-gateway/protocol"
)

// Capabilities are what hosts are offered, as a raw object: in every era the same,
// but for extensions of the protocol, which hosts of 2026-07-28 alone are told. An
// upstream that lacks one of them offers nothing of its kind.
func Capabilities(extensions ...string) string {
	const all = `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},` +
		`"completions":{},"logging":{}`
	if len(extensions) == 0 {
		return all + `}`
	}
	slices.Sort(extensions)
	out := []byte(all + `,"extensions":{`)
	for _, name := range slices.Compact(extensions) {
		out = append(protocol.AppendString(out, name), `:{},`...)
	}
	out[len(out)-1] = '}'
	return string(append(out, '}'))
}
