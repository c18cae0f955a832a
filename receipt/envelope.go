package receipt

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
)

// Envelope is a DSSE envelope (secure-systems-lab/dsse, v1.0.0) with exactly one
// signature.
type Envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"` // base64
	Signatures  []Signature `json:"signatures"`
}

// Signature is over the pre-authentication encoding of type and payload.
type Signature struct {
	KeyID string `json:"keyid"`
	Sig   string `json:"sig"` // base64
}

// Signer signs with the key of receipts; *keyring.Ring is one.
type Signer interface {
	Sign(p keyring.Purpose, message []byte) (keyID string, signature []byte)
}

// Sign returns the envelope of a statement as JSON.
func Sign(by Signer, s *Statement) ([]byte, error) {
	payload, err := s.Bytes()
	if err != nil {
		return nil, err
	}
	id, sig := by.Sign(keyring.Receipt, preAuth(PayloadType, payload))
	return json.Marshal(Envelope{
		PayloadType: PayloadType,
		Payload:     base64.StdEncoding.EncodeToString(payload),
		Signatures:  []Signature{{KeyID: id, Sig: base64.StdEncoding.EncodeToString(sig)}},
	})
}

// preAuth is DSSE's PAE: "DSSEv1", then type and body behind their lengths.
func preAuth(kind string, body []byte) []byte {
	out := append(make([]byte, 0, len(kind)+len(body)+32), "DSSEv1 "...)
	out = append(strconv.AppendInt(out, int64(len(kind)), 10), ' ')
	out = append(append(out, kind...), ' ')
	out = append(strconv.AppendInt(out, int64(len(body)), 10), ' ')
	return append(out, body...)
}

// DigestOf names an envelope by its bytes.
func DigestOf(envelope []byte) gateway.Digest {
	sum := sha256.Sum256(envelope)
	return gateway.Digest("sha256:" + hex.EncodeToString(sum[:]))
}

// maxEnvelope bounds an envelope, in bytes.
const maxEnvelope = 64 << 10

var errEnvelope = errors.New("receipt: not an envelope with one signature")

// parseEnvelope reads an envelope strictly and returns its payload and signature.
func parseEnvelope(text []byte) (e *Envelope, payload, sig []byte, err error) {
	e = &Envelope{}
	// Names count letter by letter and once: what is verified here must be what every
	// other reader of JSON reads, so that the text must say what was decoded.
	if protocol.Check(text, protocol.Limits{Bytes: maxEnvelope, Depth: 4}) != nil || json.Unmarshal(text, e) != nil || len(e.Signatures) != 1 {
		return nil, nil, nil, errEnvelope
	}
	if again, err := json.Marshal(e); err != nil || protocol.DigestOf(again) != protocol.DigestOf(text) {
		return nil, nil, nil, errEnvelope
	}
	if payload, err = decoded(e.Payload); err != nil {
		return nil, nil, nil, errEnvelope
	}
	if sig, err = decoded(e.Signatures[0].Sig); err != nil {
		return nil, nil, nil, errEnvelope
	}
	return e, payload, sig, nil
}

// decoded reads base64 in its one spelling: no other alphabet, no missing or idle bits,
// and no line breaks, which the decoder itself would pass over.
func decoded(text string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err == nil && base64.StdEncoding.EncodeToString(raw) != text {
		err = errEnvelope
	}
	return raw, err
}
