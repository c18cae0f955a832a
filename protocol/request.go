package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol/headers"
	"mcp-gateway/protocol/rawjson"
)

// ErrMessage is the cause of a refusal of sound JSON that is no message of the
// expected kind.
var ErrMessage = errors.New("not a JSON-RPC message of the expected kind")

// maxIDLen bounds a string id, in bytes as sent. An id comes back with every
// answer; nothing but an attack needs a long one.
const maxIDLen = 1024

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
	Run, Step, Call    string // what the host calls its own run, step and call: any text, unverified; what is no string counts as absent
}

// ParseRequest checks raw and decodes the envelope of a host's message. Batches,
// responses, messages with both method and result, ids other than strings and
// integers, and a jsonrpc other than "2.0" are CodeMalformed; params that are no
// object and _meta of a wrong shape are CodeInvalidParams. Names count only byte
// for byte: "Method" and "method\u0000" are unknown members, which are ignored.
//
// Beside an error the Request is nil, or holds the ID, where that could be read,
// and nothing else: an error response should carry it.
func ParseRequest(raw []byte, lim Limits) (*Request, error) {
	e, err := parseEnvelope(raw, lim)
	if err != nil {
		return nil, err
	}
	if e.id != nil && !isID(e.id) {
		return nil, notRequest(gateway.ReasonID, "id is neither a string nor an integer")
	}
	r := &Request{ID: e.id}
	if e.result != nil || e.error != nil {
		return r, notRequest(gateway.ReasonNotRequest, "a response")
	}
	if !rawjson.IsText(e.version, "2.0") {
		return r, notRequest(gateway.ReasonVersion, "jsonrpc is not 2.0")
	}
	method, ok := Text(e.method)
	if !ok || method == "" {
		return r, notRequest(gateway.ReasonNotRequest, "no method")
	}
	var meta Meta
	if e.params != nil {
		if meta, err = parseMeta(e.params); err != nil {
			return r, err
		}
	}
	r.Method, r.Params, r.Meta = method, e.params, meta
	return r, nil
}

// envelope holds the raw top-level members of a JSON-RPC message.
type envelope struct{ version, id, method, params, result, error []byte }

func parseEnvelope(raw []byte, lim Limits) (envelope, error) {
	if err := Check(raw, lim); err != nil {
		return envelope{}, err
	}
	return readEnvelope(raw)
}

// readEnvelope reads the members of a checked message.
func readEnvelope(raw []byte) (envelope, error) {
	var e envelope
	if Kind(raw) != '{' {
		return e, notRequest(gateway.ReasonNotRequest, "not an object")
	}
	for name, value := range rawjson.Members(raw) {
		switch string(name) {
		case "jsonrpc":
			e.version = value
		case "id":
			e.id = value
		case "method":
			e.method = value
		case "params":
			e.params = value
		case "result":
			e.result = value
		case "error":
			e.error = value
		}
	}
	return e, nil
}

func parseMeta(params []byte) (Meta, error) {
	if Kind(params) != '{' {
		return Meta{}, invalidParams("/params", "params is not an object")
	}
	raw, ok := Member(params, "_meta")
	if !ok {
		return Meta{}, nil
	}
	if Kind(raw) != '{' {
		return Meta{}, invalidParams("/params/_meta", "_meta is not an object")
	}
	m := Meta{Raw: raw}
	for name, value := range rawjson.Members(raw) {
		if err := m.set(name, value); err != nil {
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
		ok = ok && IsLogLevel(m.LogLevel)
	case MetaTraceParent:
		m.TraceParent, _ = Text(value)
	case MetaTraceState:
		m.TraceState = traceState(value)
	case MetaRun:
		m.Run, _ = Text(value)
	case MetaStep:
		m.Step, _ = Text(value)
	case MetaCall:
		m.Call, _ = Text(value)
	}
	if !ok {
		return invalidParams(MetaField(string(name)), "a member of _meta has a wrong type")
	}
	return nil
}

// Complete returns the error about the first member that a request of 2026-07-28 must
// have and has not (Request Metadata), or nil.
func (m *Meta) Complete() error {
	for _, must := range [...]struct {
		name string
		has  bool
	}{{MetaVersion, m.Version != ""}, {MetaClientCapabilities, m.ClientCapabilities != nil}} {
		if !must.has {
			return invalidParams(MetaField(must.name), "a member of _meta is missing")
		}
	}
	return nil
}

// isID reports whether a checked value is a string or an integer written as one.
func isID(raw []byte) bool {
	return len(raw) <= maxIDLen && Kind(raw) == '"' || rawjson.IsInteger(raw)
}

// IsLogLevel reports whether s is one of the eight levels of RFC 5424.
func IsLogLevel(s string) bool { return Severity(s) > 0 }

// Severity orders the levels of RFC 5424, from 1 for debug; 0 is no level.
func Severity(level string) int {
	return 1 + slices.Index([]string{
		"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}, level)
}

// isTraceParent reports whether s is a version-00 traceparent (W3C Trace
// Context section 3.2): lower-case hex, ids not all zero.
func isTraceParent(s string) bool {
	const layout = "00-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh"
	if len(s) != len(layout) || strings.Trim(s[3:35], "0") == "" || strings.Trim(s[36:52], "0") == "" {
		return false
	}
	for i := range len(s) {
		hex := s[i]-'0' <= 9 || s[i]-'a' <= 5
		if layout[i] == 'h' && !hex || layout[i] != 'h' && s[i] != layout[i] {
			return false
		}
	}
	return true
}

// traceState returns a tracestate of at most 512 visible bytes, else "".
func traceState(raw []byte) string {
	s, ok := Text(raw)
	if !ok || len(s) > 512 || !headers.IsSafe(s) {
		return ""
	}
	return s
}

func notMessage(what string) error {
	return gateway.Because(gateway.CodeMalformed, fmt.Errorf("%w: %s", ErrMessage, what), gateway.ReasonMalformed)
}

// notRequest is notMessage with why, for hosts.
func notRequest(why gateway.Reason, what string) error {
	return gateway.Because(gateway.CodeMalformed, fmt.Errorf("%w: %s", ErrMessage, what), gateway.ReasonMalformed, why)
}

func invalidParams(field, what string) error {
	e := gateway.Because(gateway.CodeInvalidParams, fmt.Errorf("%w: %s", ErrMessage, what))
	e.Field = field
	return e
}

// MetaField is where a member of _meta stands in a request, for gateway.Error.Field.
func MetaField(name string) string {
	return "/params/_meta/" + strings.ReplaceAll(name, "/", "~1") // the protocol's names hold no tilde
}
