package state

import (
	"encoding/binary"
	"errors"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
)

// Life is how long a host may take to answer what it was asked.
const Life = 10 * time.Minute

// MaxInner bounds what an upstream may have carried, in bytes as sent.
const MaxInner = 256 << 10

// Why a state is not good. A host learns none of it.
var (
	ErrExpired = errors.New("state: its time is over")
	ErrShape   = errors.New("state: not of this version")
)

// Binding is what a state is good for: who calls, what, as which definition,
// with which arguments. A state that is presented for anything else is refused.
type Binding struct {
	Principal  string // gateway.Principal.ID
	Method     string
	Item       gateway.ItemID
	Definition gateway.Digest
	Arguments  []byte // a checked object; nil = none were sent, which is not {}
}

// State is what a round leaves for the next one.
type State struct {
	Action audit.ID // joins the events of all rounds
	Inner  []byte   // the upstream's requestState, a JSON string as it came; nil = it sent none
	Asked  []string // the keys of the questions that were asked: what answers another is no answer
}

// version is the first byte of what is sealed.
const version = 2

// head is what always stands in a state: version, action, when its time is over in
// milliseconds since 1970, how many keys follow, and behind them whether there is an
// inner state.
const head = 1 + len(audit.ID{}) + 8 + 2 + 1

// Seal returns the requestState for the host: a token that tells nothing, can't
// be altered, and differs each time.
func Seal(ring *keyring.Ring, b *Binding, s State, now time.Time) string {
	plain := append(make([]byte, 0, head+len(s.Inner)), version)
	plain = append(plain, s.Action[:]...)
	plain = binary.BigEndian.AppendUint64(plain, uint64(now.Add(Life).UnixMilli()))
	plain = binary.BigEndian.AppendUint16(plain, uint16(len(s.Asked)))
	for _, key := range s.Asked {
		plain = binary.BigEndian.AppendUint32(plain, uint32(len(key)))
		plain = append(plain, key...)
	}
	if s.Inner == nil {
		return ring.Seal(keyring.State, append(plain, 0), b.bytes())
	}
	return ring.Seal(keyring.State, append(append(plain, 1), s.Inner...), b.bytes())
}

// Open returns what Seal was given for the same binding. Every other token is a
// *gateway.Error of CodeStateInvalid: altered, another's, for another call, too
// late.
func Open(ring *keyring.Ring, b *Binding, token string, now time.Time) (State, error) {
	plain, err := ring.Open(keyring.State, token, b.bytes())
	switch {
	case err != nil:
		return State{}, gateway.Because(gateway.CodeStateInvalid, err)
	case len(plain) < head || plain[0] != version:
		return State{}, gateway.Because(gateway.CodeStateInvalid, ErrShape)
	}
	var s State
	rest := plain[1+copy(s.Action[:], plain[1:]):]
	if over := binary.BigEndian.Uint64(rest); uint64(now.UnixMilli()) >= over {
		return State{}, gateway.Because(gateway.CodeStateInvalid, ErrExpired)
	}
	if !s.read(rest[8:]) {
		return State{}, gateway.Because(gateway.CodeStateInvalid, ErrShape)
	}
	return s, nil
}

// read reads the keys and the inner state. Both are ours: the seal was good.
func (s *State) read(rest []byte) bool {
	asked := int(binary.BigEndian.Uint16(rest))
	rest = rest[2:]
	for range asked {
		if len(rest) < 4 {
			return false
		}
		n := binary.BigEndian.Uint32(rest)
		if rest = rest[4:]; uint64(n) > uint64(len(rest)) {
			return false
		}
		s.Asked, rest = append(s.Asked, string(rest[:n])), rest[n:]
	}
	if len(rest) == 0 {
		return false
	}
	if rest[0] == 1 {
		s.Inner = rest[1:]
	}
	return true
}

// bytes are what the seal authenticates beside the state: each part behind its
// length, so that no two bindings share them.
func (b *Binding) bytes() []byte {
	arguments := gateway.Digest("") // of nothing: no digest is empty
	if b.Arguments != nil {
		arguments = protocol.DigestOf(b.Arguments)
	}
	out := []byte("mcp-gateway request state 1")
	for _, part := range [...]string{
		b.Principal, b.Method, b.Item.Upstream, string(b.Item.Kind), b.Item.Name, string(b.Definition), string(arguments),
	} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
		out = append(out, part...)
	}
	return out
}
