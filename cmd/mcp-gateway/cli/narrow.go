package cli

import (
	"slices"
	"unicode/utf8"
)

// mostWide is how wide a narrow table is at most, in characters, where its columns have
// their least width.
const mostWide, leastColumn, gap = 120, 10, 2

// narrowed returns the columns that are for people, the widest of them cut until the
// table fits. The first column, by which things are named, stays whole.
func (t *Table) narrowed() *Table {
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
		if all <= mostWide || wide == 0 || widths[wide] <= leastColumn {
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
