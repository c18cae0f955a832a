package findings

import "mcp-gateway/gateway"

// Neighbour is one definition beside which others stand.
type Neighbour struct {
	ID       gateway.ItemID
	Exposed  string
	Mentions []string
}

// Around returns, for each tool and prompt, what the names of other upstreams' tools
// give rise to; nil where nothing.
func Around(all []Neighbour) [][]gateway.Finding {
	s := survey{byName: map[string]owner{}, bySkeleton: map[string]looks{}}
	for i := range all {
		s.enter(&all[i])
	}
	found := make([][]gateway.Finding, len(all))
	for i := range all {
		found[i] = s.judge(&all[i])
	}
	return found
}

// owner is the one upstream that has a name; several have none in common.
type owner struct {
	upstream string
	several  bool
}

// looks are the names that look alike, folded, with the first that was seen.
type looks struct {
	first   string
	several bool
}

type survey struct {
	byName     map[string]owner // also by exposed name
	bySkeleton map[string]looks
}

func (s *survey) enter(n *Neighbour) {
	if n.ID.Kind != gateway.KindTool || n.ID.Name == "" {
		return
	}
	s.own(n.ID.Name, n.ID.Upstream)
	if n.Exposed != "" {
		s.own(n.Exposed, n.ID.Upstream)
	}
	skeleton, folded := Skeleton(n.ID.Name), Fold(n.ID.Name)
	had, ok := s.bySkeleton[skeleton]
	switch {
	case !ok:
		s.bySkeleton[skeleton] = looks{first: folded}
	case had.first != folded:
		s.bySkeleton[skeleton] = looks{first: had.first, several: true}
	}
}

func (s *survey) own(name, upstream string) {
	had, ok := s.byName[name]
	switch {
	case !ok:
		s.byName[name] = owner{upstream: upstream}
	case had.upstream != upstream:
		s.byName[name] = owner{several: true}
	}
}

func (s *survey) judge(n *Neighbour) []gateway.Finding {
	var found []gateway.Finding
	for _, word := range n.Mentions {
		if o, ok := s.byName[word]; ok && !o.several && o.upstream != n.ID.Upstream {
			found = append(found, finding(CrossTool, "", word))
			break
		}
	}
	if n.ID.Kind == gateway.KindTool && s.bySkeleton[Skeleton(n.ID.Name)].several {
		found = append(found, finding(Confusable, "/name", n.ID.Name))
	}
	return found
}
