package protocol

import (
	"context"

	"mcp-gateway/gateway"
)

// Outgoing is one request to an upstream, built from nothing that the host's
// envelope held but its method, name and parameters.
type Outgoing struct {
	Method      string
	Name        string         // params.name or params.uri, for Mcp-Name; "" where the method has none
	Params      []byte         // a checked object without _meta; the upstream room adds its own
	Arguments   []byte         // the arguments within Params, for Mirrors; nil where there are none
	Mirrors     []Mirror       // of the pinned definition
	TraceParent string         // valid W3C form, or ""
	Behalf      gateway.Behalf // whose token the upstream's credential is exchanged for; zero = nobody's
	Limit       int            // the most bytes of an answer to read; 0 means the upstream room's own

	// What the host declared and asked for, as far as it may reach the upstream.
	Capabilities []byte // an object of client capabilities for a modern hop; nil declares none
	Progress     bool   // the host wants progress; the token on the upstream's hop is the upstream room's own
	LogLevel     string // the least level of log messages that the host wants; "" = none

	// Notify is given what the upstream sends within this exchange: progress,
	// without its token, and log messages; params are a checked object or nil. It
	// is called in order and must not block. nil: all of it is dropped.
	Notify func(method string, params []byte)

	// Ask is given what a legacy upstream asks within this exchange: elicitation,
	// sampling, roots. It returns the result object to answer with; an error, or a
	// nil Ask, declines by name.
	Ask func(ctx context.Context, method string, params []byte) (result []byte, err error)
}

// Incoming is an upstream's answer: exactly one of Result and Error is set,
// unless the exchange failed before an answer came.
type Incoming struct {
	Result []byte // a checked object, byte for byte as it came
	Error  *RPCError
	Sent   bool // the request may have reached the upstream
	Wasted int  // bytes that were read of an answer that was refused, about
}
