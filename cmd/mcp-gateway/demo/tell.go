package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/verify"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// tell runs the story and prints it. It fails if anything came out otherwise
// than it must.
func tell(ctx context.Context, w io.Writer, version, keep string) (err error) {
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
	s, err := open(ctx, dir, version)
	if err != nil {
		return err
	}
	t := &totals{}
	for i, st := range story() {
		if e := t.tellStep(ctx, w, s, i+1, &st); e != nil {
			err = errors.Join(err, e)
			fmt.Fprintf(w, "    UNEXPECTED  %v\n", e)
		}
	}
	err = errors.Join(err, t.settle(ctx, w, s))
	if keep != "" {
		fmt.Fprintf(w, "\nkept in %s: try  mcp-gateway -c %s audit query\n", keep, s.path("upstreams.yaml"))
	}
	return err
}

// totals count what the events say.
type totals struct {
	steps, unexpected int
	last              audit.ID
	effects           map[gateway.Effect]int
	codes             map[gateway.Code]int
}

func (t *totals) tellStep(ctx context.Context, w io.Writer, s *stage, n int, st *step) error {
	fmt.Fprintf(w, "\n%2d  %s\n", n, st.title)
	fmt.Fprintf(w, "    caller      %s, holding %s\n", st.by, strings.Trim(s.callers[st.by].scopes, "[]"))
	if st.tool != "" {
		fmt.Fprintf(w, "    call        %s %s\n", st.tool, st.args)
	}
	r, err := st.run(ctx, s)
	t.steps++
	if err == nil {
		err = st.check(r)
		tellReply(w, st, r)
		err = errors.Join(err, t.tellEvent(ctx, w, s))
	}
	if err != nil {
		t.unexpected++
	}
	return err
}

func tellReply(w io.Writer, st *step, r *reply) {
	if st.code != "" {
		fmt.Fprintf(w, "    answer      HTTP %d  %s\n", r.status, r.text())
		return
	}
	if tools, ok := protocol.Member(r.result, "tools"); ok {
		var names []string
		for tool := range protocol.Elements(tools) {
			raw, _ := protocol.Member(tool, "name")
			name, _ := protocol.Text(raw)
			names = append(names, name)
		}
		fmt.Fprintf(w, "    answer      %d tools: %s\n", len(names), strings.Join(names, ", "))
		return
	}
	shown, _ := protocol.Lookup(r.result, st.shows)
	fmt.Fprintf(w, "    answer      HTTP %d  %s\n", r.status, shown)
}

// tellEvent shows the newest event: the one of the step before it was asked.
func (t *totals) tellEvent(ctx context.Context, w io.Writer, s *stage) error {
	if err := s.gateway.Index().CatchUp(ctx); err != nil {
		return err
	}
	rows, err := s.gateway.Index().Query(ctx, audit.Filter{Limit: 8})
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Principal == "" { // of the gateway itself, such as a changed list
			fmt.Fprintf(w, "    on record   %s %s %s\n", r.Type, r.Tool, joined(r.Reasons))
			continue
		}
		if r.Event == t.last {
			break
		}
		t.last = r.Event
		t.count(&r)
		fmt.Fprintf(w, "    decided     %s\n", decision(&r))
		fmt.Fprintf(w, "    event       #%d %s %s\n", r.Position.Seq, r.Type, r.Event)
		return nil
	}
	return errors.New("the step left no event")
}

func (t *totals) count(r *audit.Row) {
	if t.effects == nil {
		t.effects, t.codes = map[gateway.Effect]int{}, map[gateway.Code]int{}
	}
	if r.Effect != "" {
		t.effects[r.Effect]++
	}
	if r.Code != "" {
		t.codes[r.Code]++
	}
}

func decision(r *audit.Row) string {
	parts := []string{}
	if r.Effect != "" {
		parts = append(parts, string(r.Effect))
	}
	if r.Code != "" {
		parts = append(parts, string(r.Code))
	}
	if len(r.Reasons) > 0 {
		parts = append(parts, "because "+joined(r.Reasons))
	}
	if r.Outcome != "" {
		parts = append(parts, "outcome "+string(r.Outcome))
	}
	if len(parts) == 0 {
		parts = append(parts, "answered")
	}
	return fmt.Sprintf("%s  (%.1f ms)", strings.Join(parts, ", "), float64(r.Duration.Microseconds())/1000)
}

func joined(reasons []gateway.Reason) string {
	texts := make([]string, len(reasons))
	for i, r := range reasons {
		texts[i] = string(r)
	}
	return strings.Join(texts, ", ")
}

// settle ends the gateway, verifies its journal, and prints the totals.
func (t *totals) settle(ctx context.Context, w io.Writer, s *stage) error {
	executed, err := s.executed()
	err = errors.Join(err, s.close(ctx))
	report, e := verify.Journal(s.path("var/"+run.JournalDir), verify.Against{})
	err = errors.Join(err, e)
	fmt.Fprintf(w, "\n%d steps, %d unexpected\n", t.steps, t.unexpected)
	fmt.Fprintf(w, "policy      allow %d, ask %d, deny %d\n", t.effects[gateway.Allow], t.effects[gateway.Ask], t.effects[gateway.Deny])
	fmt.Fprintf(w, "upstream    executed %d calls, as many as were allowed\n", executed)
	fmt.Fprintf(w, "journal     %d events, %d problems\n", report.Events, len(report.Problems))
	if executed != t.effects[gateway.Allow] {
		err = errors.Join(err, fmt.Errorf("the upstream executed %d calls, policy allowed %d", executed, t.effects[gateway.Allow]))
	}
	if !report.OK() {
		err = errors.Join(err, errors.New("the journal does not verify"))
	}
	return err
}
