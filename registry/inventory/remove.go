package inventory

import (
	"slices"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry/findings"
)

// Tool is one tool as the inventory looks at it.
type Tool struct {
	ID          gateway.ItemID
	Facts       *gateway.ExposureFacts
	InputSchema []byte
	Calls       int // in the time that was looked at
}

// The reasons to take a tool out.
const (
	NoReason  = "no_reason"  // nobody wrote why it must exist
	NeverUsed = "never_used" // nobody called it in the time that was looked at
	Twin      = "twin"       // another upstream has one of the same name or schema
)

// Remove returns for each tool why it might be taken out; nil where nothing.
func Remove(all []Tool) [][]string {
	byName, bySchema := map[string][]int{}, map[gateway.Digest][]int{}
	for i, t := range all {
		name := findings.Fold(t.ID.Name)
		byName[name] = append(byName[name], i)
		if properties, ok := member(t.InputSchema, "properties"); ok && len(properties) > 2 {
			digest := protocol.DigestOf(properties)
			bySchema[digest] = append(bySchema[digest], i)
		}
	}
	reasons := make([][]string, len(all))
	for i, t := range all {
		if t.Facts.Why == "" {
			reasons[i] = append(reasons[i], NoReason)
		}
		if t.Calls == 0 {
			reasons[i] = append(reasons[i], NeverUsed)
		}
	}
	mark := func(twins []int) {
		for _, i := range twins {
			elsewhere := slices.ContainsFunc(twins, func(j int) bool { return all[j].ID.Upstream != all[i].ID.Upstream })
			if elsewhere && !slices.Contains(reasons[i], Twin) {
				reasons[i] = append(reasons[i], Twin)
			}
		}
	}
	for _, twins := range byName {
		mark(twins)
	}
	for _, twins := range bySchema {
		mark(twins)
	}
	return reasons
}

func member(raw []byte, name string) ([]byte, bool) {
	if protocol.Kind(raw) != '{' {
		return nil, false
	}
	value, ok := protocol.Member(raw, name)
	return value, ok && protocol.Kind(value) == '{'
}
