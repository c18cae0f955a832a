package journal

import (
	"context"
	"errors"
	"io/fs"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/gateway"
)

// Fate is what one writer put on record of an action: its last decided event, and
// the finished one that follows it. A zero Position means that there is none: an
// action without a decided event was never sent.
type Fate struct {
	Decided  audit.Position
	Finished audit.Position
	Outcome  gateway.Outcome // of the finished event
	Code     gateway.Code
}

// FateOf reads what a writer wrote of an action. A writer that is not there wrote
// nothing.
func FateOf(ctx context.Context, dir string, w Writer, action audit.ID) (Fate, error) {
	var f Fate
	ns, err := folder.Segments(dir, w)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	for _, n := range ns {
		e := folder.EachLine(folder.SegmentPath(dir, w, n), 0, func(l folder.Line) error {
			if l.Whole {
				f.add(w, l.Bytes, action)
			}
			return ctx.Err()
		})
		err = errors.Join(err, e)
	}
	return f, err
}

// add takes one line of the writer.
func (f *Fate) add(w Writer, text []byte, action audit.ID) {
	var e audit.Event
	if audit.Decode(text, &e) != nil || e.Action != action {
		return
	}
	at := audit.Position{Replica: w.Replica, Boot: w.Boot, Seq: e.Seq, Hash: folder.HashOf(text)}
	switch e.Type {
	case audit.ToolDecided:
		*f = Fate{Decided: at}
	case audit.ToolFinished:
		f.Finished, f.Outcome, f.Code = at, e.Outcome, e.Code
	case audit.ToolRefused: // its decided event came too late, and it was not sent
		f.Finished, f.Outcome, f.Code = at, gateway.OutcomeFailed, e.Code
	}
}

// ParseWriter is the inverse of Writer.String.
func ParseWriter(name string) (Writer, bool) { return folder.ParseWriter(name) }

// Alive says whether a writer's process lives.
func Alive(dir string, w Writer) bool { return folder.Alive(dir, w) }
