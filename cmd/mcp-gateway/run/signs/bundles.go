package signs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcp-gateway/rego/deliver"
)

// Bundles is how the delivery of each bundle stands, by name.
type Bundles map[string]deliver.Status

// Lines tells of each bundle what /readyz?verbose shows beside its checks: which is in
// force and since when, when the service last stood by it, and what is wrong now.
func (b Bundles) Lines(now time.Time) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(b)) {
		s := b[name]
		var line strings.Builder
		fmt.Fprintf(&line, "bundle %s ", name)
		switch {
		case s.From != "":
			fmt.Fprintf(&line, "in_force from=%s revision=%s sequence=%d activated=%s age=%s",
				s.From, s.Revision, s.Sequence, s.Taken.UTC().Format(time.RFC3339), since(now, s.Taken))
		case s.Waits:
			line.WriteString("waits_for_others")
		default:
			line.WriteString("never_came")
		}
		if !s.Asked.IsZero() {
			fmt.Fprintf(&line, " asked=%s", since(now, s.Asked))
		}
		fmt.Fprintf(&line, " error=%s", cmp.Or(s.Code(), "none"))
		out = append(out, line.String())
	}
	return out
}

// since is how long ago something was, in whole seconds.
func since(now, then time.Time) time.Duration { return now.Sub(then).Truncate(time.Second) }
