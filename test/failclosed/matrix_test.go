package failclosed

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-gateway/test/stage"
)

var update = flag.Bool("update", false, "write docs/fail-closed.md")

// TestMain lets more cells wait beside each other than there are processors: what they
// wait for is mostly time.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(stage.Main(m, nil))
}

// outcome is what becomes of calls while a part is broken.
type outcome string

const (
	refuses  outcome = "refuses to start" // and says why
	denies   outcome = "denies"           // the call, by a code; nothing is sent
	unknown  outcome = "outcome unknown"  // the call was sent, and its end is not known
	withhold outcome = "withholds"        // what is affected is not offered, or its result not released
	degrades outcome = "degrades"         // calls go on; something else does not
	serves   outcome = "serves"
	never    outcome = "cannot be" // there is no such fault, for the reason that is given
)

// cell is one way in which one part breaks. Its proof may run beside others, unless it
// breaks descriptors of this process: the number of one that is closed is taken again.
type cell struct {
	fault   string
	outcome outcome
	says    string // one sentence
	prove   func(t *testing.T)
}

// faults are the columns. Every part has a cell for each.
var faults = []string{"absent at start", "fails while running", "slow", "wrong data", "full"}

// part is one row.
type part struct {
	name  string
	cells []cell
}

func parts() []part {
	return []part{
		{"journal", journalCells()},
		{"index", indexCells()},
		{"ledger", ledgerCells()},
		{"policy engine", policyCells()},
		{"policy bundle", bundleCells()},
		{"exposure file", exposureCells()},
		{"schema compiler", schemaCells()},
		{"redactor", redactorCells()},
		{"upstream", upstreamCells()},
		{"token issuer", issuerCells()},
		{"clock", clockCells()},
		{"disk", diskCells()},
		{"memory", memoryCells()},
	}
}

// TestMatrix proves every cell, and that the page says what was proven.
func TestMatrix(t *testing.T) {
	var proven atomic.Int32
	cells := 0
	t.Run("cells", func(t *testing.T) {
		for _, p := range parts() {
			var named []string
			for _, c := range p.cells {
				named = append(named, c.fault)
				if c.outcome == never {
					continue
				}
				cells++
				t.Run(p.name+"/"+c.fault, func(t *testing.T) {
					if c.prove(t); !t.Failed() {
						proven.Add(1)
					}
				})
			}
			if !slices.Equal(named, faults) {
				t.Errorf("%s has the cells %q, want %q", p.name, named, faults)
			}
		}
	})
	page := filepath.Join("..", "..", "docs", "fail-closed.md")
	if *update {
		if err := os.WriteFile(page, []byte(render()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(page); err != nil || string(text) != render() {
		t.Errorf("%s differs from what is proven here; run with -update (%v)", page, err)
	}
	t.Logf("failclosed: %d/%d cells proven, %d cannot be", proven.Load(), cells, len(faults)*len(parts())-cells)
}

// render writes the page.
func render() string {
	var b strings.Builder
	b.WriteString("# What happens when a part breaks\n\n" +
		"Written from the tests that prove it (`test/failclosed`). Nothing that is broken lets a call\n" +
		"through that would have been refused; what is affected is as small as one tool of one upstream\n" +
		"where that can be told.\n\n| part | " + strings.Join(faults, " | ") + " |\n|---" +
		strings.Repeat("|---", len(faults)) + "|\n")
	for _, p := range parts() {
		fmt.Fprintf(&b, "| %s |", p.name)
		for _, c := range p.cells {
			fmt.Fprintf(&b, " %s |", c.outcome)
		}
		b.WriteByte('\n')
	}
	for _, p := range parts() {
		fmt.Fprintf(&b, "\n## %s%s\n", strings.ToUpper(p.name[:1]), p.name[1:])
		for _, c := range p.cells {
			fmt.Fprintf(&b, "- **%s: %s.** %s\n", c.fault, c.outcome, c.says)
		}
	}
	return b.String()
}
