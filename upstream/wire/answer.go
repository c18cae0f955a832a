package wire

import (
	"errors"
	"strconv"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// ID returns the number that a response's id is, if it is one that we could
// have sent: a positive integer in plain digits.
func ID(lexeme []byte) (int64, bool) {
	if len(lexeme) == 0 || len(lexeme) > 18 || lexeme[0] == '0' {
		return 0, false
	}
	var id int64
	for _, c := range lexeme {
		if c < '0' || c > '9' {
			return 0, false
		}
		id = id*10 + int64(c-'0')
	}
	return id, true
}

// Is reports whether a response's id is id.
func Is(lexeme []byte, id int64) bool {
	var buf [20]byte
	return string(lexeme) == string(strconv.AppendInt(buf[:0], id, 10))
}

// Settle makes an answer of a response: its error, or its result if that is an
// object within limit bytes.
func Settle(m protocol.Message, limit int) (protocol.Incoming, error) {
	in := protocol.Incoming{Sent: true}
	switch {
	case m.Error != nil:
		e, ok := protocol.ParseRPCError(m.Error)
		if !ok {
			return in, malformed("error that is no error object")
		}
		in.Error = &e
	case protocol.Kind(m.Result) != '{':
		return in, malformed("result that is no object")
	case len(m.Result) > limit:
		return in, gateway.Fail(gateway.CodeTooLarge)
	default:
		in.Result = m.Result
	}
	return in, nil
}

// Unreadable is the error for an answer that is no strict message, or is
// beyond the bounds.
func Unreadable(err error) *gateway.Error {
	if e := (*gateway.Error)(nil); errors.As(err, &e) && e.Code == gateway.CodeTooLarge {
		return e
	}
	return gateway.Because(gateway.CodeExecutionError, err, gateway.ReasonMalformed)
}
