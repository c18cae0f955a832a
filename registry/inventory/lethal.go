package inventory

import "mcp-gateway/gateway"

// Legs are what it takes to carry private data to a stranger: a tool that reads
// private data, one that brings in what strangers wrote, one that sends outward. One
// tool may be all three.
type Legs struct {
	Private, Untrusted, Outward []gateway.ItemID
}

// Of sorts tools by leg. What no reviewer denied counts.
func Of(tools []Tool) Legs {
	var l Legs
	for _, t := range tools {
		if !t.Facts.ReadsNoPrivate {
			l.Private = append(l.Private, t.ID)
		}
		if !t.Facts.TrustedContent {
			l.Untrusted = append(l.Untrusted, t.ID)
		}
		if !t.Facts.Contained {
			l.Outward = append(l.Outward, t.ID)
		}
	}
	return l
}

// Lethal says whether all three are there.
func (l Legs) Lethal() bool { return len(l.Private) > 0 && len(l.Untrusted) > 0 && len(l.Outward) > 0 }

// Break returns the fewest tools without which it is not lethal: a whole leg, since
// any that is left of each would do. Of legs of equal length the outward one goes
// first, then the untrusted one. Nil where it is not lethal.
func (l Legs) Break() []gateway.ItemID {
	if !l.Lethal() {
		return nil
	}
	least := l.Outward
	for _, leg := range [][]gateway.ItemID{l.Untrusted, l.Private} {
		if len(leg) < len(least) {
			least = leg
		}
	}
	return least
}
