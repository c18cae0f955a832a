package protocol

// Outgoing is one request to an upstream, built from nothing that the host's
// envelope held but its method, name and parameters.
type Outgoing struct {
	Method      string
	Name        string   // params.name or params.uri, for Mcp-Name; "" where the method has none
	Params      []byte   // a checked object without _meta; the upstream room adds its own
	Arguments   []byte   // the arguments within Params, for Mirrors; nil where there are none
	Mirrors     []Mirror // of the pinned definition
	TraceParent string   // valid W3C form, or ""
	Limit       int      // the most bytes of an answer to read; 0 means the upstream room's own
}

// Incoming is an upstream's answer: exactly one of Result and Error is set,
// unless the exchange failed before an answer came.
type Incoming struct {
	Result []byte // a checked object, byte for byte as it came
	Error  *RPCError
	Sent   bool // the request may have reached the upstream
}
