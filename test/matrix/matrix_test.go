package matrix

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mcp-gateway/test/stage"
)

var update = flag.Bool("update", false, "write docs/matrix.md as it was observed")

const page = "../../docs/matrix.md"

const preface = "# What works between which eras\n\n" +
	"Observed by `make matrix`, and held in every run of the tests: a client of the Go\n" +
	"SDK, in each revision and over each transport, before a real gateway, and a server of\n" +
	"the Go SDK of each kind behind it. What does not work is refused by name.\n\n"

const legend = "\n" +
	"- **call**: arguments and answer; **progress**: three steps on the host's own token;\n" +
	"  **cancel**: what the host gives up ends at the upstream; **elicitation**: the upstream\n" +
	"  asks before it goes on, and is answered; **listen**: the host is told, unasked, that\n" +
	"  the list changed in what it sees.\n" +
	"- `refused: elicitation/create -32601` is what the upstream is told: a server of the old\n" +
	"  era asks on an open call, and a modern host has none on which it could be asked. Where\n" +
	"  the host is of the old era too, it is asked if `relay` of that upstream says so, as here.\n"

// TestMatrix fills every cell through a real gateway.
func TestMatrix(t *testing.T) {
	s := stage.Open(t, stage.Options{
		Auth:      `stdio: {subject: local, tenant: test, scopes: [use]}`,
		Upstreams: upstreams(t),
	})
	for _, kind := range kinds {
		if met := fmt.Sprintf(`"upstream":%q,"up":true,"reason":"","era":%q,"revision":%q`, kind.id, kind.era(), kind.revision); !strings.Contains(s.Log(), met) {
			t.Errorf("%s was not met as %s", kind.title, kind.revision)
		}
	}
	var table strings.Builder
	table.WriteString("| host | upstream |")
	for _, f := range features {
		table.WriteString(" " + f.name + " |")
	}
	table.WriteString("\n|---|---|" + strings.Repeat("---|", len(features)) + "\n")
	working, refusals := 0, 0
	for _, h := range hosts() {
		t.Run(h.String(), func(t *testing.T) {
			h.connect(t, s)
			for _, kind := range kinds {
				fmt.Fprintf(&table, "| %s | %s |", h, kind.title)
				for _, f := range features {
					cell := h.observe(t.Context(), kind.id, f.try)
					if want := expected(h, kind, f.name); cell != want {
						t.Errorf("%s, %s, %s: %s; expected %s", h, kind.title, f.name, cell, want)
					}
					if cell == works {
						working++
					} else {
						refusals++
					}
					table.WriteString(" " + cell + " |")
				}
				table.WriteString("\n")
			}
		})
	}
	t.Logf("\n%s%d cells: %d work, %d are refused by name", table.String(), working+refusals, working, refusals)
	if cells := len(hosts()) * len(kinds) * len(features); working+refusals != cells {
		t.Errorf("%d of %d cells are filled", working+refusals, cells)
	}
	compare(t, preface+table.String()+legend)
}

func compare(t *testing.T, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what was observed; if that is right: go test ./test/matrix -update", page)
	}
}
