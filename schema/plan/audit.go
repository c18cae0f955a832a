package plan

import "fmt"

// Audit refuses graphs that cannot be walked safely: those that come back to a
// subschema without having consumed any part of the value, and those in which
// one value would be judged by more than limit subschemas. It looks at each
// node once, so it takes microseconds whatever the graph would expand to.
func (n *Node) Audit(limit int) error {
	a := &audit{limit: limit, size: map[*Node]int{}, open: map[*Node]bool{}, seen: map[*Node]bool{}}
	return a.walk(n)
}

type audit struct {
	limit int
	size  map[*Node]int  // expansion, once known
	open  map[*Node]bool // on the path of in-place applicators
	seen  map[*Node]bool
}

// walk audits every node that is reachable in any way.
func (a *audit) walk(n *Node) error {
	queue := []*Node{n}
	for len(queue) > 0 {
		n, queue = queue[len(queue)-1], queue[:len(queue)-1]
		if a.seen[n] {
			continue
		}
		a.seen[n] = true
		if _, err := a.expand(n); err != nil {
			return err
		}
		queue = append(append(queue, n.inPlace()...), n.children()...)
	}
	return nil
}

// expand returns how many subschemas judge a value to which n is applied.
func (a *audit) expand(n *Node) (int, error) {
	if size, ok := a.size[n]; ok {
		return size, nil
	}
	if a.open[n] {
		return 0, fmt.Errorf("%q %w", n.at, ErrCycle)
	}
	a.open[n] = true
	size := 1
	for _, sub := range n.inPlace() {
		more, err := a.expand(sub)
		if err != nil {
			return 0, err
		}
		if size += more; size > a.limit {
			return 0, fmt.Errorf("%q %w (more than %d)", n.at, ErrExpansion, a.limit)
		}
	}
	delete(a.open, n)
	a.size[n] = size
	return size, nil
}

// children returns the nodes that apply to parts of the value.
func (n *Node) children() []*Node {
	out := append(append([]*Node(nil), n.prefix...), n.otherItems...)
	out = append(out, n.otherMembers...)
	for _, f := range n.fields {
		if f.node != nil {
			out = append(out, f.node)
		}
	}
	for _, p := range n.patterns {
		out = append(out, p.node)
	}
	for _, sub := range []*Node{n.rest, n.extra, n.names} {
		if sub != nil {
			out = append(out, sub)
		}
	}
	return out
}
