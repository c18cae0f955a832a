package receipt

import (
	"crypto/ed25519"
	"encoding/base64"

	"mcp-gateway/gateway"
)

// Refusal is why a receipt is not good: a stable word.
type Refusal string

// The refusals, in the order in which they are looked for.
const (
	BadEnvelope   Refusal = "bad_envelope"    // truncated, or no DSSE envelope with one signature
	OtherType     Refusal = "other_type"      // signed as something that is no receipt
	UnknownKey    Refusal = "unknown_key"     // no key of that id is among those given
	BadSignature  Refusal = "bad_signature"   // not what that key signed: altered, or by another key
	BadStatement  Refusal = "bad_statement"   // signed, but no statement of this version
	EventsSwapped Refusal = "events_swapped"  // finished does not come after decided
	OtherCall     Refusal = "other_call"      // good, but of another action than the one it is shown for
	OtherArgs     Refusal = "other_arguments" // good, but not of these arguments
	NoEvent       Refusal = "event_missing"   // the journal has no event at that place
	OtherEvent    Refusal = "event_differs"   // the journal's event has another hash, action or outcome
)

// Error implements error.
func (r Refusal) Error() string { return "receipt refused: " + string(r) }

// Claim is what a receipt is shown for. What is empty is not compared.
type Claim struct {
	Action    string
	Arguments []byte // in canonical form; nil = unknown
}

// Verify checks an envelope against public keys by id, and against what it is
// shown for. It needs nothing else and no network. Every error is a Refusal.
func Verify(envelope []byte, keys map[string]ed25519.PublicKey, c Claim) (*Statement, error) {
	e, payload, sig, err := parseEnvelope(envelope)
	if err != nil {
		return nil, BadEnvelope
	}
	if e.PayloadType != PayloadType {
		return nil, OtherType
	}
	key, ok := keys[e.Signatures[0].KeyID]
	if !ok {
		return nil, UnknownKey
	}
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, preAuth(e.PayloadType, payload), sig) {
		return nil, BadSignature
	}
	s, err := ParseStatement(payload)
	if err != nil {
		return nil, BadStatement
	}
	return s, s.judge(c)
}

// judge holds a signed statement against itself and against what it is shown for.
func (s *Statement) judge(c Claim) error {
	d, f := s.Decided, s.Finished
	if !f.IsZero() && (d.Boot > f.Boot || d.Boot == f.Boot && d.Seq >= f.Seq) {
		return EventsSwapped
	}
	if c.Action != "" && c.Action != s.Action {
		return OtherCall
	}
	if c.Arguments == nil {
		return nil
	}
	var salt Salt
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s.Arguments.Salt)
	if err != nil || copy(salt[:], raw) != len(salt) || len(raw) != len(salt) || ArgumentsDigest(salt, c.Arguments) != s.Arguments.Digest {
		return OtherArgs
	}
	return nil
}

// Events looks events up in a journal.
type Events interface {
	// Find returns the action and outcome of the event at the place, and the hash of
	// its line; false if there is none.
	Find(ref EventRef) (found Event, ok bool)
}

// Event is what a receipt can be held against.
type Event struct {
	Hash    string
	Action  string
	Outcome gateway.Outcome // of a finished one
}

// Match holds a verified statement against the journal that it names.
func (s *Statement) Match(journal Events) error {
	tells := s.Finished
	if !s.Told.IsZero() {
		tells = s.Told
	}
	for _, ref := range []EventRef{s.Decided, s.Finished, s.Told} {
		if ref.IsZero() {
			continue
		}
		e, ok := journal.Find(ref)
		switch {
		case !ok:
			return NoEvent
		case e.Hash != ref.Hash, e.Action != s.Action:
			return OtherEvent
		case ref == tells && e.Outcome != s.Outcome:
			return OtherEvent
		}
	}
	return nil
}
