package inventory

import "mcp-gateway/gateway"

// Legs are what it takes to carry private data to a stranger: a tool that reads
// private data, one that brings in what strangers wrote, one that sends outward. One
// tool may be all three.
type Legs struct {
	Private, Untrusted, Outward []gateway.ItemID

	assumed struct{ private, untrusted, outward map[gateway.ItemID]bool }
}

// Of sorts tools by leg. What no reviewer denied counts.
func Of(tools []Tool) Legs {
	var l Legs
	for _, t := range tools {
		f := t.Facts
		if !f.ReadsNoPrivate {
			l.Private, l.assumed.private = put(l.Private, l.assumed.private, t.ID, f.Judged.Private)
		}
		if !f.TrustedContent {
			l.Untrusted, l.assumed.untrusted = put(l.Untrusted, l.assumed.untrusted, t.ID, f.Judged.Untrusted)
		}
		if !f.Contained {
			l.Outward, l.assumed.outward = put(l.Outward, l.assumed.outward, t.ID, f.Judged.Outbound)
		}
	}
	return l
}

// put adds a tool to a leg, and to what is assumed of it where no reviewer judged.
func put(leg []gateway.ItemID, assumed map[gateway.ItemID]bool, id gateway.ItemID, judged bool) ([]gateway.ItemID, map[gateway.ItemID]bool) {
	if !judged {
		if assumed == nil {
			assumed = map[gateway.ItemID]bool{}
		}
		assumed[id] = true
	}
	return append(leg, id), assumed
}

// Assumed says of a leg's tool whether it is there only for nobody judged the fact, which
// is then taken to be the worst.
func (l *Legs) Assumed() (private, untrusted, outward func(gateway.ItemID) bool) {
	of := func(m map[gateway.ItemID]bool) func(gateway.ItemID) bool {
		return func(id gateway.ItemID) bool { return m[id] }
	}
	return of(l.assumed.private), of(l.assumed.untrusted), of(l.assumed.outward)
}

// AsReviewed says whether it is lethal by what reviewers wrote alone.
func (l Legs) AsReviewed() bool {
	return len(l.Private) > len(l.assumed.private) && len(l.Untrusted) > len(l.assumed.untrusted) && len(l.Outward) > len(l.assumed.outward)
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
