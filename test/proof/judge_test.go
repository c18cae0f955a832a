package proof

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
)

// figures are what a run comes to.
type figures struct {
	kills, early, idle, verified int
	events                       uint64
	sent, lost, released         int
	refused                      map[string]int
	ledger, desk                 int // calls executed
	decided, finished, orphaned  int
	undone                       int // calls executed of which the end is not known to the gateway
	slowest                      time.Duration
	violations                   map[string][]string
}

func (f *figures) violation(kind, format string, args ...any) {
	f.violations[kind] = append(f.violations[kind], fmt.Sprintf(format, args...))
}

// judge holds journal, upstreams and hosts against one another.
func (s *scene) judge(f *figures) {
	s.t.Helper()
	f.violations, f.refused = map[string][]string{}, map[string]int{}
	s.book.follow(s.t)
	ring, err := keyring.Open(filepath.Join(s.dir, "var", "keys"))
	if err != nil {
		s.t.Fatal(err)
	}
	f.events = s.verify().Events
	s.judgeEntries(f)
	s.judgeCalls(f, audit.NewKeys(ring))
	s.judgeLedger(f)
	s.judgeDesk(f)
}

// judgeEntries looks at the journal alone: each decided call has one end.
func (s *scene) judgeEntries(f *figures) {
	for _, trace := range s.book.twice {
		f.violation("decided twice", "%s", trace)
	}
	for _, action := range s.book.strange {
		f.violation("an end without a decision", "%s", action)
	}
	for trace, e := range s.book.byTrace {
		f.decided++
		f.finished += e.finished
		f.orphaned += e.orphaned
		if e.finished+e.orphaned != 1 {
			f.violation("not one end", "%s: finished %d times, orphaned %d times", trace, e.finished, e.orphaned)
		}
	}
}

// judgeCalls holds what hosts sent and were told against the journal.
func (s *scene) judgeCalls(f *figures, keys *audit.Keys) {
	known := make(map[audit.Trace]bool, len(s.calls))
	for _, c := range s.calls {
		known[c.trace] = true
		f.sent++
		e := s.book.byTrace[c.trace]
		if e != nil {
			want := keys.Args(c.by.id, c.tool, protocol.AppendCanonical(nil, []byte(c.args)))
			if e.decided.Args != want || string(e.decided.Tool) != c.exposed() || e.decided.Principal != keys.Principal(c.by.id) {
				f.violation("another call is on record", "%s: %s by %s", c.parent, e.decided.Tool, e.decided.Principal)
			}
		}
		switch c.fate {
		case lost:
			f.lost++
		case refused:
			f.refused[c.code]++
		case released:
			f.released++
			if e == nil || e.finished != 1 {
				f.violation("released without an end on record", "%s", c.parent)
			}
			if !c.own() {
				f.violation("the answer of another call", "%s: %s", c.parent, c.answer)
			}
		}
		if c.fate != lost && !c.onTime && c.code != string(gateway.CodeAuditUnavailable) {
			f.violation("answered before its end was on record", "%s: %s", c.parent, c.answer)
		}
	}
	for trace := range s.book.byTrace {
		if !known[trace] {
			f.violation("decided and never sent", "%s", trace)
		}
	}
}

// judgeLedger holds each call that the upstream over HTTP executed against its
// decision, and each that is said to be done against what it executed.
func (s *scene) judgeLedger(f *figures) {
	l := s.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, what := range l.strange {
		f.violation("a strange request", "%s", what)
	}
	for _, trace := range l.early {
		f.violation("executed before it was on record", "%s", trace)
	}
	sent := make(map[string]*call, len(s.calls))
	for _, c := range s.calls {
		sent[c.parent] = c
	}
	for _, e := range l.done {
		f.ledger++
		c, entry := sent[e.trace], s.book.byTrace[audit.ParseTrace(e.trace)]
		switch {
		case entry == nil:
			f.violation("executed without a decision", "%s", e.trace)
		case c == nil || c.tool != (gateway.ItemID{Upstream: ledgerID, Name: e.tool}) || !protocol.Equal(e.arguments, []byte(c.args)):
			f.violation("executed otherwise than asked", "%s: %s %s", e.trace, e.tool, e.arguments)
		case l.executed[e.trace] > 1:
			f.violation("executed twice", "%s", e.trace)
		case entry.orphaned > 0:
			f.undone++
		}
	}
	for _, c := range s.calls {
		e := s.book.byTrace[c.trace]
		if e != nil && c.tool.Upstream == ledgerID && e.outcome.Outcome == gateway.OutcomeCommitted && l.executed[c.parent] == 0 {
			f.violation("said to be done and never executed", "%s", c.parent)
		}
	}
}

// judgeDesk holds, gateway by gateway and tool by tool, what the example server
// executed against what was decided: its record names no call, so it is counts
// that must fit.
func (s *scene) judgeDesk(f *figures) {
	decided := map[string]int{}
	committed := map[string]int{}
	for _, e := range s.book.byTrace {
		if e.decided.Upstream == deskID {
			key := fmt.Sprintf("%s %s", s.book.builds[e.decided.Boot], strings.TrimPrefix(string(e.decided.Tool), deskID+"__"))
			decided[key]++
			if e.outcome.Outcome == gateway.OutcomeCommitted {
				committed[key]++
			}
		}
	}
	executed := map[string]int{}
	for n := range s.starts {
		for _, line := range s.recorded(n + 1) {
			tool, _, _ := strings.Cut(line, " ")
			executed[build(n+1)+" "+tool]++
			f.desk++
		}
	}
	for key, n := range executed {
		if n > decided[key] {
			f.violation("executed without a decision", "%s: executed %d, decided %d", key, n, decided[key])
		}
	}
	for key, n := range committed {
		if n > executed[key] {
			f.violation("said to be done and never executed", "%s: committed %d, executed %d", key, n, executed[key])
		}
	}
}

// recorded returns the record of the n-th gateway's child.
func (s *scene) recorded(n int) []string {
	s.t.Helper()
	file, err := os.Open(s.recordOf(n))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was killed before it had a child
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	var lines []string
	for scan := bufio.NewScanner(file); scan.Scan(); {
		lines = append(lines, scan.Text())
	}
	return lines
}

// tell prints the figures and fails on every violation, and on a run that
// proves nothing.
func (f *figures) tell(t *testing.T) {
	t.Helper()
	t.Logf("kills            %d that struck calls under way, %d that struck none, %d before the gateway was up", f.kills, f.idle, f.early)
	t.Logf("journal          %d events, verified after %d starts", f.events, f.verified)
	t.Logf("calls sent       %d: %d released, %d without an answer, refused %v", f.sent, f.released, f.lost, f.refused)
	t.Logf("executed         %d over HTTP, %d over stdio", f.ledger, f.desk)
	t.Logf("decided          %d: %d finished, %d orphaned, of which the upstream over HTTP had executed %d", f.decided, f.finished, f.orphaned, f.undone)
	t.Logf("children         none outlived its gateway for longer than %v", f.slowest.Round(time.Millisecond))
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(f.violations)) {
		found := f.violations[kind]
		total += len(found)
		t.Errorf("%s: %d times, such as %s", kind, len(found), strings.Join(found[:min(3, len(found))], "; "))
	}
	t.Logf("violations       %d", total)
	if f.orphaned == 0 || f.undone == 0 || f.ledger == 0 || f.desk == 0 || f.released == 0 {
		t.Error("the kills struck nothing")
	}
}
