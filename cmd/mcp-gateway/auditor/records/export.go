package records

import (
	"context"
	"io"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/audit/export"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/cmd/mcp-gateway/cli"
)

// The forms of an export.
const (
	OCSF        = "ocsf"
	CloudEvents = "cloudevents"
	OTLP        = "otlp"
	JSONL       = "jsonl"
)

// Export says what is exported, in which form.
type Export struct {
	Form   string
	Filter audit.Filter
	Build  string
	Bar    *cli.Bar
}

// Export writes what the journal holds and the filter admits, one object a
// write.
func (a *Records) Export(ctx context.Context, w io.Writer, o Export) error {
	x := &exporting{Export: o, w: w, stories: export.NewStories()}
	return x.run(ctx, a)
}

// batch is how many events one OTLP request holds.
const batch = 500

// exporting writes what is read in one form.
type exporting struct {
	Export
	w       io.Writer
	stories *export.Stories
	waiting []audit.Event // of an OTLP request
	read    uint64
}

func (x *exporting) run(ctx context.Context, a *Records) error {
	ends, err := folder.Ends(a.dir, nil)
	if err != nil {
		return err
	}
	for _, w := range ends.Writers() {
		x.Bar.Total += folder.Bytes(a.dir, w)
	}
	defer x.Bar.Done()
	if err := a.Read(ctx, folder.Cursor{}, x.take); err != nil {
		return err
	}
	for _, s := range x.stories.Rest() {
		if err := x.story(s); err != nil {
			return err
		}
	}
	return x.flush()
}

func (x *exporting) take(e folder.Entry) error {
	x.read += uint64(e.Next.Offset - e.Place.Offset)
	x.Bar.Set(x.read)
	if x.Form == OCSF {
		if s, whole := x.stories.Add(e.Event); whole {
			return x.story(s)
		}
		return nil
	}
	if !Admits(&x.Filter, e.Event) {
		return nil
	}
	switch x.Form {
	case CloudEvents:
		return x.line(export.CloudEvents(e.Event))
	case OTLP:
		if x.waiting = append(x.waiting, *e.Event); len(x.waiting) == batch {
			return x.flush()
		}
		return nil
	default:
		return x.line(audit.AppendJSON(nil, e.Event), nil)
	}
}

// story writes one action, if the filter admits it as it ended.
func (x *exporting) story(s export.Story) error {
	whole := *s.First
	if s.Last != nil {
		whole.Code, whole.Outcome = s.Last.Code, s.Last.Outcome
		whole.Reasons = slices.Concat(whole.Reasons, s.Last.Reasons)
	}
	if !Admits(&x.Filter, &whole) {
		return nil
	}
	return x.line(export.OCSF(s, x.Build))
}

func (x *exporting) flush() error {
	if len(x.waiting) == 0 {
		return nil
	}
	err := x.line(export.OTLP(x.waiting, x.Build))
	x.waiting = x.waiting[:0]
	return err
}

func (x *exporting) line(text []byte, err error) error {
	if err == nil {
		_, err = x.w.Write(append(text, '\n'))
	}
	return err
}
