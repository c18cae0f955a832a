package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/check"
)

// Member is one bundle of a policy that several make.
type Member struct {
	Name   string // by which others speak of it; "" where it is alone
	Shown  string // in problems
	Bundle *Bundle
}

// Join checks and prepares the policy that bundles make together, by order of their
// names. Each holds what lies below its roots, and no two may claim the same. The
// error is gateway.Problems.
func Join(ctx context.Context, members []Member) (*check.Policy, error) {
	if ps := Conflicts(members); len(ps) > 0 {
		return nil, ps
	}
	if len(members) == 1 {
		return check.Compile(ctx, members[0].Bundle.source)
	}
	whole := check.Source{Modules: map[string]string{}, Data: map[string]any{}}
	var revisions []string
	for _, m := range members {
		maps.Copy(whole.Modules, m.Bundle.source.Modules)
		whole.Data = merged(whole.Data, m.Bundle.source.Data)
		revisions = append(revisions, m.Bundle.Revision)
	}
	slices.Sort(revisions) // whatever the bundles are called
	digest := sha256.Sum256([]byte(strings.Join(revisions, "\n")))
	whole.Revision = "sha256:" + hex.EncodeToString(digest[:])
	return check.Compile(ctx, whole)
}

// Conflicts are the roots that two bundles claim, said of the later.
func Conflicts(members []Member) gateway.Problems {
	var out gateway.Problems
	for i, m := range members {
		for _, earlier := range members[:i] {
			out = append(out, m.against(&earlier)...)
		}
	}
	return out
}

func (m *Member) against(other *Member) gateway.Problems {
	var out gateway.Problems
	for _, mine := range m.Bundle.Roots {
		for _, theirs := range other.Bundle.Roots {
			if overlap(mine, theirs) {
				out = append(out, gateway.Problem{Pos: gateway.Pos{File: m.Shown}, Code: CodeRoots, Message: fmt.Sprintf(
					"bundle %q claims the root %q, and bundle %q the root %q: one lies in the other", m.Name, mine, other.Name, theirs)})
			}
		}
	}
	return out
}

// overlap says whether one root lies in the other. The empty root is everything.
func overlap(a, b string) bool {
	within := func(x, y string) bool { return y == "" || x == y || strings.HasPrefix(x, y+"/") }
	a, b = strings.Trim(a, "/"), strings.Trim(b, "/")
	return within(a, b) || within(b, a)
}

// merged puts two trees together that share branches and no leaf. Neither is changed.
func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	for key, v := range b {
		mine, inside := out[key].(map[string]any)
		theirs, object := v.(map[string]any)
		if inside && object {
			v = merged(mine, theirs)
		}
		out[key] = v
	}
	return out
}
