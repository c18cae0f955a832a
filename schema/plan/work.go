package plan

import "mcp-gateway/schema/plan/scalar"

// Work reports whether the library would judge the decoded value within that
// many steps. The library takes no context and no limit, and a schema that
// applies itself twice to the same member costs it two to the power of the
// value's depth; so its walk is gone through here first, without judging, for
// some nanoseconds a step. The count is never below the library's own: branches
// that it might skip are counted. A step stands for about a microsecond of the
// library, or for 200 bytes that it keeps: each failed branch is an error with the
// whole way to the value.
func (n *Node) Work(v any, steps int) bool {
	w := work{left: steps}
	w.value(n, v)
	return w.left >= 0 && w.nesting <= maxNesting
}

type work struct {
	left, nesting int
	chain         int // subschemas on the way that judge the same value
	deep          int // arrays and objects around the value
}

func (w *work) spent() bool { return w.left < 0 || w.nesting > maxNesting }

func (w *work) each(nodes []*Node, v any) {
	for _, n := range nodes {
		w.value(n, v)
	}
}

func (w *work) value(n *Node, v any) {
	if n == nil || w.spent() {
		return
	}
	w.left -= 1 + w.chain/16 + w.deep/8 // the library looks back along the chain at each, and copies the way
	if w.nesting++; w.spent() {
		return // and stay over the limit, so that Work sees it
	}
	chain := w.chain
	if chain > 0 {
		w.left-- // a branch, whose failure is kept beside those of others
	}
	w.chain++
	w.inPlace(n, v)
	w.chain = 0
	w.left -= n.rule.Work(v)
	switch v := v.(type) {
	case string:
		if n.rule.Pattern != nil {
			w.left -= n.rule.Pattern.Cost(len(v))
		}
	case []any:
		w.deep++
		w.array(n, v)
		w.deep--
	case map[string]any:
		w.left -= n.named / 4
		w.deep++
		w.object(n, v)
		w.deep--
	}
	w.chain = chain
	if !w.spent() {
		w.nesting--
	}
}

func (w *work) inPlace(n *Node, v any) {
	w.each(n.all, v)
	w.each(n.any, v)
	w.each(n.one, v)
	w.each(n.late, v)
	w.value(n.not, v)
	w.value(n.cond, v)
	w.value(n.then, v)
	w.value(n.els, v)
}

func (w *work) array(n *Node, v []any) {
	if n.unique {
		w.left -= scalar.Distinct(v, w.left)
	}
	for i, item := range v {
		if w.spent() {
			return
		}
		if i < len(n.prefix) {
			w.value(n.prefix[i], item)
		} else {
			w.value(n.rest, item)
		}
		w.each(n.otherItems, item)
	}
}

func (w *work) object(n *Node, v map[string]any) {
	for name, member := range v {
		if w.spent() {
			return
		}
		w.left--
		w.value(n.fields[name].node, member)
		for _, p := range n.patterns {
			w.left -= p.re.Cost(len(name))
			w.value(p.node, member)
		}
		w.value(n.extra, member)
		w.each(n.otherMembers, member)
		w.value(n.names, name)
	}
}
