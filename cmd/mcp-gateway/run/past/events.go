package past

import (
	"context"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/receipt"
)

// Events reads a journal once and looks events up that receipts name. Of a journal
// that can't be read no event is there.
func Events(ctx context.Context, dir string) receipt.Events {
	found := events{}
	for w := range writersOf(dir) {
		found.read(ctx, dir, w)
	}
	return found
}

func writersOf(dir string) map[folder.Writer]bool {
	all := map[folder.Writer]bool{}
	ws, _ := folder.Writers(dir) // none where there is no journal
	for _, w := range ws {
		all[w] = true
	}
	return all
}

type place struct {
	replica string
	boot    uint64
	seq     uint64
}

type events map[place]receipt.Event

// Find implements receipt.Events.
func (f events) Find(ref receipt.EventRef) (receipt.Event, bool) {
	e, ok := f[place{ref.Replica, ref.Boot, ref.Seq}]
	return e, ok
}

func (f events) read(ctx context.Context, dir string, w folder.Writer) {
	ns, _ := folder.Segments(dir, w)
	for _, n := range ns {
		_ = folder.EachLine(folder.SegmentPath(dir, w, n), 0, func(l folder.Line) error {
			var e audit.Event
			if !l.Whole || audit.Decode(l.Bytes, &e) != nil || !tells(e.Type) {
				return ctx.Err()
			}
			f[place{string(w.Replica), w.Boot, e.Seq}] = receipt.Event{
				Hash: folder.HashOf(l.Bytes).String(), Action: e.Action.String(), Outcome: e.Outcome,
			}
			return ctx.Err()
		})
	}
}

// tells says whether receipts may name an event of that type.
func tells(t audit.Type) bool {
	return t == audit.ToolDecided || t == audit.ToolFinished || t == audit.LedgerReconciled
}
