package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mcp-gateway/audit/journal/verify"
	"mcp-gateway/cmd/mcp-gateway/demo/plots"
	"mcp-gateway/cmd/mcp-gateway/demo/scene"
	"mcp-gateway/cmd/mcp-gateway/run"
)

// tell plays the story and prints it, or a report of it. It fails if anything came
// out otherwise than it must.
func tell(ctx context.Context, w io.Writer, version, format, folder, keep string) (err error) {
	dir := keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "mcp-gateway-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if dir, err = filepath.Abs(keep); err != nil {
		return err // the example server is started elsewhere
	} else if err = os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	s, err := scene.Open(ctx, dir, version)
	if err != nil {
		return err
	}
	story := w
	if format != "story" {
		story = io.Discard
	}
	r, err := play(ctx, s, story)
	err = errors.Join(err, r.settle(ctx, s))
	r.conclude(story)
	if format != "story" {
		err = errors.Join(err, r.write(w, format))
	}
	if folder != "" {
		err = errors.Join(err, r.save(folder))
	}
	if keep != "" {
		fmt.Fprintf(story, "\nkept in %s: try  mcp-gateway -c %s audit query\n", keep, s.Path("upstreams.yaml"))
	}
	return err
}

// play plays every case, whatever came of those before it.
func play(ctx context.Context, s *scene.Stage, w io.Writer) (*report, error) {
	r, t := newReport(s.Version), &tracer{}
	if _, err := s.Fresh(ctx); err != nil { // of the gateway's own start
		return r, err
	}
	var broken error
	for i, p := range plots.All() {
		s.Sent = 0
		observed, err := p.Play(ctx, s)
		if err != nil {
			observed = strings.TrimPrefix(observed+"; it broke off", "; ")
		}
		events, e := s.Fresh(ctx)
		lines := t.lines(&p, events)
		o := r.add(&p, s.Sent, observed, lines)
		if err = errors.Join(err, e); err != nil || !o.Held {
			broken = errors.Join(broken, fmt.Errorf("%s: got %q, want %q", p.ID, observed, p.Want), err)
		}
		tellCase(w, i+1, o, lines)
	}
	return r, broken
}

func tellCase(w io.Writer, n int, o *outcome, lines []line) {
	fmt.Fprintf(w, "\n%2d  %s/%s\n    %s\n", n, o.Group, o.Case, o.Title)
	fmt.Fprintf(w, "    observed    %s\n", o.Observed)
	if !o.Held {
		fmt.Fprintf(w, "    UNEXPECTED  want %s\n", o.Expected)
	}
	for i := range lines {
		l := &lines[i]
		fmt.Fprintf(w, "    on record   %s\n", strings.Join(l.words(), " "))
	}
}

// words say what an event says.
func (l *line) words() []string {
	parts := []string{string(l.Type)}
	for _, word := range []string{l.Action, string(l.Tool), string(l.Effect), string(l.Code), string(l.Outcome)} {
		if word != "" {
			parts = append(parts, word)
		}
	}
	if len(l.Reasons) > 0 {
		texts := make([]string, len(l.Reasons))
		for i, r := range l.Reasons {
			texts[i] = string(r)
		}
		parts = append(parts, "because "+strings.Join(texts, ", "))
	}
	if l.Retries > 0 {
		parts = append(parts, fmt.Sprintf("sent %d times", l.Retries+1))
	}
	return parts
}

// settle ends the gateway, verifies its journal, and counts.
func (r *report) settle(ctx context.Context, s *scene.Stage) error {
	var err error
	r.Forwarded, err = s.Executed()
	err = errors.Join(err, s.Close(ctx))
	found, e := verify.Journal(s.Path("var/"+run.JournalDir), verify.Against{})
	if err = errors.Join(err, e); e == nil {
		r.Problems = len(found.Problems)
		if !found.OK() {
			err = errors.Join(err, errors.New("the journal does not verify"))
		}
	}
	return err
}

// conclude prints the totals.
func (r *report) conclude(w io.Writer) {
	fmt.Fprintf(w, "\n%d cases, %d held, %d not\n", len(r.Cases), r.Held, r.Broken)
	fmt.Fprintf(w, "upstreams   %d calls by their own record\n", r.Forwarded)
	fmt.Fprintf(w, "journal     %d problems\n", r.Problems)
}
