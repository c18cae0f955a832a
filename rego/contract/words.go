package contract

import (
	"slices"
	"strings"

	"mcp-gateway/gateway"
)

// Mode says what a rule's code does.
type Mode string

// The modes, from the strictest.
const (
	ModeEnforce Mode = "enforce" // it denies or asks
	ModeWarn    Mode = "warn"    // it is put on record and told to the caller
	ModeAudit   Mode = "audit"   // it is put on record
)

// Words are the reasons that a policy may give, each with its mode. No other
// reason leaves it.
type Words map[gateway.Reason]Mode

// Under returns the codes of that mode, sorted.
func (w Words) Under(m Mode) []string {
	var out []string
	for code, mode := range w {
		if mode == m {
			out = append(out, string(code))
		}
	}
	slices.Sort(out)
	return out
}

// MaxCode is how long a reason may be.
const MaxCode = 64

// IsCode says whether s may be a policy's reason: lower case words joined by
// underscores. The prefix policy_ is the gateway's own, so that a reason always
// tells a rule's answer from the lack of one.
func IsCode(s string) bool {
	if s == "" || len(s) > MaxCode || strings.HasPrefix(s, "policy_") {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter, digit := 'a' <= c && c <= 'z', '0' <= c && c <= '9'
		if !letter && (i == 0 || !digit && c != '_') {
			return false
		}
	}
	return true
}
