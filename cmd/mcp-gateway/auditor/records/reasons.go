package records

import (
	"context"
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/auditor/codes"
	"mcp-gateway/gateway"
)

// reasons are those that there may be: of the gateway, what rules noted, and where that
// is not enough, those that the policy in force may give, whether or not it has.
func (a *Records) reasons(ctx context.Context, want string) []string {
	if want == "" {
		return nil
	}
	var all []string
	for _, r := range gateway.Reasons() {
		all = append(all, string(r))
	}
	if noted, err := a.index.Count(ctx, audit.Filter{Limit: maxPeople}, []string{"noted"}); err == nil { // words only help
		for _, g := range noted {
			all = append(all, bothWays(strings.Fields(g.Values[0])...)...)
		}
	}
	if slices.Contains(all, want) {
		return all
	}
	return append(all, codes.Of(ctx, a.config)...)
}

// bothWays are words of what was noted, each with its mode and without.
func bothWays(words ...string) []string {
	all := slices.Clone(words)
	for _, w := range words {
		if _, code, ok := strings.Cut(w, "."); ok {
			all = append(all, code)
		}
	}
	return all
}
