package cases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// entry is one line of a file of cases.
type entry struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	Input    json.RawMessage `json:"input"`         // of an attack
	Minimal  json.RawMessage `json:"minimal_input"` // of a bug
	Expect   string          `json:"expect"`
	Expected string          `json:"expected"`
}

func (e *entry) input() []byte {
	if e.Input != nil {
		return e.Input
	}
	return e.Minimal
}

// load reads a file of cases. Where the collection that it was copied from is at
// hand, it must be a true copy.
func load(t *testing.T, name string) []entry {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if source, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "cases", name)); err != nil {
		fmt.Println("not run: the comparison with the collection, which is not here")
	} else if !bytes.Equal(source, text) {
		t.Errorf("%s differs from the collection that it was copied from", name)
	}
	var all []entry
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.ID == "" || e.input() == nil {
			t.Fatalf("%s: %v in %s", name, err, lines.Text())
		}
		all = append(all, e)
	}
	if lines.Err() != nil || len(all) == 0 {
		t.Fatalf("%s holds %d cases: %v", name, len(all), lines.Err())
	}
	return all
}

// score counts what became of the cases of one file.
type score struct{ total, met, owed int }

// TestCases runs every case as a test of its own and prints the score.
func TestCases(t *testing.T) {
	attacks, bugs := load(t, "attacks.jsonl"), load(t, "bugs.jsonl")
	held := proofs()
	parts := owed(t)
	holdTables(t, held, parts, slices.Concat(attacks, bugs))
	a, b := run(t, "attacks", attacks, held, parts), run(t, "bugs", bugs, held, parts)
	waiting := map[string]int{}
	for _, part := range parts {
		waiting[part]++
	}
	for _, part := range slices.Sorted(maps.Keys(waiting)) {
		fmt.Printf("pending: %d (%s)\n", waiting[part], part)
	}
	for id, why := range outOfPlace() {
		fmt.Printf("not applicable: %s: %s\n", id, why)
	}
	fmt.Printf("attacks %d/%d, pending %d, bugs %d/%d\n", a.met, a.total, a.owed+b.owed, b.met, b.total)
}

// holdTables holds that each case is in one table, and each name in a table a case.
func holdTables(t *testing.T, held map[string]proof, parts map[string]string, all []entry) {
	t.Helper()
	known := map[string]bool{}
	for _, e := range all {
		if known[e.ID] {
			t.Errorf("%s comes twice", e.ID)
		}
		known[e.ID] = true
		places := 0
		for _, in := range []bool{held[e.ID] != nil, parts[e.ID] != "", outOfPlace()[e.ID] != ""} {
			if in {
				places++
			}
		}
		if places != 1 {
			t.Errorf("%s stands in %d of the tables; it needs a proof, or a part that owes it", e.ID, places)
		}
	}
	for id := range held {
		if !known[id] {
			t.Errorf("%s is proved and is no case", id)
		}
	}
	for id := range parts {
		if !known[id] {
			t.Errorf("%s is owed and is no case", id)
		}
	}
}

// run runs the proofs of one file. What does not apply is not counted.
func run(t *testing.T, file string, all []entry, held map[string]proof, parts map[string]string) score {
	var s score
	met := make([]bool, len(all))
	t.Run(file, func(t *testing.T) {
		for i, e := range all {
			if prove := held[e.ID]; prove != nil {
				t.Run(e.ID, func(t *testing.T) {
					if !alone()[e.ID] {
						t.Parallel()
					}
					defer func() { met[i] = !t.Failed() }()
					c := &trial{T: t, input: e.input()}
					prove(c)
					c.whole()
				})
			}
		}
	})
	for i, e := range all {
		if outOfPlace()[e.ID] != "" {
			continue
		}
		s.total++
		if parts[e.ID] != "" {
			s.owed++
		}
		if met[i] {
			s.met++
		}
	}
	return s
}
