package lifecycle

import (
	"slices"
	"sync/atomic"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Session is what a host of a revision before 2026-07-28 agreed on once, by
// initialize. It says nothing about who calls: every request says that anew.
type Session struct {
	Revision     string // negotiated
	Capabilities []byte // what the host declared; a raw object
	Wanted       Wanted // resources that it subscribed to
	Name         string // what the host calls itself, unverified; "" = it did not say, or at too great length
	Version      string // likewise
	level        atomic.Pointer[string]
}

// LogLevel is the least level of messages that the host asked for; "" = none.
func (s *Session) LogLevel() string {
	if l := s.level.Load(); l != nil {
		return *l
	}
	return ""
}

// SetLogLevel takes one of the eight levels.
func (s *Session) SetLogLevel(level string) { s.level.Store(&level) }

// Declares says whether the host declared a capability, such as "elicitation".
func (s *Session) Declares(capability string) bool {
	value, ok := protocol.Member(s.Capabilities, capability)
	return ok && protocol.Kind(value) == '{'
}

// Answers says whether the host declared that it answers requests of a method.
func (s *Session) Answers(method string) bool {
	switch method {
	case protocol.MethodElicit:
		return s.Declares("elicitation")
	case protocol.MethodCreateMessage:
		return s.Declares("sampling")
	case protocol.MethodRootsList:
		return s.Declares("roots")
	case protocol.MethodPing:
		return true
	}
	return false
}

// Negotiate reads the params of initialize (2025-11-25, Lifecycle, Version
// Negotiation): the host's revision if it is served, else the newest one that
// is, which the host may refuse.
func Negotiate(params []byte) (*Session, error) {
	raw, _ := protocol.Member(params, "protocolVersion")
	asked, ok := protocol.Text(raw)
	declared, _ := protocol.Member(params, "capabilities")
	switch {
	case !ok:
		return nil, gateway.Wrong(gateway.CodeInvalidParams, "/params/protocolVersion")
	case protocol.Kind(declared) != '{':
		return nil, gateway.Wrong(gateway.CodeInvalidParams, "/params/capabilities")
	}
	served := protocol.LegacyRevisions()
	s := &Session{Revision: served[0], Capabilities: slices.Clone(declared)}
	if slices.Contains(served, asked) {
		s.Revision = asked
	}
	host, _ := protocol.Member(params, "clientInfo")
	s.Name, s.Version = claim(host, "name"), claim(host, "version")
	return s, nil
}

// maxClaim bounds what a session keeps of what a host says of itself, in bytes.
const maxClaim = 256

func claim(object []byte, name string) string {
	raw, _ := protocol.Member(object, name)
	text, _ := protocol.Text(raw)
	if len(text) > maxClaim {
		return ""
	}
	return text
}
