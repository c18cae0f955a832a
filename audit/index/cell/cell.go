package cell

import (
	"strings"

	"mcp-gateway/audit"
)

// Settles says whether the event may end a decided call, and so have no row of its own. A
// refused one does when the record of the decision came too late for the call to be sent.
func Settles(e *audit.Event) bool {
	switch e.Type {
	case audit.ToolFinished, audit.ToolOrphaned, audit.SubscriptionClosed:
		return true
	case audit.ToolRefused:
		return !e.Action.IsZero()
	default:
		return false
	}
}

// Noted are those of a decision's words that say which rules only noted something: they
// are written "warned.CODE" and "watched.CODE".
func Noted(words []audit.Word) string {
	var codes []audit.Word
	for _, w := range words {
		if mode, _, _ := strings.Cut(string(w), "."); mode == "warned" || mode == "watched" {
			codes = append(codes, w)
		}
	}
	return Join(codes, ' ')
}

// Join keeps a list as one word: there are few combinations.
func Join[T ~string](list []T, between byte) string {
	if len(list) == 1 {
		return string(list[0])
	}
	var all strings.Builder
	for i, r := range list {
		if i > 0 {
			all.WriteByte(between)
		}
		all.WriteString(string(r))
	}
	return all.String()
}
