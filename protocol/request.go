package protocol

import (
	"fmt"
	"slices"

	"mcp-gateway/gateway"
)

// Request is one message of a host: a request, or a notification if ID is nil.
// Its byte slices alias the text it was parsed from. Members of the envelope
// that are not here were seen and are not kept, so they can not be forwarded.
type Request struct {
	ID     []byte // a JSON string or integer exactly as sent; nil = notification
	Method string
	Params []byte // an object, nil if absent
	Meta   Meta
}

// Meta holds the members of params._meta that the protocol defines. Empty
// means absent; which of them a method requires is for its front to say.
type Meta struct {
	Raw                []byte // the whole object, nil if absent
	Version            string
	ClientInfo         []byte // an object: what the host says about itself, unverified
	ClientCapabilities []byte // an object
	ProgressToken      []byte // a JSON string or integer as sent
	LogLevel           string // one of the eight RFC 5424 levels
	TraceParent        string // of valid W3C form; another value is dropped, as W3C asks
	TraceState         string // kept only beside a valid TraceParent
}

// ParseRequest checks raw and decodes the envelope of a host's message. Batches,
// responses, messages with both method and result, ids other than strings and
// integers, and a jsonrpc other than "2.0" are CodeMalformed; params that are no
// object and _meta of a wrong shape are CodeInvalidParams. Names count only byte
// for byte: "Method" and "method\u0000" are unknown members, which are ignored.
//
// Beside an error the Request is nil, or holds the ID and no more, where the ID
// could be read: an error response should carry it.
func ParseRequest(raw []byte, lim Limits) (*Request, error) {
	e, err := parseEnvelope(raw, lim)
	if err != nil {
		return nil, err
	}
	refused := (*Request)(nil)
	if e.id != nil && !isID(e.id) {
		return nil, notMessage("id is neither a string nor an integer")
	} else if e.id != nil {
		refused = &Request{ID: e.id}
	}
	if e.result != nil || e.error != nil {
		return refused, notMessage("a response")
	}
	if !textIs(e.version, "2.0") {
		return refused, notMessage("jsonrpc is not 2.0")
	}
	method, ok := Text(e.method)
	if !ok || method == "" {
		return refused, notMessage("no method")
	}
	r := &Request{ID: e.id, Method: method, Params: e.params}
	if e.params == nil {
		return r, nil
	}
	if Kind(e.params) != '{' {
		return refused, invalidParams("params is not an object")
	}
	if r.Meta, err = parseMeta(e.params); err != nil {
		return refused, err
	}
	return r, nil
}

// envelope holds the raw top-level members of a JSON-RPC message.
type envelope struct{ version, id, method, params, result, error []byte }

func parseEnvelope(raw []byte, lim Limits) (envelope, error) {
	var e envelope
	if err := Check(raw, lim); err != nil {
		return e, err
	}
	if Kind(raw) != '{' {
		return e, notMessage("not an object")
	}
	for c := open(raw, '{'); c.next(); {
		switch string(c.unescapedName()) {
		case "jsonrpc":
			e.version = c.value
		case "id":
			e.id = c.value
		case "method":
			e.method = c.value
		case "params":
			e.params = c.value
		case "result":
			e.result = c.value
		case "error":
			e.error = c.value
		}
	}
	return e, nil
}

func parseMeta(params []byte) (Meta, error) {
	raw, ok := Member(params, "_meta")
	if !ok {
		return Meta{}, nil
	}
	if Kind(raw) != '{' {
		return Meta{}, invalidParams("_meta is not an object")
	}
	m := Meta{Raw: raw}
	for c := open(raw, '{'); c.next(); {
		if err := m.set(c.unescapedName(), c.value); err != nil {
			return Meta{}, err
		}
	}
	if !isTraceParent(m.TraceParent) {
		m.TraceParent, m.TraceState = "", ""
	}
	return m, nil
}

// set takes one member of _meta; one of a wrong type is an error, except for
// trace context, which W3C says to ignore.
func (m *Meta) set(name, value []byte) error {
	ok := true
	switch string(name) {
	case MetaVersion:
		m.Version, ok = Text(value)
	case MetaClientInfo:
		m.ClientInfo, ok = value, Kind(value) == '{'
	case MetaClientCapabilities:
		m.ClientCapabilities, ok = value, Kind(value) == '{'
	case MetaProgressToken:
		m.ProgressToken, ok = value, isID(value)
	case MetaLogLevel:
		m.LogLevel, ok = Text(value)
		ok = ok && isLogLevel(m.LogLevel)
	case MetaTraceParent:
		m.TraceParent, _ = Text(value)
	case MetaTraceState:
		m.TraceState = traceState(value)
	}
	if !ok {
		return invalidParams("a member of _meta has a wrong type")
	}
	return nil
}

// isID reports whether a checked value is a string or an integer written as one.
func isID(raw []byte) bool { return Kind(raw) == '"' || isInteger(raw) }

func isInteger(raw []byte) bool {
	if len(raw) > 0 && raw[0] == '-' {
		raw = raw[1:]
	}
	for _, c := range raw {
		if !isDigit(c) {
			return false
		}
	}
	return len(raw) > 0
}

func isLogLevel(s string) bool {
	return slices.Contains([]string{
		"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}, s)
}

// isTraceParent reports whether s is a version-00 traceparent (W3C Trace
// Context section 3.2): lower-case hex, ids not all zero.
func isTraceParent(s string) bool {
	const layout = "00-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh"
	if len(s) != len(layout) || s[3:35] == layout0[:32] || s[36:52] == layout0[:16] {
		return false
	}
	for i := range len(s) {
		hex := isDigit(s[i]) || s[i]-'a' < 6
		if layout[i] == 'h' && !hex || layout[i] != 'h' && s[i] != layout[i] {
			return false
		}
	}
	return true
}

const layout0 = "00000000000000000000000000000000"

// traceState returns a tracestate of at most 512 visible bytes, else "".
func traceState(raw []byte) string {
	s, ok := Text(raw)
	if !ok || len(s) > 512 || !isHeaderSafe(s) {
		return ""
	}
	return s
}

func notMessage(what string) error {
	return malformed(fmt.Errorf("%w: %s", ErrMessage, what))
}

func invalidParams(what string) error {
	return gateway.Because(gateway.CodeInvalidParams, fmt.Errorf("%w: %s", ErrMessage, what))
}
