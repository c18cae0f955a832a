package stepup

import (
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// Refusal returns the refusal of a call that policy denied for want of scopes and
// for nothing else, with all that the call needs: its sender may ask its issuer for
// them (2026-07-28, Authorization, Scope Challenge Handling). Who came by other
// means than a token has nobody to ask. nil means that it is no such call. The
// caller knows that the item is visible to the sender; scopes are those of its
// record, arguments a checked object or nil.
func Refusal(p *gateway.Principal, reasons []gateway.Reason, scopes []string, arguments []byte) *gateway.Error {
	if p.Method != gateway.AuthOAuth || len(reasons) == 0 {
		return nil
	}
	for _, reason := range reasons {
		if reason != gateway.ReasonScopeMissing {
			return nil
		}
	}
	needed, ok := fill(scopes, arguments)
	if !ok || !lacks(p.Scopes, needed) {
		return nil
	}
	e := gateway.Fail(gateway.CodeInsufficientScope, gateway.ReasonScopeMissing)
	e.Scopes = needed
	return e
}

func lacks(held, needed []string) bool {
	return slices.ContainsFunc(needed, func(s string) bool { return !slices.Contains(held, s) })
}

// fill returns the scopes that a call with these arguments needs, sorted. It fills
// templates as policy does: with lower-cased texts that hold no colon. A value that
// no scope can hold (RFC 6749 section 3.3) makes the call one that no scope helps.
func fill(scopes []string, arguments []byte) ([]string, bool) {
	filled := make([]string, 0, len(scopes))
	for _, scope := range scopes {
		s, ok := fillOne(scope, arguments)
		if !ok {
			return nil, false
		}
		filled = append(filled, s)
	}
	slices.Sort(filled)
	return slices.Compact(filled), true
}

func fillOne(scope string, arguments []byte) (string, bool) {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(scope, "{")
		b.WriteString(before)
		if !open {
			return b.String(), true
		}
		name, after, closed := strings.Cut(rest, "}")
		raw, given := protocol.Member(arguments, name)
		if !closed || !given {
			return "", false
		}
		value, ok := protocol.Text(raw)
		if !ok || value == "" || len(value) > maxScopeValue || strings.ContainsFunc(value, outsideScope) {
			return "", false
		}
		b.WriteString(strings.ToLower(value))
		scope = after
	}
}

// maxScopeValue bounds what an argument adds to a scope, in bytes.
const maxScopeValue = 128

// outsideScope says whether a character can't stand in the value of a template.
func outsideScope(r rune) bool {
	return r <= ' ' || r > '~' || r == '"' || r == '\\' || r == ':' || r == '{' || r == '}'
}
