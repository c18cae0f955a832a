package redact

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// SourceKey is the _meta key under which an error's origin is told to the host:
// {"upstream": id}. An upstream's own value for it is dropped.
const SourceKey = "mcp-gateway/source"

// TruncatedKey is the _meta key under which a host is told that an error was cut:
// {"truncated": true, "total": bytes, "more": how to get it}.
const TruncatedKey = "mcp-gateway/truncated"

// serverInfoKey is the one reserved _meta key that the protocol has results
// carry (2026-07-28, ResultMetaObject).
const serverInfoKey = "io.modelcontextprotocol/serverInfo"

// Findings of Business, both Info.
const (
	findingTruncated = "error_truncated"
	findingReserved  = "reserved_meta"
)

// blockCost is what a content block takes from the total besides its text.
const blockCost = 64

// Business prepares an upstream's own error, a result with isError, for the
// host. It is cleaned like any Result; each text block is cut to
// Options.BlockText bytes and all of them to Options.TotalText, at a rune and
// with the marker "… [truncated: N bytes]"; other blocks, structuredContent and
// further members stay whole or, beyond what is left of the total, go. _meta
// loses its reserved keys (a prefix whose second label is mcp or
// modelcontextprotocol) but for serverInfo, and gains
// SourceKey and, where anything was cut, TruncatedKey.
func (r *Redactor) Business(raw []byte, upstream string) (Clean, error) {
	c, err := r.Result(raw)
	if err != nil {
		return Clean{}, err
	}
	b := business{block: r.opt.BlockText, left: r.opt.TotalText, total: len(raw)}
	b.out = append(make([]byte, 0, min(len(c.bytes), 2*b.left)+128), '{')
	var meta []byte
	for name, value := range protocol.Members(c.bytes) {
		switch string(name) {
		case "_meta":
			meta = value
		case "content":
			b.name(name)
			b.content(value)
		default:
			small := (string(name) == "isError" || string(name) == "resultType") && len(value) <= blockCost
			if small || b.fits(len(value)) {
				b.name(name)
				b.out = append(b.out, value...)
			}
		}
	}
	b.name([]byte("_meta"))
	b.meta(meta, upstream)
	c.bytes, c.changed = append(b.out, '}'), true
	c.report.Findings = append(c.report.Findings, b.findings()...)
	return c, nil
}

// business writes one bounded error.
type business struct {
	out         []byte
	block, left int
	total       int // bytes of it as it came
	truncated   bool
	reserved    bool
}

// name begins a member, or an element if name is nil.
func (b *business) name(name []byte) {
	if last := b.out[len(b.out)-1]; last != '{' && last != '[' {
		b.out = append(b.out, ',')
	}
	if name != nil {
		b.out = append(protocol.AppendString(b.out, string(name)), ':')
	}
}

// fits takes n bytes from what is left, or reports that they are too many.
func (b *business) fits(n int) bool {
	if n > b.left {
		b.truncated = true
		return false
	}
	b.left -= n
	return true
}

func (b *business) content(raw []byte) {
	b.out = append(b.out, '[')
	for el := range protocol.Elements(raw) {
		text, isText := protocol.Member(el, "text")
		s, ok := protocol.Text(text)
		switch {
		case !b.fits(blockCost):
		case isText && ok:
			b.text(el, s)
		case b.fits(len(el)):
			b.name(nil)
			b.out = append(b.out, el...)
		}
	}
	b.out = append(b.out, ']')
}

// text writes a block that has a text, and of its other members those that fit.
func (b *business) text(block []byte, s string) {
	b.name(nil)
	b.out = append(b.out, '{')
	for name, value := range protocol.Members(block) {
		if string(name) == "text" {
			b.name(name)
			b.out = protocol.AppendString(b.out, b.cut(s))
		} else if string(name) == "type" && len(value) <= blockCost || b.fits(len(value)) {
			b.name(name)
			b.out = append(b.out, value...)
		}
	}
	b.out = append(b.out, '}')
}

func (b *business) cut(s string) string {
	limit := min(b.block, b.left)
	if len(s) <= limit {
		b.left -= len(s)
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	b.left -= limit
	b.truncated = true
	return s[:limit] + "… [truncated: " + strconv.Itoa(len(s)-limit) + " bytes]"
}

func (b *business) meta(raw []byte, upstream string) {
	b.out = append(b.out, '{')
	for name, value := range protocol.Members(raw) {
		switch {
		case string(name) == SourceKey, reservedKey(string(name)):
			b.reserved = true
		case b.fits(len(name) + len(value)):
			b.name(name)
			b.out = append(b.out, value...)
		}
	}
	b.name([]byte(SourceKey))
	b.out = append(b.out, `{"upstream":`...)
	b.out = append(protocol.AppendString(b.out, upstream), '}')
	if b.truncated {
		b.name([]byte(TruncatedKey))
		b.out = strconv.AppendInt(append(b.out, `{"truncated":true,"total":`...), int64(b.total), 10)
		b.out = append(b.out, `,"more":"ask for less at a time: what was left out is not kept"}`...)
	}
	b.out = append(b.out, '}')
}

// reservedKey reports whether the protocol keeps a _meta key for itself.
func reservedKey(key string) bool {
	prefix, _, ok := strings.Cut(key, "/")
	if !ok || key == serverInfoKey {
		return false
	}
	_, rest, _ := strings.Cut(prefix, ".")
	second, _, _ := strings.Cut(rest, ".")
	return second == "mcp" || second == "modelcontextprotocol"
}

func (b *business) findings() []gateway.Finding {
	var out []gateway.Finding
	if b.truncated {
		out = append(out, gateway.Finding{Code: findingTruncated, Severity: gateway.Info})
	}
	if b.reserved {
		out = append(out, gateway.Finding{Code: findingReserved, Path: "/_meta", Severity: gateway.Info})
	}
	return out
}
