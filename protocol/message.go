package protocol

import (
	"strconv"

	"mcp-gateway/protocol/rawjson"
)

// Message is one message of an upstream. Exactly one of three shapes: a
// response (Result or Error set; ID nil only beside an Error, when the upstream
// could not tell which request it was), a notification (Method set, ID nil), a
// request (both set). Its byte slices alias the text it was parsed from.
type Message struct {
	ID     []byte // a JSON string or integer exactly as sent
	Method string
	Params []byte // an object, nil if absent
	Result []byte // an object
	Error  []byte // an object; see ParseRPCError
}

// ParseMessage checks raw and decodes the envelope of an upstream's message.
// All its errors are *gateway.Error with CodeMalformed or CodeTooLarge.
func ParseMessage(raw []byte, lim Limits) (Message, error) {
	e, err := parseEnvelope(raw, lim)
	if err != nil {
		return Message{}, err
	}
	return e.message()
}

// ParsePage is ParseMessage for the answer to a list method: a fault within one
// element of result's array of that name, but for wrong syntax, is left to
// whoever reads the element. See [rawjson.CheckAround].
func ParsePage(raw []byte, lim Limits, list string) (Message, error) {
	if err := rawjson.CheckAround(raw, lim, "result", list); err != nil {
		return Message{}, err
	}
	e, err := readEnvelope(raw)
	if err != nil {
		return Message{}, err
	}
	return e.message()
}

// message makes an upstream's message of an envelope.
func (e *envelope) message() (Message, error) {
	if !rawjson.IsText(e.version, "2.0") {
		return Message{}, notMessage("jsonrpc is not 2.0")
	}
	if e.error != nil && Kind(e.id) == 'n' {
		e.id = nil // JSON-RPC 2.0 section 5: the id could not be detected
	}
	if e.id != nil && !isID(e.id) {
		return Message{}, notMessage("id is neither a string nor an integer")
	}
	for _, object := range [...][]byte{e.params, e.result, e.error} {
		if object != nil && Kind(object) != '{' {
			return Message{}, notMessage("params, result or error is not an object")
		}
	}
	m := Message{ID: e.id, Params: e.params, Result: e.result, Error: e.error}
	kinds := 0
	for _, part := range [...][]byte{e.method, e.result, e.error} {
		if part != nil {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return Message{}, notMessage("not exactly one of method, result and error")
	case e.result != nil && e.id == nil:
		return Message{}, notMessage("a result without id")
	case e.method == nil:
		return m, nil
	}
	var ok bool
	if m.Method, ok = Text(e.method); !ok || m.Method == "" {
		return Message{}, notMessage("method is not a name")
	}
	return m, nil
}

// RPCError is a JSON-RPC error object. Message and Data are an upstream's own
// text: they are never shown to a host as they are.
type RPCError struct {
	Code    int64
	Message string
	Data    []byte // raw JSON, nil if absent
}

// ParseRPCError decodes a checked error object; false if it has no integer code
// or no message.
func ParseRPCError(raw []byte) (RPCError, bool) {
	var e RPCError
	code, _ := Member(raw, "code")
	message, _ := Member(raw, "message")
	e.Data, _ = Member(raw, "data")
	n, err := strconv.ParseInt(string(code), 10, 64)
	text, ok := Text(message)
	e.Code, e.Message = n, text
	return e, ok && err == nil
}

// AppendResponse appends a JSON-RPC response; id and result are raw JSON.
func AppendResponse(dst, id, result []byte) []byte {
	return append(append(AppendResponseHead(dst, id), result...), '}')
}

// AppendResponseHead appends a JSON-RPC response up to its result, for one who
// renders the result in the same buffer and closes with a brace.
func AppendResponseHead(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	return append(dst, `,"result":`...)
}

// AppendErrorResponse appends a JSON-RPC error response; id and data are raw
// JSON. With a nil id the member is left out, as MCP's schema has it for a
// request whose id could not be read (JSON-RPC's null is no RequestId there).
func AppendErrorResponse(dst, id []byte, code int, message string, data []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0",`...)
	if id != nil {
		dst = append(dst, `"id":`...)
		dst = append(dst, id...)
		dst = append(dst, ',')
	}
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, message)
	if data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, data...)
	}
	return append(dst, "}}"...)
}

// AppendMessage appends a request, or with a nil id a notification; id and
// params are raw JSON, and nil params are left out.
func AppendMessage(dst, id []byte, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0",`...)
	if id != nil {
		dst = append(append(append(dst, `"id":`...), id...), ',')
	}
	dst = AppendString(append(dst, `"method":`...), method)
	if params != nil {
		dst = append(append(dst, `,"params":`...), params...)
	}
	return append(dst, '}')
}

// OneLine replaces, in place, line breaks by blanks. In valid JSON they stand
// between tokens only, so that no value changes.
func OneLine(raw []byte) []byte {
	for i, c := range raw {
		if c == '\n' || c == '\r' {
			raw[i] = ' '
		}
	}
	return raw
}
