package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table is what a command prints: as aligned text, JSON objects, JSON lines or CSV, with
// the same columns in each. JSON has values of their kind, under names in snake_case.
type Table struct {
	Columns []string
	Rows    [][]string
	Narrow  []string        // the columns of aligned text, on a terminal shortened to fit it; nil = all, whole
	Kinds   map[string]Kind // by column; others are text
	Extra   []string        // columns of JSON alone, their cells behind the others'; one of a column's name stands in its place
	Values  [][]any         // the rows as JSON has them; nil = by their columns' kinds
	Layout  string          // of times in tables; "" = time.DateTime
}

// Formats is what -o takes.
const Formats = "table, json, jsonl, csv or md"

// Add puts a row to the others.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write writes the table in the format, or refuses it.
func (t *Table) Write(w io.Writer, format string) error {
	switch format {
	case "table":
		return t.writeText(w)
	case "json":
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		return out.Encode(t.objects())
	case "jsonl":
		out := json.NewEncoder(w)
		out.SetEscapeHTML(false)
		for _, o := range t.objects() {
			if err := out.Encode(o); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		out := csv.NewWriter(w)
		if err := out.Write(t.Columns); err != nil {
			return err
		}
		for _, row := range t.Rows {
			if err := out.Write(asText(row[:len(t.Columns)])); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	case "md":
		return t.writeMarkdown(w)
	default:
		return Misused("-o: want %s", Formats)
	}
}

// asText returns the cells with an apostrophe before those that a spreadsheet would take
// for a formula: names that callers brought stand in some.
func asText(row []string) []string {
	var out []string
	for i, cell := range row {
		if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			continue
		}
		if _, err := strconv.ParseFloat(cell, 64); err == nil || cell == "-" {
			continue
		}
		if out == nil {
			out = slices.Clone(row)
		}
		out[i] = "'" + cell
	}
	if out == nil {
		return row
	}
	return out
}

func (t *Table) writeText(w io.Writer) error {
	if t.Narrow != nil {
		t = t.narrowed(spread(w))
	}
	out := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(out, strings.ToUpper(strings.Join(t.Columns, "\t")))
	for _, row := range t.Rows {
		fmt.Fprintln(out, strings.Join(t.shown(row), "\t"))
	}
	return out.Flush()
}

// writeMarkdown writes a table of GitHub's Markdown. What stands in a cell is text.
func (t *Table) writeMarkdown(w io.Writer) error {
	plain := strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ")
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(t.Columns, " | "), strings.Repeat("---|", len(t.Columns)))
	for _, row := range t.Rows {
		cells := t.shown(row)
		for i, cell := range cells {
			cells[i] = plain.Replace(cell)
		}
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")); err != nil {
			return err
		}
	}
	return nil
}
