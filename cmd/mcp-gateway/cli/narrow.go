package cli

import (
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// leastColumn is how narrow a column is made at most, in characters, to make a table fit;
// gap is between two.
const leastColumn, gap = 10, 2

// spread is how wide a table may be where it is written, in characters: as wide as the
// terminal, by COLUMNS where that is set; anywhere else nothing is cut.
func spread(w io.Writer) int {
	const unknown = 120
	file, ok := w.(interface{ Fd() uintptr })
	if !ok {
		return math.MaxInt
	}
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return math.MaxInt // no terminal
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if size.Col == 0 {
		return unknown
	}
	return int(size.Col)
}

// narrowed returns the columns that are for people, the widest of them cut until the
// table fits into that many characters. The first column, by which things are named,
// stays whole.
func (t *Table) narrowed(most int) *Table {
	out := &Table{Columns: t.Narrow}
	for _, stored := range t.Rows {
		row := t.shown(stored)
		var cells []string
		for _, name := range t.Narrow {
			cells = append(cells, row[slices.Index(t.Columns, name)])
		}
		out.Add(cells...)
	}
	widths := make([]int, len(out.Columns))
	for _, row := range append([][]string{out.Columns}, out.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for {
		wide, all := 0, 0
		for i, n := range widths {
			all += n + gap
			if i > 0 && (wide == 0 || n > widths[wide]) {
				wide = i
			}
		}
		if all <= most || wide == 0 || widths[wide] <= leastColumn {
			break
		}
		widths[wide]--
	}
	for _, row := range out.Rows {
		for i, cell := range row {
			if runes := []rune(cell); len(runes) > widths[i] {
				row[i] = string(runes[:widths[i]-1]) + "…"
			}
		}
	}
	return out
}
