package past

import (
	"context"
	"maps"
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
)

// Story returns all events of an action, by whichever writer, in the order of their
// times. What can't be read is left out.
func Story(ctx context.Context, dir string, action audit.ID) []audit.Event {
	var all []audit.Event
	writers := slices.SortedFunc(maps.Keys(writersOf(dir)), func(a, b folder.Writer) int { return strings.Compare(a.String(), b.String()) })
	for _, w := range writers {
		ns, _ := folder.Segments(dir, w)
		for _, n := range ns {
			_ = folder.EachLine(folder.SegmentPath(dir, w, n), 0, func(l folder.Line) error {
				var e audit.Event
				if l.Whole && audit.Decode(l.Bytes, &e) == nil && e.Action == action {
					all = append(all, e)
				}
				return ctx.Err()
			})
		}
	}
	slices.SortStableFunc(all, func(a, b audit.Event) int { return a.Time.Compare(b.Time) })
	return all
}
