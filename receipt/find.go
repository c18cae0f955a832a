package receipt

import "mcp-gateway/protocol"

// MostAnswer bounds an answer in which a receipt is looked for, in bytes.
const MostAnswer = 32 << 20

// answerDepth bounds how deep such an answer may be nested.
const answerDepth = 128

// Find returns the envelope within what a host got: a whole JSON-RPC answer, its
// result, or the result's _meta. What is none of these, or no JSON in which every name
// stands once, is returned as it is: it is an envelope, or [Verify] says that it is not.
func Find(text []byte) []byte {
	if protocol.Check(text, protocol.Limits{Bytes: MostAnswer, Depth: answerDepth}) != nil {
		return text
	}
	for _, pointer := range [...]string{"/result/_meta/", "/_meta/", "/"} {
		if envelope, ok := protocol.Lookup(text, pointer+"mcp-gateway~1receipt"); ok {
			return envelope
		}
	}
	return text
}

// KeyID returns the id of the key that an envelope says it is signed by, "" where it is
// no envelope. It proves nothing.
func KeyID(envelope []byte) string {
	e, _, _, err := parseEnvelope(envelope)
	if err != nil {
		return ""
	}
	return e.Signatures[0].KeyID
}
