package bound

import (
	"strconv"
	"strings"

	"mcp-gateway/protocol"
)

// _meta keys by which a host is told whose words it reads, {"upstream": id}, and that
// some are missing: {"truncated": true, "total": bytes, "more": how to get it}.
const (
	SourceKey    = "mcp-gateway/source"
	TruncatedKey = "mcp-gateway/truncated"
)

// serverInfoKey is the one reserved _meta key that the protocol has results
// carry (2026-07-28, ResultMetaObject).
const serverInfoKey = "io.modelcontextprotocol/serverInfo"

// blockCost is what a content block takes from the total besides its text.
const blockCost = 64

// Failure is an upstream's own error as a host is given it.
type Failure struct {
	JSON      []byte
	Truncated bool // something of it was left out
	Reserved  bool // it had _meta keys that are the protocol's or ours
}

// Error bounds an upstream's own error, a result with isError that is clean: block
// bytes of each text, all bytes of everything; length is how long it was when it came.
func Error(clean []byte, block, all, length int, upstream string) Failure {
	b := business{block: block, left: all, total: length}
	b.out = append(make([]byte, 0, min(len(clean), 2*b.left)+128), '{')
	var meta []byte
	for name, value := range protocol.Members(clean) {
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
	return Failure{JSON: append(b.out, '}'), Truncated: b.truncated, Reserved: b.reserved}
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
	limit = boundary(s, limit)
	b.left -= limit
	b.truncated = true
	return s[:limit] + marker(len(s)-limit)
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
		b.out = append(appendFacts(b.out, b.total), '}')
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

// marker ends a text of which so many bytes are missing.
func marker(missing int) string { return "… [truncated: " + strconv.Itoa(missing) + " bytes]" }

// appendFacts appends the value of TruncatedKey but for what closes it.
func appendFacts(dst []byte, total int) []byte {
	dst = strconv.AppendInt(append(dst, `{"truncated":true,"total":`...), int64(total), 10)
	return append(dst, `,"more":"ask for less at a time: what was left out is not kept"`...)
}
