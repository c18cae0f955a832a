package listed

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"mcp-gateway/gateway"
)

const (
	maxToolName = 128 // what an upstream may call a tool (MCP 2026-07-28, tool names)
	maxExposed  = 64  // what model APIs accept as the name of a function
	separator   = "__"
)

// Exposed is what something is called on the endpoint for all upstreams.
// Resources and templates keep their URIs.
func Exposed(id gateway.ItemID) string {
	if id.Kind == gateway.KindResource || id.Kind == gateway.KindTemplate {
		return id.Name
	}
	return ExposedName(id.Upstream, id.Name)
}

// ExposedName returns the name under which hosts see a tool on the endpoint for
// all upstreams: "upstream__tool", at most 64 bytes. A longer one keeps its
// first 55 bytes and ends in "_" and 8 hex digits of the SHA-256 of the whole,
// so that it stays the same whatever else is listed.
func ExposedName(upstream, tool string) string {
	full := FullName(upstream, tool)
	if len(full) <= maxExposed {
		return full
	}
	sum := sha256.Sum256([]byte(full))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return full[:maxExposed-len(suffix)] + suffix
}

// FullName is ExposedName before it is shortened.
func FullName(upstream, tool string) string { return upstream + separator + tool }

// validName says whether an upstream's tool name is one that hosts can be
// given: [A-Za-z0-9_.-]{1,128}. ASCII alone, so that no two names look alike.
func validName(name string) bool {
	if name == "" || len(name) > maxToolName {
		return false
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '_', c == '.', c == '-':
		default:
			return false
		}
	}
	return true
}

// Clip bounds a text that is shown to operators.
func Clip(s string) string {
	const most = 400
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
